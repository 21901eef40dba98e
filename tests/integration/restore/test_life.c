/* Attempts from PREPARE to ACK through a whole agent, with scripted children:
 * every outcome, and what is left afterwards. */
#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/spool.h"
#include "tests/integration/restore/ask.h"
#include "tests/lib/check.h"

#define TTL_NS (60 * NS_PER_S)

static int setup(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    *state = b;
    bench_open(b, BENCH_ROOT);
    bench_start(b, false);
    assert_int_equal(ask_acquire(b, "experiment-a", TTL_NS), ERR_OK);
    return 0;
}

static int teardown(void **state)
{
    bench_close(*state);
    free(*state);
    return 0;
}

static void a_loopback_attempt_runs_from_prepare_to_stored(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("", "");
    spec.rmem_min = spec.rmem_default = spec.rmem_max = 10240;
    (void)snprintf(spec.pin, sizeof spec.pin, "auto");
    ask_running(b, 1, &spec, 100 * NS_PER_MS);
    assert_true(b->reply.as.status.target_pid > 1);
    ask_sealed(b, 1, "ok", "");
    assert_int_equal(b->reply.as.status.target_pid, 0);
    assert_int_equal(b->reply.as.status.docs, 42);
    assert_string_equal(b->reply.as.status.target_url, "http://here:9200");
    ask_contains(b, 1, SPOOL_LOAD, "load records");
    ask_contains(b, 1, SPOOL_WATCH_TARGET, "last samples");
    ask_contains(b, 1, SPOOL_WATCH_LOAD, "last samples");
    ask_contains(b, 1, SPOOL_TARGET_FINAL, "\"rmem\":\"10240 10240 10240\"");
    ask_contains(b, 1, SPOOL_EXECUTOR, "\"kind\":\"loopback\"");
    ask_contains(b, 1, SPOOL_EXECUTOR, "\"mtu\":65536");

    struct port_request ack = {.op = MSG_ACK, .tid = 1, .att = 1};
    (void)snprintf(ack.eid, sizeof ack.eid, "%s", ASK_EID);
    ack.as.ack.bytes = b->reply.as.status.spool_bytes;
    ack.as.ack.crc = b->reply.as.status.spool_crc + 1;
    assert_int_equal(ask_call(b, &ack, -1), ERR_INVALID);
    ack.as.ack.crc--;
    assert_int_equal(ask_call(b, &ack, -1), ERR_OK);
    assert_int_equal(ask_call(b, &ack, -1), ERR_OK);
    assert_int_equal(ask_op(b, MSG_STATUS, 1), ERR_OK);
    assert_string_equal(b->reply.as.status.state, "stored");
    assert_int_equal(ask_op(b, MSG_COLLECT, 1), ERR_STATE);
}

static void a_veth_attempt_is_shaped_and_read_back(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("", "");
    (void)snprintf(spec.link_kind, sizeof spec.link_kind, "veth");
    (void)snprintf(spec.link_offloads, sizeof spec.link_offloads, "off");
    spec.link_mtu = 1500;
    spec.link_rate_bit = 200000000;
    spec.link_burst_bytes = 32768;
    ask_running(b, 1, &spec, 100 * NS_PER_MS);
    ask_sealed(b, 1, "ok", "");
    ask_contains(b, 1, SPOOL_TARGET_FINAL, "\"veth0\":1");
    /* 200 Mbit/s are 25,000,000 bytes/s. */
    ask_contains(b, 1, SPOOL_EXECUTOR, "tbf rate 25000000B/s");
    ask_contains(b, 1, SPOOL_EXECUTOR, "\"offloads\":\"\"");
    ask_contains(b, 1, SPOOL_EXECUTOR, "\"--listen\",\"10.77.0.1:9200\"");
}

