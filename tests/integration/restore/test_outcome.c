/* Every way in which an attempt can end badly, and that it says why. */
#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/spool.h"
#include "tests/integration/restore/ask.h"
#include "tests/integration/restore/bench_process.h"
#include "tests/lib/check.h"

static int setup(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    *state = b;
    bench_open(b, BENCH_ROOT);
    bench_start(b, false);
    assert_int_equal(ask_acquire(b, "experiment-a", 60 * NS_PER_S), ERR_OK);
    return 0;
}

static int teardown(void **state)
{
    bench_close(*state);
    free(*state);
    return 0;
}

static void target_out_of_memory_is_an_outcome_with_its_final_json(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("oom", "");
    ask_running(b, 1, &spec, 20 * NS_PER_S);
    ask_sealed(b, 1, "oom", "the target ran out of its heap");
    ask_contains(b, 1, SPOOL_TARGET_FINAL, "\"outcome\":\"oom\"");
    ask_contains(b, 1, SPOOL_WATCH_TARGET, "last samples");
}

/* Skips where this machine has no groups that limit. */
static void need_limits(struct bench *b)
{
    struct port_request hello = {.op = MSG_HELLO};
    assert_int_equal(ask_call(b, &hello, -1), ERR_OK);
    if (!strstr(b->reply.as.facts.features, "limits")) {
        print_message("SKIPPED: %s\n", b->reply.as.facts.missing);
        skip();
    }
}

static void target_beyond_its_memory_is_an_outcome_and_says_so(void **state)
{
    struct bench *b = *state;
    need_limits(b);
    struct trial_spec spec = ask_spec("starve", "");
    spec.limit_memory_bytes = 32u << 20;
    ask_running(b, 1, &spec, 20 * NS_PER_S);
    ask_sealed(b, 1, "oom",
               "target was killed by the kernel, out of memory: its limit of "
               "memory is 32m");
    ask_contains(b, 1, SPOOL_EXECUTOR,
                 "\"limits\":{\"target\":{\"memory_bytes\":33554432,"
                 "\"pids\":8192},\"load\":{\"pids\":8192}}");
    ask_contains(b, 1, SPOOL_WATCH_TARGET, "last samples");
}

static void target_that_forks_without_end_meets_its_limit(void **state)
{
    struct bench *b = *state;
    need_limits(b);
    struct trial_spec spec = ask_spec("bomb", "");
    spec.limit_pids = 20;
    ask_running(b, 1, &spec, 20 * NS_PER_S);
    uint64_t due_ns = clock_mono_ns() + 5 * NS_PER_S;
    /* Twenty of the target's, and agent, gate, sweeper, load, two watches,
     * two stubs: 28. */
    while (bench_processes(b) < 28 && clock_mono_ns() < due_ns)
        clock_sleep_until(clock_mono_ns() + 5 * NS_PER_MS);
    clock_sleep_until(clock_mono_ns() + 50 * NS_PER_MS);
    assert_int_equal(bench_processes(b), 28);
    assert_int_equal(ask_op(b, MSG_STOP, 1), ERR_OK);
    ask_sealed(b, 1, "aborted", "by command");
    assert_int_equal(bench_processes(b), 3);
    assert_false(bench_groups(b));
}

static void a_limit_below_all_reason_is_refused(void **state)
{
    struct bench *b = *state;
    need_limits(b);
    struct trial_spec spec = ask_spec("", "");
    spec.limit_memory_bytes = 4096;
    assert_int_equal(ask_prepare(b, 1, &spec), ERR_RANGE);
    assert_non_null(strstr(b->reply.text, "limit.memory: 4096 bytes"));
}

static void target_that_crashes_is_named_with_its_signal(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("crash", "");
    ask_running(b, 1, &spec, 20 * NS_PER_S);
    ask_sealed(b, 1, "failed", "target was killed by signal 6 (Aborted)");
}

static void target_that_cannot_listen_is_quoted(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("refuse", "");
    assert_int_equal(ask_prepare(b, 1, &spec), ERR_OK);
    ask_sealed(b, 1, "failed",
               "target exited with status 1: listen 10.77.0.1:9200: address in "
               "use");
    ask_contains(b, 1, SPOOL_STDERR_TARGET, "address in use\n");
}

