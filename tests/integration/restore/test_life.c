/* Attempts from PREPARE to ACK through a whole agent, with scripted children:
 * every outcome, and what is left afterwards. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

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
    bench_open(b);
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

static void to_running(struct bench *b, uint32_t tid,
                       const struct trial_spec *spec, uint64_t measure_ns)
{
    if (ask_prepare(b, tid, spec))
        fail_msg("prepare: %s", b->reply.text);
    ask_until(b, tid, "prepared");
    assert_int_equal(ask_op(b, MSG_ARM, tid), ERR_OK);
    ask_until(b, tid, "armed");
    assert_int_equal(ask_start_at(b, tid, measure_ns), ERR_OK);
    assert_string_equal(b->reply.as.status.state, "running");
}

static void sealed_as(struct bench *b, uint32_t tid, const char *outcome,
                      const char *text)
{
    ask_until(b, tid, "sealed");
    if (strcmp(b->reply.as.status.outcome, outcome) != 0 ||
        !strstr(b->reply.as.status.text, text))
        fail_msg("sealed as %s \"%s\", not %s \"%s\"",
                 b->reply.as.status.outcome, b->reply.as.status.text, outcome,
                 text);
}

static void contains(char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" does not hold \"%s\"", text, part);
    free(text);
}

static void a_loopback_attempt_runs_from_prepare_to_stored(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("", "");
    spec.rmem_min = spec.rmem_default = spec.rmem_max = 10240;
    (void)snprintf(spec.pin, sizeof spec.pin, "auto");
    to_running(b, 1, &spec, 100 * NS_PER_MS);
    sealed_as(b, 1, "ok", "");
    assert_int_equal(b->reply.as.status.docs, 42);
    assert_string_equal(b->reply.as.status.target_url, "http://here:9200");
    contains(ask_stream(b, 1, SPOOL_LOAD), "load records");
    contains(ask_stream(b, 1, SPOOL_WATCH_TARGET), "last samples");
    contains(ask_stream(b, 1, SPOOL_WATCH_LOAD), "last samples");
    contains(ask_stream(b, 1, SPOOL_TARGET_FINAL),
             "\"rmem\":\"10240 10240 10240\"");
    contains(ask_stream(b, 1, SPOOL_EXECUTOR), "\"kind\":\"loopback\"");
    contains(ask_stream(b, 1, SPOOL_EXECUTOR), "\"mtu\":65536");

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
    to_running(b, 1, &spec, 100 * NS_PER_MS);
    sealed_as(b, 1, "ok", "");
    contains(ask_stream(b, 1, SPOOL_TARGET_FINAL), "\"veth0\":1");
    /* 200 Mbit/s are 25,000,000 bytes/s. */
    contains(ask_stream(b, 1, SPOOL_EXECUTOR), "tbf rate 25000000B/s");
    contains(ask_stream(b, 1, SPOOL_EXECUTOR), "\"offloads\":\"\"");
    contains(ask_stream(b, 1, SPOOL_EXECUTOR),
             "\"--listen\",\"10.77.0.1:9200\"");
}

int main(int argc, char **argv)
{
    bench_programs(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            a_loopback_attempt_runs_from_prepare_to_stored, setup, teardown),
        cmocka_unit_test_setup_teardown(a_veth_attempt_is_shaped_and_read_back,
                                        setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
