/* What is left when somebody dies: the executor in any state, its parent, its
 * gate, its operator's patience. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/spool.h"
#include "tests/integration/restore/ask.h"
#include "tests/integration/restore/bench_process.h"
#include "tests/lib/check.h"

#define TTL_NS (60 * NS_PER_S)

static int setup(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    *state = b;
    bench_open(b, BENCH_ROOT);
    return 0;
}

static int teardown(void **state)
{
    bench_close(*state);
    free(*state);
    return 0;
}

static void begin(struct bench *b, bool parent)
{
    bench_start(b, parent);
    assert_int_equal(ask_acquire(b, "experiment-a", TTL_NS), ERR_OK);
}

static struct trial_spec veth(const char *target_as, const char *load_as)
{
    struct trial_spec spec = ask_spec(target_as, load_as);
    (void)snprintf(spec.link_kind, sizeof spec.link_kind, "veth");
    spec.link_rate_bit = 200000000;
    return spec;
}

/* Bring attempt 1 to a state and leave it there. */
static void reach(struct bench *b, const char *state)
{
    bool preparing = !strcmp(state, "preparing");
    struct trial_spec spec = veth(preparing ? "unready" : "",
                                  !strcmp(state, "stopping") ? "deaf" : "");
    assert_int_equal(ask_prepare(b, 1, &spec), ERR_OK);
    if (preparing)
        return;
    ask_until(b, 1, "prepared");
    if (!strcmp(state, "prepared"))
        return;
    assert_int_equal(ask_op(b, MSG_ARM, 1), ERR_OK);
    ask_until(b, 1, "armed");
    if (!strcmp(state, "armed"))
        return;
    bool sealed = !strcmp(state, "sealed");
    assert_int_equal(ask_start_at(b, 1, sealed ? NS_PER_MS : 20 * NS_PER_S),
                     ERR_OK);
    if (!strcmp(state, "stopping"))
        assert_int_equal(ask_op(b, MSG_STOP, 1), ERR_OK);
    ask_until(b, 1, state);
}

static void kill_agent(struct bench *b)
{
    assert_int_equal(kill(b->agent, SIGKILL), 0);
    assert_true(WIFSIGNALED(bench_wait(b)));
}

/* Everything is gone within two seconds, and the next executor seals. */
static void executor_killed_in(struct bench *b, const char *state)
{
    struct bench_netns netns[BENCH_NETNS_MAX];
    begin(b, false);
    reach(b, state);
    bool sealed = !strcmp(state, "sealed");
    unsigned n = bench_netns(b, netns);
    assert_int_equal(n, sealed ? 0 : 2); /* the two ends of a veth link */
    uint64_t token = b->token;
    kill_agent(b);
    assert_true(bench_empty(b));
    assert_false(bench_netns_left(netns, n));

    begin(b, false);
    assert_int_equal(b->reply.incarnation, 2);
    assert_int_equal(b->token, token + 1);
    if (sealed)
        ask_sealed(b, 1, "ok", "");
    else
        ask_sealed(b, 1, "aborted", "the agent ended during the attempt");
    ask_contains(b, 1, SPOOL_EXECUTOR, "tbf rate 25000000B/s");
    struct trial_spec spec = veth("", "");
    ask_running(b, 2, &spec, 20 * NS_PER_MS);
    ask_sealed(b, 2, "ok", "");
}