static void target_that_never_listens_meets_the_deadline(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("unready", "");
    spec.ready_ns = 200 * NS_PER_MS;
    assert_int_equal(ask_prepare(b, 1, &spec), ERR_OK);
    ask_sealed(b, 1, "failed", "waited 0.2 s for the target to listen");
}

static void load_that_crashes_fails_the_attempt(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("", "crash");
    ask_running(b, 1, &spec, 20 * NS_PER_S);
    ask_sealed(b, 1, "failed", "load was killed by signal 6 (Aborted)");
    ask_contains(b, 1, SPOOL_TARGET_FINAL, "\"outcome\":\"ok\"");
}

static void load_that_ignores_stop_is_killed_after_its_drain(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("", "deaf");
    spec.drain_ns = 100 * NS_PER_MS;
    ask_running(b, 1, &spec, 20 * NS_PER_S);
    assert_int_equal(ask_op(b, MSG_STOP, 1), ERR_OK);
    assert_string_equal(b->reply.as.status.state, "stopping");
    ask_sealed(b, 1, "aborted", "stopped: by command");
    ask_contains(b, 1, SPOOL_TARGET_FINAL, "\"outcome\":\"ok\"");
}

static void watch_that_fails_fails_the_attempt(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("", "");
    (void)snprintf(spec.telemetry, sizeof spec.telemetry, "load:crash");
    ask_running(b, 1, &spec, 20 * NS_PER_S);
    ask_sealed(b, 1, "failed", "watch of the load was killed by signal 6");
    spec = ask_spec("", "");
    (void)snprintf(spec.telemetry, sizeof spec.telemetry, "target:badexit");
    ask_running(b, 2, &spec, 50 * NS_PER_MS);
    ask_sealed(b, 2, "failed", "watch of the target exited with status 3");
}

static void words_without_end_are_cut_and_do_not_stop_anything(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("spam", "");
    ask_running(b, 1, &spec, 50 * NS_PER_MS);
    ask_sealed(b, 1, "ok", "");
    char *text = ask_stream(b, 1, SPOOL_STDERR_TARGET);
    /* The cap leaves 128 bytes to the note, of which it needs fewer. */
    assert_in_range(strlen(text), SPOOL_STDERR_MAX - 128, SPOOL_STDERR_MAX);
    assert_non_null(strstr(text, "\n[cut: the first 65408 of "));
    assert_int_equal(strncmp(text, "line 0 of far too many\n", 23), 0);
    free(text);
}

static void a_program_that_is_missing_is_named(void **state)
{
    struct bench *b = *state;
    struct trial_spec spec = ask_spec("", "");
    char path[128];
    (void)snprintf(path, sizeof path, "%s/pitwall-load", b->folder);
    assert_int_equal(remove(path), 0);
    assert_int_equal(ask_prepare(b, 1, &spec), ERR_OK);
    ask_sealed(b, 1, "failed", "pitwall-load: not found");
}

#define ON_BENCH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(int argc, char **argv)
{
    bench_programs(argc, argv);
    const struct CMUnitTest tests[] = {
        ON_BENCH(target_out_of_memory_is_an_outcome_with_its_final_json),
        ON_BENCH(target_beyond_its_memory_is_an_outcome_and_says_so),
        ON_BENCH(target_that_forks_without_end_meets_its_limit),
        ON_BENCH(a_limit_below_all_reason_is_refused),
        ON_BENCH(target_that_crashes_is_named_with_its_signal),
        ON_BENCH(target_that_cannot_listen_is_quoted),
        ON_BENCH(target_that_never_listens_meets_the_deadline),
        ON_BENCH(load_that_crashes_fails_the_attempt),
        ON_BENCH(load_that_ignores_stop_is_killed_after_its_drain),
        ON_BENCH(watch_that_fails_fails_the_attempt),
        ON_BENCH(words_without_end_are_cut_and_do_not_stop_anything),
        ON_BENCH(a_program_that_is_missing_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
