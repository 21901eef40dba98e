/* A whole agent on a machine of the test's own (a network namespace) whose
 * settings it changes for link ethernet: killed at each step on the way there
 * and back, drifted from, and run out of its lease. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/spool.h"
#include "tests/integration/restore/ask.h"
#include "tests/integration/restore/bench_process.h"
#include "tests/lib/check.h"

#define RMEM_OLD "4096\t131072\t6291456\n"
#define RMEM_NEW "10240\t10240\t10240\n"

static void write_rmem(const char *value)
{
    int fd = open("/proc/sys/net/ipv4/tcp_rmem", O_WRONLY | O_CLOEXEC);
    assert_int_equal(write(fd, value, strlen(value)), (ssize_t)strlen(value));
    (void)close(fd);
}

static bool rmem_is(const char *value)
{
    char text[80] = "";
    int fd = open("/proc/sys/net/ipv4/tcp_rmem", O_RDONLY | O_CLOEXEC);
    assert_true(read(fd, text, sizeof text - 1) > 0);
    (void)close(fd);
    return !strcmp(text, value);
}

static bool mtu_is(unsigned mtu)
{
    char command[80];
    (void)snprintf(command, sizeof command,
                   "ip link show nic0 | grep -q ' mtu %u '", mtu);
    return system(command) == 0;
}

static void machine_is_as_before(void)
{
    assert_true(rmem_is(RMEM_OLD));
    assert_true(mtu_is(1500));
}

static int setup(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    *state = b;
    bench_open(b, BENCH_ROOT);
    bench_machine(b);
    write_rmem("4096 131072 6291456");
    machine_is_as_before();
    return 0;
}

static int teardown(void **state)
{
    bench_close(*state);
    free(*state);
    return 0;
}

static struct trial_spec changing(void)
{
    struct trial_spec spec = ask_spec("", "");
    (void)snprintf(spec.role, sizeof spec.role, "target");
    (void)snprintf(spec.link_kind, sizeof spec.link_kind, "ethernet");
    (void)snprintf(spec.nic, sizeof spec.nic, "mtu=1400\noffloads=off\n");
    spec.rmem_min = spec.rmem_default = spec.rmem_max = 10240;
    return spec;
}

/* One request to an agent that may die of it: false then. */
static bool call(struct bench *b, struct port_request *q)
{
    int fd = -1, plan = -1;
    struct why why;
    q->token = b->token;
    (void)snprintf(q->eid, sizeof q->eid, "%s", ASK_EID);
    q->att = 1;
    if (q->op == MSG_PREPARE) {
        plan = memfd_create("plan", MFD_CLOEXEC);
        assert_int_equal(write(plan, "{}", 2), 2);
    }
    enum err e = port_send(b->port, q, sizeof *q, plan, &why);
    struct pollfd p = {.fd = b->port, .events = POLLIN};
    if (!e && poll(&p, 1, 10000) == 1)
        e = port_receive(b->port, &b->reply, sizeof b->reply, &fd, &why);
    if (plan >= 0)
        (void)close(plan);
    return !e && b->reply.err == ERR_OK;
}

static bool reaches(struct bench *b, uint32_t tid, const char *state)
{
    for (int i = 0; i < 2000; i++) {
        struct port_request q = {.op = MSG_STATUS, .tid = tid};
        if (!call(b, &q))
            return false;
        if (!strcmp(b->reply.as.status.state, state))
            return true;
        clock_sleep_until(clock_mono_ns() + 5 * NS_PER_MS);
    }
    return false;
}

