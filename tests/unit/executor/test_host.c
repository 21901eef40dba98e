/* Changes of a machine that is a network namespace of the test's own; its lo
 * stands for a real interface. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/executor/host.h"
#include "agent/executor/knob.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

#define BOOT  "11111111-2222-3333-4444-555555555555"
#define OTHER "99999999-2222-3333-4444-555555555555"
#define RMEM  "net.ipv4.tcp_rmem"
#define SACK  "net.ipv4.tcp_sack"

static const struct row {
    enum change_kind kind;
    const char *target, *old, *new;
} rows[] = {
    {CHANGE_SYSCTL, RMEM, "4096 131072 6291456", "10240 10240 10240"},
    {CHANGE_SYSCTL, SACK, "1", "0"},
    {CHANGE_NIC, "lo mtu", "65536", "1500"},
    {CHANGE_NIC, "lo feature.rx-gro", "on", "off"},
};

#define N_ROWS (sizeof rows / sizeof *rows)

static void put(const struct row *r, const char *value)
{
    struct why why = {0};
    check_ok(knob_put(r->kind, r->target, value, &why), why);
}

static bool is(const struct row *r, const char *value)
{
    char got[CHANGE_VALUE_MAX];
    return !knob_get(r->kind, r->target, got, NULL) && !strcmp(got, value);
}

static int setup(void **state)
{
    if (scratch_open(state))
        return -1;
    for (size_t i = 0; i < N_ROWS; i++)
        put(&rows[i], rows[i].old);
    return 0;
}

static void open_it(struct host *h, const struct scratch *s, unsigned die_at)
{
    struct why why = {0};
    check_ok(host_open(h, s->fd, BOOT, 1, die_at, &why), why);
}

static enum err set(struct host *h, const struct row *r, struct why *why)
{
    char value[CHANGE_VALUE_MAX];
    (void)snprintf(value, sizeof value, "%s", r->new);
    return host_set(h, r->kind, r->target, value, why);
}

static void set_all(struct host *h)
{
    struct why why = {0};
    for (size_t i = 0; i < N_ROWS; i++)
        check_ok(set(h, &rows[i], &why), why);
}

static void all_are_as_before(void)
{
    for (size_t i = 0; i < N_ROWS; i++)
        if (!is(&rows[i], rows[i].old))
            fail_msg("%s is not as before", rows[i].target);
}

static void host_set_changes_and_host_undo_puts_back(void **state)
{
    struct host h;
    struct why why = {0};
    char text[2048];
    open_it(&h, *state, 0);
    set_all(&h);
    for (size_t i = 0; i < N_ROWS; i++)
        assert_true(is(&rows[i], rows[i].new));
    assert_int_equal(h.journal.live.n, N_ROWS);
    host_describe(&h, text, sizeof text);
    assert_non_null(strstr(text, "nic lo mtu: \"65536\" -> \"1500\", applied; "
                                 "would write \"65536\"\n"));
    check_ok(host_undo(&h, &why), why);
    all_are_as_before();
    assert_int_equal(h.journal.bytes, 0);
    assert_false(host_held(&h, text, sizeof text));
    host_close(&h);
}

static void host_set_of_what_stands_already_is_no_change(void **state)
{
    struct host h;
    struct why why = {0};
    char same[CHANGE_VALUE_MAX] = "4096\t131072  6291456";
    open_it(&h, *state, 0);
    check_ok(host_set(&h, CHANGE_SYSCTL, RMEM, same, &why), why);
    assert_int_equal(h.journal.live.n, 0);
    host_close(&h);
}

/* "5000 0 16384" fails after the kernel has taken the 5000. */
static void host_set_undoes_a_partial_write(void **state)
{
    struct host h;
    struct why why = {0};
    char value[CHANGE_VALUE_MAX] = "5000 0 16384";
    open_it(&h, *state, 0);
    assert_int_not_equal(host_set(&h, CHANGE_SYSCTL, RMEM, value, &why),
                         ERR_OK);
    all_are_as_before();
    assert_int_equal(h.journal.live.n, 0);
    /* One number of three is taken alone. */
    (void)snprintf(value, sizeof value, "8192");
    check_err(host_set(&h, CHANGE_SYSCTL, RMEM, value, &why), ERR_INVALID);
    check_says(why, "it is \"8192 131072 6291456\" after writing \"8192\"");
    all_are_as_before();
    host_close(&h);
}

static void host_set_refuses_a_second_change_of_one_target(void **state)
{
    struct host h;
    struct why why = {0};
    char value[CHANGE_VALUE_MAX] = "1";
    open_it(&h, *state, 0);
    check_ok(set(&h, &rows[1], &why), why);
    check_err(host_set(&h, CHANGE_SYSCTL, SACK, value, &why), ERR_EXISTS);
    check_ok(host_undo(&h, &why), why);
    all_are_as_before();
    host_close(&h);
}

/* A life of an executor that may be killed on its way. */
static void live(const struct scratch *s, bool changes, unsigned die_at)
{
    struct host h;
    struct why why = {0};
    enum err e = host_open(&h, s->fd, BOOT, 1, die_at, &why);
    for (size_t i = 0; !e && changes && i < N_ROWS; i++)
        e = set(&h, &rows[i], &why);
    if (!e)
        e = host_undo(&h, &why);
    if (e)
        (void)fprintf(stderr, "%s\n", why.text);
    _exit(e ? 1 : 0);
}

/* Whether it was killed. */
static bool dies(const struct scratch *s, bool changes, unsigned die_at)
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0)
        live(s, changes, die_at);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFSIGNALED(status))
        return true;
    assert_int_equal(status, 0);
    return false;
}

