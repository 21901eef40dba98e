#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/executor/process.h"
#include "common/clock.h"
#include "tests/lib/check.h"

/* The children of these tests are Debian's own small programs. */
#define SLEEP "/bin/sleep"
#define SH    "/bin/sh"

static struct cage plain(void)
{
    struct cage cage;
    struct why why = {0};
    check_ok(cage_open(&cage, CAGE_PLAIN, NULL, NULL, &why), why);
    return cage;
}

static struct process_plan plan_of(const struct cage *cage, char *const *argv)
{
    static char *const env[] = {"A=b", NULL};
    return (struct process_plan){.path = argv[0],
                                 .argv = argv,
                                 .env = env,
                                 .cwd = "/",
                                 .cage = cage,
                                 .plan = -1};
}

/* All that comes from fd until its end. */
static void read_all(int fd, char *buf, size_t size)
{
    size_t used = 0;
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        (void)poll(&p, 1, 5000);
        ssize_t n = read(fd, buf + used, size - 1 - used);
        if (n == 0)
            break;
        assert_true(n > 0);
        used += (size_t)n;
    }
    buf[used] = '\0';
}

static int status_of(struct process *p)
{
    struct pollfd fd = {.fd = p->pidfd, .events = POLLIN};
    int status = -1;
    assert_int_equal(poll(&fd, 1, 5000), 1);
    assert_true(process_reap(p, &status));
    assert_false(process_reap(p, &status));
    return status;
}

static void process_has_its_pipes_plan_folder_and_environment(void **state)
{
    char *const argv[] = {SH, "-c",
                          "cat <&5 >&4; pwd >&4; echo $A$HOME >&4; echo no >&2;"
                          "ls /proc/self/fd >&4; exit 3",
                          NULL};
    struct cage cage = plain();
    struct process p;
    struct why why = {0};
    char out[200], err[20];
    (void)state;
    int plan = memfd_create("plan", MFD_CLOEXEC);
    assert_int_equal(write(plan, "{}\n", 3), 3);
    assert_int_equal(lseek(plan, 0, SEEK_SET), 0);
    struct process_plan how = plan_of(&cage, argv);
    how.plan = plan;
    check_ok(process_start(&p, &how, &why), why);
    read_all(p.data, out, sizeof out);
    read_all(p.err, err, sizeof err);
    /* Of ls: 0-5, and 6, the folder that it reads. */
    assert_string_equal(out, "{}\n/\nb\n0\n1\n2\n3\n4\n5\n6\n");
    assert_string_equal(err, "no\n");
    assert_int_equal(WEXITSTATUS(status_of(&p)), 3);
    process_close(&p);
    cage_close(&cage);
    (void)close(plan);
}

static void process_runs_where_it_is_pinned(void **state)
{
    char *const argv[] = {SH, "-c",
                          "grep Cpus_allowed_list /proc/self/status"
                          " >&4",
                          NULL};
    struct cage cage = plain();
    struct process p;
    struct why why = {0};
    char out[100];
    cpu_set_t cpus, first;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof cpus, &cpus), 0);
    unsigned cpu = 0;
    while (!CPU_ISSET(cpu, &cpus))
        cpu++;
    CPU_ZERO(&first);
    CPU_SET(cpu, &first);
    struct process_plan how = plan_of(&cage, argv);
    how.cpus = &first;
    check_ok(process_start(&p, &how, &why), why);
    read_all(p.data, out, sizeof out);
    assert_int_equal(strtoul(out + strlen("Cpus_allowed_list:\t"), NULL, 10),
                     cpu);
    assert_null(strchr(out, '-'));
    process_close(&p);
    cage_close(&cage);
}

static void process_names_the_step_that_failed(void **state)
{
    char *const absent[] = {"/no/such/program", NULL};
    char *const sleeps[] = {SLEEP, "60", NULL};
    struct cage cage = plain();
    struct process p;
    struct why why = {0};
    (void)state;
    struct process_plan how = plan_of(&cage, absent);
    check_err(process_start(&p, &how, &why), ERR_NOTFOUND);
    check_says(why, "start /no/such/program: exec: No such file");
    assert_int_equal(p.pid, 0);
    assert_int_equal(p.control, -1);
    how = plan_of(&cage, sleeps);
    how.cwd = "/no/such/folder";
    check_err(process_start(&p, &how, &why), ERR_NOTFOUND);
    check_says(why, "start /bin/sleep: change to its folder");
    cage_close(&cage);
}

static void process_is_heard_and_told_on_its_control_socket(void **state)
{
    /* One packet is read and sent back. */
    char *const argv[] = {SH, "-c",
                          "exec dd bs=512 count=1 status=none <&3 >&3", NULL};
    struct cage cage = plain();
    struct process p;
    struct why why = {0};
    struct child_msg sent = {.kind = CHILD_ARM, .docs = 5}, got;
    (void)state;
    struct process_plan how = plan_of(&cage, argv);
    check_ok(process_start(&p, &how, &why), why);
    check_ok(process_send(&p, &sent, &why), why);
    struct pollfd fd = {.fd = p.control, .events = POLLIN};
    assert_int_equal(poll(&fd, 1, 5000), 1);
    check_ok(child_receive(p.control, &got, &why), why);
    assert_int_equal(got.docs, 5);
    assert_int_equal(status_of(&p), 0);
    check_err(process_send(&p, &sent, &why), ERR_GONE);
    process_close(&p);
    check_err(process_send(&p, &sent, &why), ERR_GONE);
    cage_close(&cage);
}

