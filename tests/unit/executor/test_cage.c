#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/executor/cage.h"
#include "agent/executor/sysctl.h"
#include "common/clock.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

/* Open a cage, or skip the test where that is not allowed. */
static struct cage open_cage(enum cage_mode mode, const struct cage *net_of)
{
    struct cage cage;
    struct why why = {0};
    enum err e = cage_open(&cage, mode, net_of, NULL, &why);
    if (e && mode == CAGE_NAMESPACES) {
        print_message("SKIPPED: no namespaces here: %s\n", why.text);
        skip();
    }
    check_ok(e, why);
    return cage;
}

static bool gone(pid_t pid)
{
    for (int ms = 0; ms < 2000; ms++) {
        char path[40], text[200] = "";
        (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            return true;
        ssize_t n = read(fd, text, sizeof text - 1);
        (void)close(fd);
        if (n <= 0 || strstr(text, ") Z "))
            return true;
        clock_sleep_until(clock_mono_ns() + NS_PER_MS);
    }
    return false;
}

struct seen {
    ino_t net;
    uint64_t mnt;
    char rmem[SYSCTL_VALUE_MAX];
};

/* The helper has no entry of its own in the cage's /proc, so the namespaces are
 * told by a socket's and by the mount that is "/". */
static enum err look(void *arg, struct why *why)
{
    struct seen *s = arg;
    struct stat net;
    struct statx root;
    int sock = socket(AF_INET, SOCK_DGRAM, 0);
    int fd = ioctl(sock, SIOCGSKNS);
    if (fd < 0 || fstat(fd, &net) ||
        statx(AT_FDCWD, "/", 0, STATX_MNT_ID, &root))
        return err_errno(why, errno, "namespaces");
    s->net = net.st_ino;
    s->mnt = root.stx_mnt_id;
    return sysctl_get("net.ipv4.tcp_rmem", s->rmem, why);
}

static struct seen look_inside(const struct cage *cage)
{
    struct seen s = {0};
    struct why why = {0};
    check_ok(cage_run(cage, look, &s, sizeof s, &why), why);
    return s;
}

static void cage_has_namespaces_of_its_own(void **state)
{
    struct cage cage = open_cage(CAGE_NAMESPACES, NULL);
    struct seen here = look_inside(NULL), inside = look_inside(&cage);
    (void)state;
    assert_true(inside.net != here.net);
    assert_true(inside.mnt != here.mnt);
    cage_close(&cage);
    assert_int_equal(cage.init, 0);
}

static void cage_shares_the_network_of_another(void **state)
{
    struct cage a = open_cage(CAGE_NAMESPACES, NULL);
    struct cage b = open_cage(CAGE_NAMESPACES, &a);
    struct seen in_a = look_inside(&a), in_b = look_inside(&b);
    (void)state;
    assert_true(in_a.net == in_b.net);
    assert_true(in_a.mnt != in_b.mnt);
    cage_close(&b);
    cage_close(&a);
}

/* /proc inside shows the cage's processes and no others: its init is 1. */
static enum err read_init(void *arg, struct why *why)
{
    int fd = open("/proc/1/comm", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, arg, 31);
    return n > 0 ? ERR_OK : err_errno(why, errno, "/proc/1/comm");
}

static void cage_has_a_fresh_proc(void **state)
{
    struct cage cage = open_cage(CAGE_NAMESPACES, NULL);
    char comm[32] = "";
    struct why why = {0};
    (void)state;
    check_ok(cage_run(&cage, read_init, comm, sizeof comm, &why), why);
    assert_string_equal(comm, "pitwall-cage\n");
    cage_close(&cage);
}

/* What the executor's death does: the last write end of `life` goes. */
static void dies_with_its_pipe(enum cage_mode mode)
{
    struct cage cage = open_cage(mode, NULL);
    (void)close(cage.life);
    cage.life = -1;
    assert_true(gone(cage.init));
    cage_close(&cage);
}

static void cage_dies_when_the_executor_is_gone(void **state)
{
    (void)state;
    dies_with_its_pipe(CAGE_PLAIN);
    dies_with_its_pipe(CAGE_NAMESPACES);
}

static void cage_outlives_what_a_terminal_sends(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct cage cage = open_cage(CAGE_NAMESPACES, NULL);
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(kill(cage.init, signals[i]), 0);
    (void)look_inside(&cage);
    assert_int_equal(kill(cage.init, 0), 0);
    cage_close(&cage);
}

static void cage_plain_kills_its_process_group(void **state)
{
    struct cage cage = open_cage(CAGE_PLAIN, NULL);
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        (void)setpgid(0, cage.init);
        for (;;)
            (void)pause();
    }
    (void)setpgid(pid, cage.init);
    cage_kill(&cage);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WTERMSIG(status), SIGKILL);
    cage_close(&cage);
}

