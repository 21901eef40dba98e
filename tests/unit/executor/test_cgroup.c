#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/executor/cgroup.h"
#include "agent/executor/small_file.h"
#include "agent/executor/sweeper.h"
#include "common/clock.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/scratch.h"

static struct why why;
static const struct limits none = {0};

/* The machine's own groups; without them the test is skipped. */
static struct groups here(void)
{
    struct groups g;
    groups_open(&g);
    if (!g.n) {
        print_message("skipped: %s\n", g.missing);
        skip();
    }
    return g;
}

static bool there(const struct groups *g, const char *part)
{
    char name[CGROUP_NAME_MAX];
    (void)snprintf(name, sizeof name, "%s%s", g->prefix, part);
    for (size_t i = 0; i < g->n; i++)
        if (!faccessat(g->trees[i].dir, name, F_OK, 0))
            return true;
    return false;
}

/* A process in the group whose child leaves its session and forks again, as
 * daemons do; *stray is that one. They close the descriptor other (-1: none),
 * as an exec would. */
static pid_t hydra(const struct cgroup *c, int other, pid_t *stray)
{
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (cgroup_join(c))
            _exit(9);
        if (other >= 0)
            (void)close(other);
        if (fork() == 0) {
            (void)setsid();
            pid_t last = fork();
            if (last > 0)
                (void)!write(told[1], &last, sizeof last);
            pause();
        }
        pause();
    }
    assert_int_equal(read(told[0], stray, sizeof *stray), sizeof *stray);
    (void)close(told[0]);
    (void)close(told[1]);
    return pid;
}

static bool lives(pid_t pid)
{
    char path[40], text[300] = "";
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (!small_file_read(AT_FDCWD, path, text, sizeof text))
        return false;
    return strrchr(text, ')')[2] != 'Z';
}

static void check_dead(pid_t pid)
{
    uint64_t due_ns = clock_mono_ns() + 2 * NS_PER_S;
    while (lives(pid) && clock_mono_ns() < due_ns)
        clock_sleep_until(clock_mono_ns() + NS_PER_MS);
    assert_false(lives(pid));
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ; /* orphans come to us */
}

static void kills_all(const struct groups *g)
{
    struct cgroup c;
    pid_t stray = 0;
    int status = 0;
    check_ok(cgroup_open(&c, g, "target", &none, &why), why);
    pid_t pid = hydra(&c, -1, &stray);
    assert_true(lives(stray));
    assert_true(cgroup_close(&c));
    assert_false(there(g, "target"));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WTERMSIG(status), SIGKILL);
    check_dead(stray);
}

static void cgroup_kills_what_forked_away(void **state)
{
    struct groups g = here();
    (void)state;
    kills_all(&g);
    groups_close(&g);
}

/* The same where the kernel has no cgroup.kill: by the freezer, if there is
 * one. */
static void cgroup_kills_by_number_without_the_unified_tree(void **state)
{
    struct groups g = here();
    (void)state;
    if (g.trees[0].v2) {
        (void)close(g.trees[0].dir);
        memmove(g.trees, g.trees + 1, --g.n * sizeof *g.trees);
    }
    if (g.n)
        kills_all(&g);
    groups_close(&g);
}