static void process_is_killed_and_reaped_by_closing(void **state)
{
    char *const argv[] = {SLEEP, "60", NULL};
    struct cage cage = plain();
    struct process p;
    struct why why = {0};
    (void)state;
    struct process_plan how = plan_of(&cage, argv);
    check_ok(process_start(&p, &how, &why), why);
    pid_t pid = p.pid;
    assert_int_equal(kill(pid, 0), 0);
    process_close(&p);
    assert_int_equal(kill(pid, 0), -1);
    assert_int_equal(errno, ESRCH);
    process_close(&p);
    cage_close(&cage);
}

static void process_in_namespaces_is_our_child_and_not_their_init(void **state)
{
    char *const argv[] = {SH, "-c", "echo $$ $PPID >&4; kill -9 $$", NULL};
    struct cage cage;
    struct process p;
    struct why why = {0};
    char out[40];
    (void)state;
    if (cage_open(&cage, CAGE_NAMESPACES, NULL, NULL, &why)) {
        print_message("SKIPPED: no namespaces here: %s\n", why.text);
        skip();
    }
    struct process_plan how = plan_of(&cage, argv);
    check_ok(process_start(&p, &how, &why), why);
    read_all(p.data, out, sizeof out);
    /* 1 is the stub; a parent outside is 0. */
    assert_string_equal(out, "2 0\n");
    assert_int_equal(WTERMSIG(status_of(&p)), SIGKILL);
    process_close(&p);
    cage_close(&cage);
}

static void process_of_a_killed_cage_is_killed(void **state)
{
    char *const argv[] = {SH, "-c",
                          "setsid sleep 60 & echo up >&4; exec "
                          "sleep 60",
                          NULL};
    struct cage cage;
    struct process p;
    struct why why = {0};
    char byte;
    (void)state;
    if (cage_open(&cage, CAGE_NAMESPACES, NULL, NULL, &why)) {
        print_message("SKIPPED: no namespaces here: %s\n", why.text);
        skip();
    }
    struct process_plan how = plan_of(&cage, argv);
    check_ok(process_start(&p, &how, &why), why);
    (void)fcntl(p.data, F_SETFL, 0);
    assert_int_equal(read(p.data, &byte, 1), 1);
    cage_kill(&cage);
    assert_int_equal(WTERMSIG(status_of(&p)), SIGKILL);
    /* The one with a session of its own held the pipe; its end proves it. */
    char rest[20];
    read_all(p.data, rest, sizeof rest);
    process_close(&p);
    cage_close(&cage);
}

/* Last words
 * ------------------------------------------------------------------- */

static void note(struct process *p, const char *text)
{
    process_note(p, text, strlen(text));
}

static void process_keeps_the_last_line_of_stderr(void **state)
{
    struct process p = PROCESS_NONE;
    (void)state;
    assert_string_equal(process_last_line(&p), "");
    note(&p, "one\ntw");
    assert_string_equal(process_last_line(&p), "tw");
    note(&p, "o\n");
    assert_string_equal(process_last_line(&p), "two");
    note(&p, "\n\n");
    assert_string_equal(process_last_line(&p), "two");
}

static void process_cuts_a_line_without_end(void **state)
{
    struct process p = PROCESS_NONE;
    (void)state;
    for (int i = 0; i < 1000; i++)
        note(&p, "0123456789");
    assert_int_equal(strlen(process_last_line(&p)), PROCESS_LINE_MAX - 1);
    note(&p, "\nend\n");
    assert_string_equal(process_last_line(&p), "end");
}

static void bare_process_has_its_outputs_and_no_other_descriptor(void **state)
{
    char *const argv[] = {SH, "-c", "echo out; echo err >&2; ls /proc/self/fd",
                          NULL};
    struct cage cage = plain();
    struct process p;
    struct why why = {0};
    char err[200];
    (void)state;
    struct process_plan how = plan_of(&cage, argv);
    how.bare = true;
    check_ok(process_start(&p, &how, &why), why);
    assert_int_equal(p.control, -1);
    assert_int_equal(p.data, -1);
    read_all(p.err, err, sizeof err);
    /* 3 is the folder that ls reads */
    assert_string_equal(err, "out\nerr\n0\n1\n2\n3\n");
    assert_int_equal(status_of(&p), 0);
    process_close(&p);
    cage_close(&cage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(process_has_its_pipes_plan_folder_and_environment),
        cmocka_unit_test(process_runs_where_it_is_pinned),
        cmocka_unit_test(process_names_the_step_that_failed),
        cmocka_unit_test(process_is_heard_and_told_on_its_control_socket),
        cmocka_unit_test(process_is_killed_and_reaped_by_closing),
        cmocka_unit_test(process_in_namespaces_is_our_child_and_not_their_init),
        cmocka_unit_test(process_of_a_killed_cage_is_killed),
        cmocka_unit_test(process_keeps_the_last_line_of_stderr),
        cmocka_unit_test(process_cuts_a_line_without_end),
        cmocka_unit_test(bare_process_has_its_outputs_and_no_other_descriptor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