static void prepare_is_refused_before_anything_is_made(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("", "");
    (void)snprintf(spec.link_kind, sizeof spec.link_kind, "ethernet");
    assert_int_equal(ask_prepare(b, 1, &spec), ERR_UNSUPPORTED);
    assert_non_null(strstr(b->reply.text, "needs a second machine"));
    assert_int_equal(ask_op(b, MSG_STATUS, 1), ERR_NOTFOUND);
    spec = ask_spec("", "");
    (void)snprintf(spec.target, sizeof spec.target, "nosuch");
    assert_int_equal(ask_prepare(b, 1, &spec), ERR_NOTFOUND);
    spec = ask_spec("", "");
    assert_int_equal(ask_prepare(b, 1, &spec), ERR_OK);
}

static void prepare_again_answers_the_state_that_is(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("", "");
    ask_running(b, 1, &spec, 100 * NS_PER_MS);
    assert_int_equal(ask_prepare(b, 1, &spec), ERR_OK);
    assert_string_equal(b->reply.as.status.state, "running");
    ask_sealed(b, 1, "ok", "");
    assert_int_equal(ask_prepare(b, 1, &spec), ERR_OK);
    assert_string_equal(b->reply.as.status.state, "sealed");
    assert_int_equal(ask_op(b, MSG_ARM, 1), ERR_OK);
    assert_int_equal(ask_op(b, MSG_STOP, 1), ERR_OK);
    assert_string_equal(b->reply.as.status.outcome, "ok");
}

static void one_attempt_at_a_time(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("", "");
    assert_int_equal(ask_prepare(b, 1, &spec), ERR_OK);
    assert_int_equal(ask_prepare(b, 2, &spec), ERR_BUSY);
    assert_non_null(strstr(b->reply.text, ASK_EID "-1-1 is prepar"));
    assert_int_equal(ask_op(b, MSG_COLLECT, 1), ERR_STATE);
    assert_int_equal(ask_op(b, MSG_STOP, 1), ERR_OK);
    ask_sealed(b, 1, "aborted", "stopped: by command");
    ask_running(b, 2, &spec, 100 * NS_PER_MS);
    ask_sealed(b, 2, "ok", "");
    ask_contains(b, 1, SPOOL_EXECUTOR, "\"mode\":\"netns\"");
}

static void start_in_the_past_is_late_and_may_be_said_again(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("", "");
    assert_int_equal(ask_prepare(b, 1, &spec), ERR_OK);
    ask_until(b, 1, "prepared");
    assert_int_equal(ask_start_at(b, 1, NS_PER_MS), ERR_STATE);
    assert_int_equal(ask_op(b, MSG_ARM, 1), ERR_OK);
    ask_until(b, 1, "armed");
    struct port_request late = {
        .op = MSG_START_AT, .eid = ASK_EID, .tid = 1, .att = 1};
    late.as.start_at.t0_ns = 1;
    late.as.start_at.measure_ns = NS_PER_S;
    assert_int_equal(ask_call(b, &late, -1), ERR_LATE);
    assert_int_equal(ask_start_at(b, 1, 50 * NS_PER_MS), ERR_OK);
    ask_sealed(b, 1, "ok", "");
}

static void hello_tells_the_facts(void **state)
{
    struct bench *b = *state;
    struct port_request hello = {.op = MSG_HELLO};
    assert_int_equal(ask_call(b, &hello, -1), ERR_OK);
    assert_string_equal(b->reply.as.facts.roles, "both");
    /* And those that are shipped, as far as their programs are here. */
    assert_memory_equal(b->reply.as.facts.targets, "pitwall", 7);
    assert_int_equal(strncmp(b->reply.as.facts.features, "netns", 5), 0);
    assert_int_equal(strlen(b->reply.boot_id), 36);
    assert_int_equal(b->reply.incarnation, 1);
}

#define ON_BENCH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(int argc, char **argv)
{
    bench_programs(argc, argv);
    const struct CMUnitTest tests[] = {
        ON_BENCH(a_loopback_attempt_runs_from_prepare_to_stored),
        ON_BENCH(a_veth_attempt_is_shaped_and_read_back),
        ON_BENCH(prepare_is_refused_before_anything_is_made),
        ON_BENCH(prepare_again_answers_the_state_that_is),
        ON_BENCH(one_attempt_at_a_time),
        ON_BENCH(start_in_the_past_is_late_and_may_be_said_again),
        ON_BENCH(hello_tells_the_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
