/* Leases with times of less than a second, through a whole agent. */
#include <signal.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/spool.h"
#include "tests/integration/restore/ask.h"
#include "tests/lib/check.h"

static int setup(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    *state = b;
    bench_open(b, BENCH_ROOT);
    bench_start(b, false);
    return 0;
}

static int teardown(void **state)
{
    bench_close(*state);
    free(*state);
    return 0;
}

static enum err renew(struct bench *b, uint64_t token, uint64_t ttl_ns)
{
    struct port_request q = {.op = MSG_RENEW, .token = token};
    q.as.renew.ttl_ns = ttl_ns;
    return ask_call(b, &q, -1);
}

static void lease_of_another_is_held_with_owner_and_time_left(void **state)
{
    struct bench *b = *state;
    assert_int_equal(ask_acquire(b, "experiment-a", 60 * NS_PER_S), ERR_OK);
    assert_int_equal(b->token, 1);
    assert_true(b->reply.lease_left_ns > 59 * NS_PER_S);
    assert_int_equal(ask_acquire(b, "experiment-b", NS_PER_S), ERR_HELD);
    assert_non_null(strstr(b->reply.text, "held by experiment-a for another"));
}

static void older_token_is_fenced_and_harms_nothing(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("", "");
    assert_int_equal(ask_acquire(b, "experiment-a", 60 * NS_PER_S), ERR_OK);
    ask_running(b, 1, &spec, 20 * NS_PER_S);
    assert_int_equal(ask_acquire(b, "experiment-a", 60 * NS_PER_S), ERR_OK);
    assert_int_equal(b->token, 2);
    b->token = 1;
    assert_int_equal(ask_op(b, MSG_STOP, 1), ERR_FENCED);
    assert_int_equal(ask_prepare(b, 2, &spec), ERR_FENCED);
    assert_int_equal(renew(b, 1, NS_PER_S), ERR_FENCED);
    assert_int_equal(ask_op(b, MSG_RELEASE, 0), ERR_FENCED);
    ask_until(b, 1, "running"); /* the same owner's trial went on */
    b->token = 2;
    assert_int_equal(ask_op(b, MSG_STOP, 1), ERR_OK);
}

static void expiry_stops_the_trial_and_keeps_the_results(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("", "");
    assert_int_equal(ask_acquire(b, "experiment-a", 60 * NS_PER_S), ERR_OK);
    ask_running(b, 1, &spec, 20 * NS_PER_S);
    assert_int_equal(renew(b, b->token, 300 * NS_PER_MS), ERR_OK);
    ask_sealed(b, 1, "aborted", "the lease of experiment-a expired");
    assert_int_equal(b->reply.lease_left_ns, 0);
    ask_contains(b, 1, SPOOL_TARGET_FINAL, "\"outcome\":\"ok\"");
    assert_int_equal(ask_prepare(b, 2, &spec), ERR_FENCED);
    assert_int_equal(ask_acquire(b, "experiment-b", NS_PER_S), ERR_OK);
    assert_int_equal(b->token, 2);
}

static void renewals_keep_it_alive(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("", "");
    assert_int_equal(ask_acquire(b, "experiment-a", 600 * NS_PER_MS), ERR_OK);
    ask_running(b, 1, &spec, NS_PER_S);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(renew(b, b->token, 600 * NS_PER_MS), ERR_OK);
        clock_sleep_until(clock_mono_ns() + 100 * NS_PER_MS);
    }
    ask_sealed(b, 1, "ok", "");
}

static void release_stops_what_runs_and_frees_at_once(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("", "");
    assert_int_equal(ask_acquire(b, "experiment-a", 60 * NS_PER_S), ERR_OK);
    ask_running(b, 1, &spec, 20 * NS_PER_S);
    assert_int_equal(ask_op(b, MSG_RELEASE, 0), ERR_OK);
    assert_int_equal(ask_acquire(b, "experiment-b", 60 * NS_PER_S), ERR_OK);
    ask_sealed(b, 1, "aborted", "the lease was released");
}

static void acknowledging_needs_the_lease_while_one_is_held(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("", "");
    assert_int_equal(ask_acquire(b, "experiment-a", 60 * NS_PER_S), ERR_OK);
    ask_running(b, 1, &spec, NS_PER_MS);
    ask_sealed(b, 1, "ok", "");
    struct port_request ack = {
        .op = MSG_ACK, .eid = ASK_EID, .tid = 1, .att = 1, .token = 99};
    ack.as.ack.bytes = b->reply.as.status.spool_bytes;
    ack.as.ack.crc = b->reply.as.status.spool_crc;
    assert_int_equal(ask_call(b, &ack, -1), ERR_FENCED);
    assert_int_equal(ask_op(b, MSG_RELEASE, 0), ERR_OK);
    assert_int_equal(ask_call(b, &ack, -1), ERR_OK);
}

#define ON_BENCH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(int argc, char **argv)
{
    bench_programs(argc, argv);
    const struct CMUnitTest tests[] = {
        ON_BENCH(lease_of_another_is_held_with_owner_and_time_left),
        ON_BENCH(older_token_is_fenced_and_harms_nothing),
        ON_BENCH(expiry_stops_the_trial_and_keeps_the_results),
        ON_BENCH(renewals_keep_it_alive),
        ON_BENCH(release_stops_what_runs_and_frees_at_once),
        ON_BENCH(acknowledging_needs_the_lease_while_one_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