static enum err write_where(void *arg, struct why *why)
{
    int fd = open(arg, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return fd < 0 ? err_errno(why, errno, "%s", (char *)arg) : ERR_OK;
}

static void cage_is_read_only_but_for_its_working_folder(void **state)
{
    const struct scratch *s = *state;
    struct why why = {0};
    struct cage cage;
    char in[100], out[100], text[10];
    assert_int_equal(mkdirat(s->fd, "work", 0700), 0);
    (void)snprintf(in, sizeof in, "%s/work", s->path);
    const char *const writable[] = {in, NULL};
    if (cage_open(&cage, CAGE_NAMESPACES, NULL, writable, &why)) {
        print_message("SKIPPED: no namespaces here: %s\n", why.text);
        skip();
    }
    (void)snprintf(in, sizeof in, "%s/work/new", s->path);
    (void)snprintf(out, sizeof out, "%s/new", s->path);
    check_ok(cage_run(&cage, write_where, in, sizeof in, &why), why);
    check_err(cage_run(&cage, write_where, out, sizeof out, &why),
              ERR_PERMISSION);
    check_says(why, "Read-only file system");
    cage_close(&cage);
    /* Nothing of that reached the world outside. */
    scratch_write(s, "new", "x", 1);
    scratch_read(s, "new", text, sizeof text);
    assert_string_equal(text, "x");
}

/* The scratch folder is in the machine's /tmp: it is seen, with its writable
 * folder; what is made beside it is the cage's alone. */
static void cage_has_a_tmp_of_its_own(void **state)
{
    const struct scratch *s = *state;
    struct why why = {0};
    struct cage cage;
    char in[100], tmp[64];
    if (strncmp(s->path, "/tmp/", 5) != 0)
        skip();
    assert_int_equal(mkdirat(s->fd, "work", 0700), 0);
    (void)snprintf(in, sizeof in, "%s/work", s->path);
    const char *const writable[] = {in, NULL};
    if (cage_open(&cage, CAGE_NAMESPACES, NULL, writable, &why)) {
        print_message("SKIPPED: no namespaces here: %s\n", why.text);
        skip();
    }
    (void)snprintf(in, sizeof in, "%s/work/new", s->path);
    (void)snprintf(tmp, sizeof tmp, "/tmp/pitwall-cage-%d", (int)getpid());
    check_ok(cage_run(&cage, write_where, in, sizeof in, &why), why);
    check_ok(cage_run(&cage, write_where, tmp, sizeof tmp, &why), why);
    cage_close(&cage);
    assert_int_equal(faccessat(s->fd, "work/new", F_OK, 0), 0);
    assert_int_equal(access(tmp, F_OK), -1);
}

/* Helpers -------------------------------------------------------------------
 */

static enum err add_one(void *arg, struct why *why)
{
    (void)why;
    ++*(int *)arg;
    return ERR_OK;
}

static enum err fail_with_news(void *arg, struct why *why)
{
    *(int *)arg = 7;
    return err_set(why, ERR_RANGE, "news");
}

static enum err drop_dead(void *arg, struct why *why)
{
    (void)arg;
    (void)why;
    _exit(3);
}

static void cage_run_brings_back_what_was_written(void **state)
{
    int n = 41;
    struct why why = {0};
    (void)state;
    check_ok(cage_run(NULL, add_one, &n, sizeof n, &why), why);
    assert_int_equal(n, 42);
    check_err(cage_run(NULL, fail_with_news, &n, sizeof n, &why), ERR_RANGE);
    assert_int_equal(n, 7);
    assert_string_equal(why.text, "news");
    check_err(cage_run(NULL, drop_dead, &n, sizeof n, &why), ERR_GONE);
    assert_int_equal(n, 7);
}

/* Settings ------------------------------------------------------------------
 */

static enum err set_rmem(void *arg, struct why *why)
{
    return sysctl_set("net.ipv4.tcp_rmem", arg, why);
}

static void sysctl_sets_rmem_in_one_namespace_only(void **state)
{
    struct cage cage = open_cage(CAGE_NAMESPACES, NULL);
    struct seen before = look_inside(NULL);
    char value[SYSCTL_VALUE_MAX] = "10240\t87380  16777216";
    struct why why = {0};
    (void)state;
    check_ok(cage_run(&cage, set_rmem, value, sizeof value, &why), why);
    assert_string_equal(look_inside(&cage).rmem, "10240 87380 16777216");
    assert_string_equal(look_inside(NULL).rmem, before.rmem);
    cage_close(&cage);
}

static void sysctl_puts_back_what_the_kernel_took_in_part(void **state)
{
    struct cage cage = open_cage(CAGE_NAMESPACES, NULL);
    struct seen before = look_inside(&cage);
    struct why why = {0};
    (void)state;
    /* The kernel takes the first of one number, and the first two of "5000
     * 6000 0", which it then refuses. */
    char one[SYSCTL_VALUE_MAX] = "8192";
    check_err(cage_run(&cage, set_rmem, one, sizeof one, &why), ERR_INVALID);
    check_says(why, "after writing \"8192\"");
    assert_string_equal(look_inside(&cage).rmem, before.rmem);
    char bad[SYSCTL_VALUE_MAX] = "5000 6000 0";
    assert_int_not_equal(cage_run(&cage, set_rmem, bad, sizeof bad, &why), 0);
    assert_string_equal(look_inside(&cage).rmem, before.rmem);
    cage_close(&cage);
}

static void sysctl_rmem_takes_three_ordered_numbers(void **state)
{
    static const uint32_t bad[][3] = {{4095, 5000, 6000},
                                      {5000, 4999, 6000},
                                      {5000, 6000, 5999},
                                      {4096, 4096, (256u << 20) + 1},
                                      {0, 0, 0}};
    char value[SYSCTL_VALUE_MAX];
    struct why why;
    (void)state;
    check_ok(sysctl_rmem(4096, 4096, 256u << 20, value, &why), why);
    assert_string_equal(value, "4096 4096 268435456");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_err(sysctl_rmem(bad[i][0], bad[i][1], bad[i][2], value, &why),
                  ERR_INVALID);
        check_says(why, "4096 <= min <= default <= max <= 268435456");
    }
}

