/* Every way in which an attempt can end badly, and that it says why. */
#include <stdio.h>
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
    assert_int_equal(strlen(text), SPOOL_STDERR_MAX);
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