static void machine_is_as_before_after_sigkill_at_every_step(void **state)
{
    unsigned kills = 0, again = 0;
    for (unsigned at = 1; at < 200 && dies(*state, true, at); at++) {
        kills++;
        /* The one that restores is killed at each of its steps too. */
        for (unsigned k = 1; k < 200 && dies(*state, false, k); k++)
            again++;
        all_are_as_before();
    }
    all_are_as_before();
    /* 4 changes: 2 steps for each of 4 records, 1 for each of 2 writes; 2 for
     * the empty journal. */
    assert_int_equal(kills, 4 * (2 * 4 + 2) + 2);
    assert_true(again > kills);
}

static void drift_is_left_and_said_until_released(void **state)
{
    struct host h;
    struct why why = {0};
    char text[512];
    open_it(&h, *state, 0);
    set_all(&h);
    put(&rows[0], "4096 50000 60000");
    check_err(host_undo(&h, &why), ERR_STATE);
    check_says(why, RMEM " is \"4096 50000 60000\", which is neither");
    assert_true(is(&rows[0], "4096 50000 60000"));
    for (size_t i = 1; i < N_ROWS; i++)
        assert_true(is(&rows[i], rows[i].old));
    assert_int_equal(h.journal.live.n, 1);
    host_close(&h);
    open_it(&h, *state, 0); /* the next executor knows it too */
    assert_true(host_held(&h, text, sizeof text));
    assert_non_null(strstr(text, "changed by somebody else"));
    host_describe(&h, text, sizeof text);
    assert_non_null(strstr(text, "would leave \"4096 50000 60000\" as it is"));
    check_ok(host_release(&h, &why), why);
    assert_true(is(&rows[0], "4096 50000 60000"));
    assert_false(host_held(&h, text, sizeof text));
    assert_int_equal(h.journal.bytes, 0);
    host_close(&h);
}

static void drift_that_somebody_has_put_back_is_over(void **state)
{
    struct host h;
    struct why why = {0};
    open_it(&h, *state, 0);
    set_all(&h);
    put(&rows[0], "4096 50000 60000");
    check_err(host_undo(&h, &why), ERR_STATE);
    put(&rows[0], rows[0].new); /* ours again: so it is undone */
    check_ok(host_undo(&h, &why), why);
    all_are_as_before();
    host_close(&h);
}

/* The kernel has reset everything; a value like ours is somebody's own. */
static void changes_before_a_restart_of_the_machine_are_forgotten(void **state)
{
    struct scratch *s = *state;
    struct host h;
    struct why why = {0};
    open_it(&h, s, 0);
    set_all(&h);
    host_close(&h);
    check_ok(host_open(&h, s->fd, OTHER, 2, 0, &why), why);
    assert_int_equal(h.journal.live.n, 0);
    assert_true(is(&rows[0], rows[0].new));
    host_close(&h);
}

static void interface_that_is_gone_needs_no_undoing(void **state)
{
    struct scratch *s = *state;
    struct host h;
    struct why why = {0};
    struct change c = {.kind = CHANGE_NIC,
                       .state = CHANGE_INTENT,
                       .boot_id = BOOT,
                       .target = "gone0 mtu",
                       .old = "1500",
                       .new = "9000"};
    open_it(&h, s, 0);
    check_ok(journal_append(&h.journal, &c, &why), why);
    check_ok(host_undo(&h, &why), why);
    assert_int_equal(h.journal.live.n, 0);
    host_close(&h);
}

static void host_set_names_what_an_interface_does_not_have(void **state)
{
    static const struct {
        const char *target, *value;
        enum err err;
        const char *says;
    } bad[] = {
        {"lo coalesce.rx-usecs", "10", ERR_UNSUPPORTED, "driver of lo refuses"},
        {"lo feature.no-such", "on", ERR_NOTFOUND, "no feature \"no-such\""},
        {"lo ring", "1", ERR_INVALID, "accepted: mtu, feature.NAME"},
        {"none0 mtu", "1500", ERR_NOTFOUND, "no interface none0"},
        {"lo feature.rx-gro", "maybe", ERR_INVALID, "accepted: on, off"},
    };
    struct host h;
    open_it(&h, *state, 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char value[CHANGE_VALUE_MAX];
        struct why why = {0};
        (void)snprintf(value, sizeof value, "%s", bad[i].value);
        check_err(host_set(&h, CHANGE_NIC, bad[i].target, value, &why),
                  bad[i].err);
        check_says(why, bad[i].says);
        assert_int_equal(h.journal.live.n, 0);
    }
    host_close(&h);
}

int main(void)
{
#define ON_MACHINE(test)                                                       \
    cmocka_unit_test_setup_teardown(test, setup, scratch_close)
    const struct CMUnitTest tests[] = {
        ON_MACHINE(host_set_changes_and_host_undo_puts_back),
        ON_MACHINE(host_set_of_what_stands_already_is_no_change),
        ON_MACHINE(host_set_undoes_a_partial_write),
        ON_MACHINE(host_set_refuses_a_second_change_of_one_target),
        ON_MACHINE(machine_is_as_before_after_sigkill_at_every_step),
        ON_MACHINE(drift_is_left_and_said_until_released),
        ON_MACHINE(drift_that_somebody_has_put_back_is_over),
        ON_MACHINE(changes_before_a_restart_of_the_machine_are_forgotten),
        ON_MACHINE(interface_that_is_gone_needs_no_undoing),
        ON_MACHINE(host_set_names_what_an_interface_does_not_have),
    };
    if (unshare(CLONE_NEWNET)) {
        (void)fprintf(stderr, "SKIPPED: no right to make namespaces here; run "
                              "as root\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