static void sysctl_refuses_names_that_lead_elsewhere(void **state)
{
    static const char *const bad[] = {"",    ".",         "a..b", "../x",
                                      "a/b", "net.ip v4", ".net", "net."};
    char value[SYSCTL_VALUE_MAX];
    struct why why;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_err(sysctl_get(bad[i], value, &why), ERR_INVALID);
    check_err(sysctl_get("net.ipv4.tcp_nosuch", value, &why), ERR_NOTFOUND);
    check_says(why, "/proc/sys/net/ipv4/tcp_nosuch");
}

static enum err tell_which_are_its_own(void *arg, struct why *why)
{
    static const char *const names[4] = {
        "net.ipv4.tcp_sack", "net.ipv4.tcp_mem", "net.core.netdev_max_backlog",
        "kernel.panic"};
    bool *own = arg;
    (void)why;
    for (int i = 0; i < 4; i++)
        own[i] = sysctl_in_namespace(names[i]);
    return ERR_OK;
}

static void sysctl_knows_what_a_namespace_keeps(void **state)
{
    struct cage cage;
    bool own[4] = {false};
    struct why why;
    (void)state;
    check_ok(cage_open(&cage, CAGE_NAMESPACES, NULL, NULL, &why), why);
    check_ok(cage_run(&cage, tell_which_are_its_own, own, sizeof own, &why),
             why);
    cage_close(&cage);
    assert_true(own[0]);
    assert_false(own[1] || own[2] || own[3]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cage_has_namespaces_of_its_own),
        cmocka_unit_test(cage_shares_the_network_of_another),
        cmocka_unit_test(cage_has_a_fresh_proc),
        cmocka_unit_test_setup_teardown(
            cage_is_read_only_but_for_its_working_folder, scratch_open,
            scratch_close),
        cmocka_unit_test(cage_dies_when_the_executor_is_gone),
        cmocka_unit_test(cage_outlives_what_a_terminal_sends),
        cmocka_unit_test(cage_plain_kills_its_process_group),
        cmocka_unit_test_setup_teardown(cage_has_a_tmp_of_its_own, scratch_open,
                                        scratch_close),
        cmocka_unit_test(cage_run_brings_back_what_was_written),
        cmocka_unit_test(sysctl_sets_rmem_in_one_namespace_only),
        cmocka_unit_test(sysctl_puts_back_what_the_kernel_took_in_part),
        cmocka_unit_test(sysctl_rmem_takes_three_ordered_numbers),
        cmocka_unit_test(sysctl_refuses_names_that_lead_elsewhere),
        cmocka_unit_test(sysctl_knows_what_a_namespace_keeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
