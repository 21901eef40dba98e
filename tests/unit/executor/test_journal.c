#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/executor/journal.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

static struct change record(const char *target, enum change_state state)
{
    struct change c = {.boot_id = "11111111-2222-3333-4444-555555555555",
                       .kind = CHANGE_SYSCTL,
                       .state = state,
                       .old = "0",
                       .new = "1"};
    memcpy(c.target, target, strlen(target));
    return c;
}

static void append(struct journal *j, const char *target,
                   enum change_state state)
{
    struct change c = record(target, state);
    struct why why = {0};
    check_ok(journal_append(j, &c, &why), why);
}

static off_t size_of(const struct scratch *s, const char *name)
{
    struct stat st;
    return fstatat(s->fd, name, &st, 0) ? -1 : st.st_size;
}

static void journal_open_finds_what_was_appended(void **state)
{
    struct scratch *s = *state;
    struct journal j;
    struct why why = {0};
    check_ok(journal_open(&j, s->fd, &why), why);
    append(&j, "a", CHANGE_INTENT);
    append(&j, "b", CHANGE_INTENT);
    append(&j, "a", CHANGE_APPLIED);
    journal_close(&j);
    check_ok(journal_open(&j, s->fd, &why), why);
    assert_int_equal(j.live.n, 2);
    assert_int_equal(j.live.seq, 3);
    assert_int_equal(j.live.items[0].state, CHANGE_APPLIED);
    assert_string_equal(j.live.items[1].target, "b");
    journal_close(&j);
}

/* What is appended after a torn record must not stand behind its bytes. */
static void journal_open_cuts_a_torn_record_off(void **state)
{
    struct scratch *s = *state;
    struct journal j;
    struct why why = {0};
    check_ok(journal_open(&j, s->fd, &why), why);
    append(&j, "a", CHANGE_INTENT);
    off_t one = size_of(s, JOURNAL_NAME);
    append(&j, "b", CHANGE_INTENT);
    journal_close(&j);
    int fd = openat(s->fd, JOURNAL_NAME, O_WRONLY | O_CLOEXEC);
    assert_int_equal(ftruncate(fd, one + 30), 0);
    (void)close(fd);
    check_ok(journal_open(&j, s->fd, &why), why);
    assert_int_equal(size_of(s, JOURNAL_NAME), one);
    append(&j, "c", CHANGE_INTENT);
    journal_close(&j);
    check_ok(journal_open(&j, s->fd, &why), why);
    assert_int_equal(j.live.n, 2);
    assert_string_equal(j.live.items[1].target, "c");
    assert_false(j.damaged);
    journal_close(&j);
}

static void
journal_open_keeps_a_damaged_file_and_what_it_could_read(void **state)
{
    struct scratch *s = *state;
    struct journal j;
    struct why why = {0};
    check_ok(journal_open(&j, s->fd, &why), why);
    append(&j, "a", CHANGE_INTENT);
    off_t one = size_of(s, JOURNAL_NAME);
    append(&j, "b", CHANGE_INTENT);
    append(&j, "c", CHANGE_INTENT);
    off_t all = size_of(s, JOURNAL_NAME);
    journal_close(&j);
    int fd = openat(s->fd, JOURNAL_NAME, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(fd, "x", 1, one + 40), 1);
    (void)close(fd);
    check_ok(journal_open(&j, s->fd, &why), why);
    assert_true(j.damaged);
    assert_int_equal(j.live.n, 1);
    assert_int_equal(size_of(s, "journal.damaged"), all);
    assert_int_equal(size_of(s, JOURNAL_NAME), one);
    append(&j, "a", CHANGE_APPLIED);
    journal_close(&j);
}

static void journal_clear_begins_anew(void **state)
{
    struct scratch *s = *state;
    struct journal j;
    struct why why = {0};
    check_ok(journal_open(&j, s->fd, &why), why);
    append(&j, "a", CHANGE_INTENT);
    append(&j, "a", CHANGE_UNDONE);
    check_ok(journal_clear(&j, &why), why);
    assert_int_equal(size_of(s, JOURNAL_NAME), 0);
    append(&j, "b", CHANGE_INTENT);
    assert_int_equal(j.live.seq, 1);
    journal_close(&j);
}

static void journal_append_writes_nothing_that_does_not_follow(void **state)
{
    struct scratch *s = *state;
    struct journal j;
    struct why why = {0};
    struct change c = record("a", CHANGE_APPLIED);
    check_ok(journal_open(&j, s->fd, &why), why);
    check_err(journal_append(&j, &c, &why), ERR_STATE);
    check_says(why, "sysctl a: applied after nothing");
    assert_int_equal(size_of(s, JOURNAL_NAME), 0);
    append(&j, "a", CHANGE_INTENT);
    journal_close(&j);
}

/* In a child: files may not grow beyond one record. Its status: 0 as said. */
static int full(struct journal *j, off_t limit)
{
    struct rlimit r = {.rlim_cur = (rlim_t)limit, .rlim_max = (rlim_t)limit};
    struct change b = record("b", CHANGE_INTENT), a = b;
    struct why why = {0};
    (void)signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &r))
        return 1;
    if (journal_append(j, &b, &why) != ERR_IO || !j->broken)
        return 2;
    /* Also what would fit is refused now. */
    r.rlim_cur = r.rlim_max;
    a = record("a", CHANGE_APPLIED);
    if (journal_append(j, &a, &why) != ERR_IO || j->live.n != 1)
        return 3;
    return strstr(why.text, "could not be written before") ? 0 : 4;
}

static void journal_append_never_trusts_a_file_that_failed_once(void **state)
{
    struct scratch *s = *state;
    struct journal j;
    struct why why = {0};
    int status = -1;
    check_ok(journal_open(&j, s->fd, &why), why);
    append(&j, "a", CHANGE_INTENT);
    pid_t pid = fork();
    if (pid == 0)
        _exit(full(&j, size_of(s, JOURNAL_NAME) + 20));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    journal_close(&j);
    /* The 20 bytes that it got in are a torn record. */
    check_ok(journal_open(&j, s->fd, &why), why);
    assert_int_equal(j.live.n, 1);
    journal_close(&j);
}

static void journal_open_refuses_a_file_that_is_too_long(void **state)
{
    struct scratch *s = *state;
    struct journal j;
    struct why why = {0};
    scratch_write(s, JOURNAL_NAME, "x", 1);
    int fd = openat(s->fd, JOURNAL_NAME, O_WRONLY | O_CLOEXEC);
    assert_int_equal(ftruncate(fd, JOURNAL_MAX_BYTES + 1), 0);
    (void)close(fd);
    check_err(journal_open(&j, s->fd, &why), ERR_RANGE);
    check_says(why, "journal: 1048577 bytes; accepted: at most 1048576");
}

int main(void)
{
#define IN_SCRATCH(test)                                                       \
    cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(journal_open_finds_what_was_appended),
        IN_SCRATCH(journal_open_cuts_a_torn_record_off),
        IN_SCRATCH(journal_open_keeps_a_damaged_file_and_what_it_could_read),
        IN_SCRATCH(journal_clear_begins_anew),
        IN_SCRATCH(journal_append_writes_nothing_that_does_not_follow),
        IN_SCRATCH(journal_append_never_trusts_a_file_that_failed_once),
        IN_SCRATCH(journal_open_refuses_a_file_that_is_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
