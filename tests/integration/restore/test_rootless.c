/* Agents without root: in a user namespace where that can be had, else on the
 * machine's own loopback with a clear statement. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "common/clock.h"
#include "common/spool.h"
#include "tests/integration/restore/ask.h"
#include "tests/integration/restore/bench_process.h"
#include "tests/lib/check.h"

static struct bench *begin(enum bench_mode mode)
{
    struct bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    bench_open(b, mode);
    bench_start(b, false);
    assert_int_equal(ask_acquire(b, "experiment-a", 60 * NS_PER_S), ERR_OK);
    return b;
}

static int setup_nobody(void **state)
{
    *state = begin(BENCH_NOBODY);
    return 0;
}

static int setup_plain(void **state)
{
    *state = begin(BENCH_PLAIN);
    return 0;
}

static int teardown(void **state)
{
    bench_close(*state);
    free(*state);
    return 0;
}

static void kills_and_finds_nothing(struct bench *b)
{
    assert_int_equal(kill(b->agent, SIGKILL), 0);
    (void)bench_wait(b);
    assert_true(bench_empty(b));
    bench_start(b, false);
    ask_sealed(b, 2, "aborted", "the agent ended during the attempt");
}

static void userns_has_veth_rate_and_rmem(void **state)
{
    struct bench *b = *state;
    struct port_request hello = {.op = MSG_HELLO};
    assert_int_equal(ask_call(b, &hello, -1), ERR_OK);
    if (strncmp(b->reply.as.facts.features, "userns", 6) != 0) {
        print_message("SKIPPED: %s\n", b->reply.as.facts.missing);
        skip();
    }
    struct trial_spec spec = ask_spec("", "");
    (void)snprintf(spec.link_kind, sizeof spec.link_kind, "veth");
    (void)snprintf(spec.link_offloads, sizeof spec.link_offloads, "off");
    spec.link_rate_bit = 200000000;
    spec.rmem_min = spec.rmem_default = spec.rmem_max = 10240;
    ask_running(b, 1, &spec, 50 * NS_PER_MS);
    ask_sealed(b, 1, "ok", "");
    ask_contains(b, 1, SPOOL_EXECUTOR, "\"mode\":\"userns\"");
    ask_contains(b, 1, SPOOL_EXECUTOR, "tbf rate 25000000B/s");
    ask_contains(b, 1, SPOOL_TARGET_FINAL, "\"rmem\":\"10240 10240 10240\"");
    ask_contains(b, 1, SPOOL_TARGET_FINAL, "\"veth0\":1");
    ask_running(b, 2, &spec, 20 * NS_PER_S);
    kills_and_finds_nothing(b);
}

static void plain_runs_loopback_and_refuses_the_rest(void **state)
{
    struct bench *b = *state;
    struct port_request hello = {.op = MSG_HELLO};
    assert_int_equal(ask_call(b, &hello, -1), ERR_OK);
    assert_memory_equal(b->reply.as.facts.features, "plain", 5);
    assert_non_null(
        strstr(b->reply.as.facts.missing, "run pitwall-agent as root"));
    struct trial_spec spec = ask_spec("", "");
    (void)snprintf(spec.link_kind, sizeof spec.link_kind, "veth");
    assert_int_equal(ask_prepare(b, 1, &spec), ERR_UNSUPPORTED);
    assert_non_null(strstr(b->reply.text, "run pitwall-agent as root"));
    spec = ask_spec("", "");
    ask_running(b, 1, &spec, 50 * NS_PER_MS);
    ask_sealed(b, 1, "ok", "");
    ask_contains(b, 1, SPOOL_EXECUTOR, "\"mode\":\"plain\"");
    ask_contains(b, 1, SPOOL_EXECUTOR, "\"--pgrp\"");
    ask_running(b, 2, &spec, 20 * NS_PER_S);
    kills_and_finds_nothing(b);
}

int main(int argc, char **argv)
{
    bench_programs(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(userns_has_veth_rate_and_rmem,
                                        setup_nobody, teardown),
        cmocka_unit_test_setup_teardown(
            plain_runs_loopback_and_refuses_the_rest, setup_plain, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