#define KILLED_IN(name)                                                        \
    static void executor_killed_when_##name##_leaves_nothing(void **state)     \
    {                                                                          \
        executor_killed_in(*state, #name);                                     \
    }
KILLED_IN(preparing)
KILLED_IN(prepared)
KILLED_IN(armed)
KILLED_IN(running)
KILLED_IN(stopping)
KILLED_IN(sealed)

static void executor_killed_at_any_moment_leaves_nothing(void **state)
{
    struct bench *b = *state;
    for (uint64_t us = 0; us < 60000; us += 4000) {
        begin(b, false);
        struct port_request q = {
            .op = MSG_PREPARE, .eid = ASK_EID, .att = 1, .token = b->token};
        struct why why = {0};
        q.tid = (uint32_t)(1 + us / 4000);
        q.as.spec = veth("", "");
        int plan[2];
        assert_int_equal(pipe(plan), 0);
        check_ok(port_send(b->port, &q, sizeof q, plan[0], &why), why);
        clock_sleep_until(clock_mono_ns() + us * 1000);
        kill_agent(b);
        (void)close(plan[0]);
        (void)close(plan[1]);
        assert_true(bench_empty(b));
    }
    begin(b, false);
    for (uint32_t tid = 1; tid <= 15; tid++)
        if (ask_op(b, MSG_STATUS, tid) != ERR_NOTFOUND)
            ask_sealed(b, tid, "aborted", "the agent ended");
}

static void parents_end_of_file_ends_everything_at_once(void **state)
{
    struct bench *b = *state;
    begin(b, true);
    reach(b, "running");
    (void)close(b->parent);
    b->parent = -1;
    assert_int_equal(bench_wait(b), 0);
    assert_true(bench_empty(b));
    begin(b, false);
    ask_sealed(b, 1, "aborted", "the program that started this agent is gone");
}

static void sigterm_stops_in_good_order(void **state)
{
    struct bench *b = *state;
    begin(b, false);
    reach(b, "running");
    assert_int_equal(kill(b->agent, SIGTERM), 0);
    assert_int_equal(bench_wait(b), 0);
    assert_true(bench_empty(b));
    begin(b, false);
    ask_sealed(b, 1, "aborted", "stopped: the agent was told to end");
    ask_contains(b, 1, SPOOL_TARGET_FINAL, "\"outcome\":\"ok\"");
    ask_contains(b, 1, SPOOL_WATCH_LOAD, "last samples");
}

static void second_sigterm_does_not_wait(void **state)
{
    struct bench *b = *state;
    begin(b, false);
    struct trial_spec spec = veth("deaf", "deaf");
    ask_running(b, 1, &spec, 20 * NS_PER_S);
    assert_int_equal(kill(b->agent, SIGTERM), 0);
    ask_until(b, 1, "stopping");
    assert_int_equal(kill(b->agent, SIGINT), 0);
    assert_int_equal(bench_wait(b), 0);
    assert_true(bench_empty(b));
}

static void
gate_that_dies_is_started_again_and_nothing_else_notices(void **state)
{
    struct bench *b = *state;
    begin(b, false);
    reach(b, "running");
    assert_true(bench_kill(b, "pitwall-gate"));
    bench_take_port(b);
    ask_until(b, 1, "running");
    assert_int_equal(b->gate_uid, 65534);
    assert_int_equal(ask_op(b, MSG_STOP, 1), ERR_OK);
    ask_sealed(b, 1, "aborted", "by command");
}

/* The kernel ends its namespace with it: the parts are gone, the attempt has
 * failed, the agent goes on. */
static void cages_init_that_is_killed_fails_the_attempt(void **state)
{
    struct bench *b = *state;
    begin(b, false);
    reach(b, "running");
    assert_int_equal(bench_kill_named(b, "pitwall-cage"), 2);
    ask_until(b, 1, "sealed");
    assert_string_equal(b->reply.as.status.outcome, "failed");
    assert_int_equal(bench_kill_named(b, "pitwall-cage"), 0);
    struct trial_spec spec = veth("", "");
    ask_running(b, 2, &spec, 20 * NS_PER_MS);
    ask_sealed(b, 2, "ok", "");
}

/* Groups have names and stay: the next agent knows whose they were. */
static void
executor_killed_with_its_sweeper_leaves_groups_to_the_next(void **state)
{
    struct bench *b = *state;
    begin(b, false);
    reach(b, "running");
    if (!bench_groups(b)) {
        print_message("SKIPPED: no control groups here\n");
        skip();
    }
    assert_int_equal(bench_kill_named(b, "pitwall-sweep"), 1);
    kill_agent(b);
    uint64_t due_ns = clock_mono_ns() + 2 * NS_PER_S;
    while (bench_processes(b) && clock_mono_ns() < due_ns)
        clock_sleep_until(clock_mono_ns() + 5 * NS_PER_MS);
    assert_int_equal(bench_processes(b), 0);
    assert_true(bench_groups(b));
    pid_t dead = b->last;
    begin(b, false);
    pid_t lives = b->last;
    b->last = dead;
    assert_false(bench_groups(b));
    b->last = lives;
}

static void gate_that_cannot_begin_ends_the_agent(void **state)
{
    struct bench *b = *state;
    char out[2000];
    /* The fake gate exits with 1 where the URL is not a socket of ours. */
    int status = bench_once(b, "--listen=ipc:///nowhere/x", out, sizeof out);
    assert_int_equal(status, 1);
    assert_non_null(strstr(out, "the gate ended with status 1, see above"));
}

static void second_agent_is_refused_in_one_line(void **state)
{
    struct bench *b = *state;
    char out[2000];
    begin(b, false);
    assert_int_equal(bench_once(b, "--listen=ipc:///x", out, sizeof out), 1);
    assert_non_null(strstr(out, "pitwall-agent: state folder /tmp/"));
    assert_non_null(strstr(out, "another pitwall-agent has it"));
    assert_ptr_equal(strchr(out, '\n'), out + strlen(out) - 1);
    assert_int_equal(bench_once(b, "--restore-only", out, sizeof out), 1);
}

static void restore_only_seals_and_exits(void **state)
{
    struct bench *b = *state;
    char out[2000];
    begin(b, false);
    reach(b, "running");
    kill_agent(b);
    assert_int_equal(bench_once(b, "--restore-only", out, sizeof out), 0);
    /* Before it may stand that it was faster than the dead agent's sweeper. */
    assert_non_null(strstr(out, "unfinished attempts sealed: 1\n"
                                "nothing of the machine is changed\n"));
    assert_int_equal(bench_once(b, "--restore-only", out, sizeof out), 0);
    assert_string_equal(out, "unfinished attempts sealed: 0\n"
                             "nothing of the machine is changed\n");
}

static void check_tells_what_can_be_done(void **state)
{
    struct bench *b = *state;
    char out[2000];
    assert_int_equal(bench_once(b, "--check", out, sizeof out), 0);
    assert_non_null(strstr(out, "\nfeatures=netns,veth"));
    assert_non_null(strstr(out, "\nmissing="));
}

#define ON_BENCH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(int argc, char **argv)
{
    bench_programs(argc, argv);
    const struct CMUnitTest tests[] = {
        ON_BENCH(executor_killed_when_preparing_leaves_nothing),
        ON_BENCH(executor_killed_when_prepared_leaves_nothing),
        ON_BENCH(executor_killed_when_armed_leaves_nothing),
        ON_BENCH(executor_killed_when_running_leaves_nothing),
        ON_BENCH(executor_killed_when_stopping_leaves_nothing),
        ON_BENCH(executor_killed_when_sealed_leaves_nothing),
        ON_BENCH(executor_killed_at_any_moment_leaves_nothing),
        ON_BENCH(parents_end_of_file_ends_everything_at_once),
        ON_BENCH(sigterm_stops_in_good_order),
        ON_BENCH(second_sigterm_does_not_wait),
        ON_BENCH(gate_that_dies_is_started_again_and_nothing_else_notices),
        ON_BENCH(cages_init_that_is_killed_fails_the_attempt),
        ON_BENCH(executor_killed_with_its_sweeper_leaves_groups_to_the_next),
        ON_BENCH(gate_that_cannot_begin_ends_the_agent),
        ON_BENCH(second_agent_is_refused_in_one_line),
        ON_BENCH(restore_only_seals_and_exits),
        ON_BENCH(check_tells_what_can_be_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