/* A whole attempt as far as the agent lives: whether it was killed. */
static bool killed_during(struct bench *b, uint32_t tid)
{
    struct port_request acquire = {.op = MSG_ACQUIRE};
    struct port_request prepare = {
        .op = MSG_PREPARE, .tid = tid, .as.spec = changing()};
    struct port_request stop = {.op = MSG_STOP, .tid = tid};
    (void)snprintf(acquire.as.acquire.owner, sizeof acquire.as.acquire.owner,
                   "experiment-a");
    acquire.as.acquire.ttl_ns = 60 * NS_PER_S;
    b->token = 0;
    bool lives = bench_try(b) && call(b, &acquire);
    b->token = b->reply.as.lease.token;
    lives = lives && call(b, &prepare) && reaches(b, tid, "prepared");
    if (lives) {
        assert_true(rmem_is(RMEM_NEW));
        assert_true(mtu_is(1400));
        lives = call(b, &stop) && reaches(b, tid, "sealed");
    }
    if (lives)
        assert_int_equal(kill(b->agent, SIGTERM), 0);
    int status = bench_wait(b);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static void machine_is_as_before_after_sigkill_at_each_step(void **state)
{
    struct bench *b = *state;
    char said[1024];
    unsigned kills = 0;
    for (b->die_at = 1; b->die_at < 200; b->die_at++) {
        if (!killed_during(b, b->die_at))
            break;
        kills++;
        /* By turns the next agent undoes it, or the option. */
        if (b->die_at % 2) {
            assert_int_equal(bench_once(b, "--restore-only", said, sizeof said),
                             0);
            assert_non_null(strstr(said, "nothing of the machine is changed"));
        } else {
            unsigned die_at = b->die_at;
            b->die_at = 0;
            bench_start(b, false);
            assert_int_equal(ask_acquire(b, "experiment-b", NS_PER_S), ERR_OK);
            assert_int_equal(kill(b->agent, SIGTERM), 0);
            (void)bench_wait(b);
            b->die_at = die_at;
        }
        machine_is_as_before();
        assert_true(bench_empty(b));
    }
    machine_is_as_before();
    /* Ten steps a change, and two for the empty journal: rmem, mtu, and as
     * many offloads as a veth has. */
    assert_true(kills > 32);
    assert_int_equal((kills - 2) % 10, 0);
}

static void settings_are_noted_with_what_the_machine_lent(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = changing();
    bench_start(b, false);
    assert_int_equal(ask_acquire(b, "experiment-a", 60 * NS_PER_S), ERR_OK);
    if (ask_prepare(b, 1, &spec))
        fail_msg("%s", b->reply.text);
    ask_until(b, 1, "prepared");
    assert_int_equal(ask_op(b, MSG_STOP, 1), ERR_OK);
    ask_until(b, 1, "sealed");
    ask_contains(b, 1, SPOOL_EXECUTOR, "\"machine\":[\"net.ipv4.tcp_rmem\"]");
    ask_contains(b, 1, SPOOL_EXECUTOR,
                 "\"nic\":{\"mtu\":\"1400\",\"offloads\":\"off\"}");
    ask_contains(b, 1, SPOOL_EXECUTOR,
                 "\"dev\":\"nic0\",\"address\":\"10.79.0.1\","
                 "\"mtu\":1400");
    machine_is_as_before();
}

static void lease_that_runs_out_leaves_the_machine_as_before(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = changing();
    bench_start(b, false);
    assert_int_equal(ask_acquire(b, "experiment-a", NS_PER_S), ERR_OK);
    assert_int_equal(ask_prepare(b, 1, &spec), ERR_OK);
    assert_true(rmem_is(RMEM_NEW));
    ask_sealed(b, 1, "aborted", "the lease of experiment-a expired");
    machine_is_as_before();
}

static void drift_is_not_clobbered_and_no_lease_is_given(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = changing();
    char said[1024];
    bench_start(b, false);
    assert_int_equal(ask_acquire(b, "experiment-a", 60 * NS_PER_S), ERR_OK);
    assert_int_equal(ask_prepare(b, 1, &spec), ERR_OK);
    ask_until(b, 1, "prepared");
    write_rmem("4096 20480 40960");
    assert_int_equal(ask_op(b, MSG_STOP, 1), ERR_OK);
    ask_until(b, 1, "sealed");
    assert_true(rmem_is("4096\t20480\t40960\n"));
    assert_true(mtu_is(1500));
    assert_int_equal(ask_acquire(b, "experiment-b", NS_PER_S), ERR_HELD);
    assert_int_equal(ask_acquire(b, "experiment-a", NS_PER_S), ERR_STATE);
    assert_non_null(strstr(b->reply.text, "net.ipv4.tcp_rmem was changed by "
                                          "somebody else"));
    assert_int_equal(kill(b->agent, SIGKILL), 0);
    (void)bench_wait(b);
    assert_int_equal(bench_once(b, "--restore-only", said, sizeof said), 1);
    assert_non_null(strstr(said, "changed by somebody else"));
    bench_start(b, false);
    assert_int_equal(ask_acquire(b, "experiment-a", NS_PER_S), ERR_STATE);
    struct port_request settle = {.op = MSG_SETTLE};
    assert_int_equal(ask_call(b, &settle, -1), ERR_OK);
    const struct msg_settled *told = &b->reply.as.settled;
    assert_non_null(strstr(told->held, "changed by somebody else"));
    assert_string_equal(
        told->changes,
        "sysctl net.ipv4.tcp_rmem: \"4096 131072 6291456\" -> "
        "\"10240 10240 10240\", drift; would leave \"4096 20480 40960\" as it "
        "is\n");
    settle.as.settle.release = 1;
    assert_int_equal(ask_call(b, &settle, -1), ERR_OK);
    assert_string_equal(told->held, "");
    assert_int_equal(ask_acquire(b, "experiment-a", NS_PER_S), ERR_OK);
    assert_true(rmem_is("4096\t20480\t40960\n"));
}

int main(int argc, char **argv)
{
#define ON_MACHINE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        ON_MACHINE(machine_is_as_before_after_sigkill_at_each_step),
        ON_MACHINE(settings_are_noted_with_what_the_machine_lent),
        ON_MACHINE(lease_that_runs_out_leaves_the_machine_as_before),
        ON_MACHINE(drift_is_not_clobbered_and_no_lease_is_given),
    };
    bench_programs(argc, argv);
    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