static void cgroup_limits_are_in_force(void **state)
{
    struct groups g = here();
    struct cgroup c;
    struct cgroup_events seen;
    const struct limits limits = {
        .memory_bytes = 16u << 20, .cpus_milli = 500, .pids = 3};
    (void)state;
    if ((g.can & HIERARCHY_LIMITS) != HIERARCHY_LIMITS) {
        print_message("skipped: %s\n", g.missing);
        groups_close(&g);
        skip();
    }
    check_ok(cgroup_open(&c, &g, "target", &limits, &why), why);
    pid_t pid = fork();
    if (pid == 0) {
        if (cgroup_join(&c))
            _exit(9);
        /* The third process is the last that the limit lets there be. */
        if (fork() == 0 || fork() == 0)
            pause();
        if (fork() >= 0 || errno != EAGAIN)
            _exit(8);
        volatile char *p = malloc(64u << 20);
        for (size_t i = 0; p && i < 64u << 20; i += 4096)
            p[i] = 1;
        _exit(7);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
    cgroup_read(&c, &seen);
    assert_int_equal(seen.pids_refused, 1);
    assert_true(seen.oom_kills >= 1);
    assert_true(seen.memory_peak_bytes <= 16u << 20);
    assert_true(cgroup_close(&c));
    groups_close(&g);
}

static void put(int dir, const char *name, const char *text)
{
    int fd = openat(dir, name, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    (void)close(fd);
}

static void check_file(int dir, const char *name, const char *text)
{
    char got[100];
    assert_true(small_file_read(dir, name, got, sizeof got));
    assert_string_equal(got, text);
}

/* What Debian 12 has, played by a folder of files. */
static void cgroup_writes_and_reads_the_files_of_v2(void **state)
{
    const struct scratch *s = *state;
    struct groups g = {.n = 1, .can = HIERARCHY_LIMITS};
    struct cgroup c;
    struct cgroup_events seen;
    const struct limits limits = {
        .memory_bytes = 1u << 30, .cpus_milli = 1500, .pids = 77};
    g.trees[0].v2 = true;
    g.trees[0].can = HIERARCHY_LIMITS;
    g.trees[0].dir = s->fd;
    assert_int_equal(mkdirat(s->fd, "a", 0700), 0);
    cgroup_find(&c, &g, "a");
    put(c.dirs[0], "memory.max", "");
    put(c.dirs[0], "memory.swap.max", "");
    put(c.dirs[0], "cpu.max", "");
    put(c.dirs[0], "pids.max", "");
    check_ok(cgroup_limit(&c, &limits, &why), why);
    check_file(c.dirs[0], "memory.max", "1073741824");
    check_file(c.dirs[0], "memory.swap.max", "0");
    check_file(c.dirs[0], "cpu.max", "150000 100000"); /* of 100 ms */
    check_file(c.dirs[0], "pids.max", "77");
    put(c.dirs[0], "memory.events", "low 0\nmax 9\noom 2\noom_kill 1\n");
    put(c.dirs[0], "memory.peak", "4096\n");
    put(c.dirs[0], "cpu.stat",
        "usage_usec 5\nnr_throttled 3\nthrottled_usec 250\n");
    put(c.dirs[0], "pids.events", "max 4\n");
    cgroup_read(&c, &seen);
    assert_int_equal(seen.oom_kills, 1);
    assert_int_equal(seen.memory_peak_bytes, 4096);
    assert_int_equal(seen.throttled, 3);
    assert_int_equal(seen.throttled_ns, 250000);
    assert_int_equal(seen.pids_refused, 4);
    (void)close(c.dirs[0]);
}

static void cgroup_says_which_limit_cannot_be_had(void **state)
{
    const struct scratch *s = *state;
    struct groups g = {.n = 1, .missing = "no limits of memory: ..."};
    struct cgroup c;
    const struct limits limits = {.memory_bytes = 1u << 30};
    (void)snprintf(g.prefix, sizeof g.prefix, "p.");
    g.trees[0].dir = s->fd;
    assert_int_equal(cgroup_open(&c, &g, "load", &limits, &why),
                     ERR_UNSUPPORTED);
    assert_string_equal(why.text, "control group of load: limit of memory: no "
                                  "limits of memory: ...");
    assert_false(there(&g, "load"));
    /* Where there is nothing at all, nothing is done. */
    g.n = 0;
    check_ok(cgroup_open(&c, &g, "load", &none, &why), why);
    assert_int_equal(cgroup_join(&c), 0);
    assert_true(cgroup_close(&c));
}

static void groups_of_the_dead_are_known_by_their_name(void **state)
{
    static const char own[] = "pitwall.42.7.1000.";
    char name[CGROUP_NAME_MAX];
    struct groups g;
    (void)state;
    /* A process of another start, and none at all. */
    (void)snprintf(name, sizeof name, "pitwall.42.%d.5.load", (int)getpid());
    assert_true(groups_name_is_dead(name, own));
    assert_true(groups_name_is_dead("pitwall.42.4194304.5.load", own));
    /* Numbers of another namespace say nothing; other names are others'. */
    assert_false(groups_name_is_dead("pitwall.43.4194304.5.load", own));
    assert_false(groups_name_is_dead("pitwall.42", own));
    assert_false(groups_name_is_dead("user.slice", own));
    groups_open(&g);
    assert_false(groups_name_is_dead(g.prefix, g.prefix));
    groups_close(&g);
}

static void groups_sweep_takes_those_of_a_dead_agent(void **state)
{
    struct groups g = here();
    struct cgroup c;
    (void)state;
    char own[GROUPS_PREFIX_MAX], *dead = g.prefix;
    (void)snprintf(own, sizeof own, "%s", g.prefix);
    unsigned long long ns = 0;
    assert_int_equal(sscanf(own, "pitwall.%llu.", &ns), 1);
    (void)snprintf(dead, sizeof g.prefix, "pitwall.%llu.4194304.5.", ns);
    pid_t stray = 0;
    check_ok(cgroup_open(&c, &g, "target", &none, &why), why);
    pid_t pid = hydra(&c, -1, &stray);
    (void)snprintf(g.prefix, sizeof g.prefix, "%s", own);
    assert_true(groups_sweep(&g, false) >= 1);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    check_dead(stray);
    (void)snprintf(g.prefix, sizeof g.prefix, "pitwall.%llu.4194304.5.", ns);
    assert_false(there(&g, "target"));
    groups_close(&g);
}

static void sweeper_removes_the_groups_of_a_killed_owner(void **state)
{
    int told[2];
    (void)state;
    struct groups g = here();
    groups_close(&g);
    assert_int_equal(pipe(told), 0);
    pid_t owner = fork();
    if (owner == 0) {
        struct sweeper s;
        struct cgroup c;
        pid_t stray = 0;
        groups_open(&g);
        if (sweeper_start(&s, &g, &why) ||
            cgroup_open(&c, &g, "load", &none, &why))
            _exit(1);
        (void)hydra(&c, s.life, &stray);
        (void)!write(told[1], &g.prefix, sizeof g.prefix);
        (void)!write(told[1], &stray, sizeof stray);
        (void)kill(getpid(), SIGKILL);
    }
    pid_t stray = 0;
    groups_open(&g);
    assert_int_equal(read(told[0], g.prefix, sizeof g.prefix), sizeof g.prefix);
    assert_int_equal(read(told[0], &stray, sizeof stray), sizeof stray);
    (void)waitpid(owner, NULL, 0);
    check_dead(stray);
    uint64_t due_ns = clock_mono_ns() + 2 * NS_PER_S;
    while (there(&g, "load") && clock_mono_ns() < due_ns)
        clock_sleep_until(clock_mono_ns() + NS_PER_MS);
    assert_false(there(&g, "load"));
    groups_close(&g);
    (void)close(told[0]);
    (void)close(told[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cgroup_kills_what_forked_away),
        cmocka_unit_test(cgroup_kills_by_number_without_the_unified_tree),
        cmocka_unit_test(cgroup_limits_are_in_force),
        cmocka_unit_test_setup_teardown(cgroup_writes_and_reads_the_files_of_v2,
                                        scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(cgroup_says_which_limit_cannot_be_had,
                                        scratch_open, scratch_close),
        cmocka_unit_test(groups_of_the_dead_are_known_by_their_name),
        cmocka_unit_test(groups_sweep_takes_those_of_a_dead_agent),
        cmocka_unit_test(sweeper_removes_the_groups_of_a_killed_owner),
    };
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
