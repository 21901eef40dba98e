#include <math.h>
#include <string.h>

#include "results/metric.h"
#include "tests/lib/check.h"

static struct tally *tally;
static struct why why;

static int begin(void **state)
{
    (void)state;
    check_ok(tally_new(&tally, &why), why);
    tally->whole_s = 2;
    return 0;
}

static int end(void **state)
{
    (void)state;
    tally_free(tally);
    return 0;
}

static double value(const char *name)
{
    const struct metric *m = metric_find(name);
    assert_non_null(m);
    return m->derive(tally, &tally->all, m->arg);
}

static const char *source(const char *name)
{
    return tally_jvm_source(tally, metric_find(name));
}

static void sample(const struct record *r)
{
    check_ok(tally_sample(tally, r, &why), why);
}

static const struct record whole = {.kind = RECORD_IS_jvm,
                                    .as.jvm = {.begin_ns = 1000,
                                               .end_ns = 2000001000,
                                               .log = 1,
                                               .log_young_count = 7,
                                               .log_young_ns = 700,
                                               .log_old_ns = 300,
                                               .log_young_total = 20,
                                               .log_before_max = 50,
                                               .safepoint_wait_ns = 11,
                                               .recording = 1,
                                               .jfr_old_ns = 300,
                                               .jfr_old_elapsed_ns = 9000,
                                               .tlab_count = 2,
                                               .tlab_bytes = 800,
                                               .outside_count = 4,
                                               .outside_bytes = 400,
                                               .outside_min_bytes = 10,
                                               .worker_outside_bytes = 100}};

static void
tally_jvm_gives_the_same_figures_as_a_target_with_a_last_word(void **state)
{
    (void)state;
    sample(&whole);
    assert_true(value("young_count") == 7);
    assert_true(value("young_pause_ns") == 700);
    assert_true(value("old_pause_ns") == 300);
    assert_true(value("gc_elapsed_ns") == 700 + 300 + 11);
    assert_true(value("gc_share") == 1000 / 2e9);
    assert_true(value("transient") == 0); /* 20 collections since the start */
    assert_true(value("tlab_avg_bytes") == 400);
    assert_true(value("outside_bytes_s") == 200); /* 400 in 2 s */
    assert_true(value("outside_min_bytes") == 10);
    assert_true(value("network_outside_share") == 0.25);
    assert_string_equal(source("young_count"), "jvm");
    assert_string_equal(source("tlab_bytes_s"), "jvm");
    assert_string_equal(source("reads"), "target");
}

static void tally_jvm_tells_sources_and_pauses_from_elapsed(void **state)
{
    const struct record in = {
        .kind = RECORD_IS_sample_jvm,
        .as.sample_jvm = {
            .second = 1, .young_count = 6, .young_ns = 650, .heap_used = 60}};
    const struct record out = {
        .kind = RECORD_IS_sample_jvm,
        .as.sample_jvm = {.second = 2, .young_ns = 5, .heap_used = 900}};
    (void)state;
    sample(&in);
    sample(&out); /* after the window */
    sample(&whole);
    assert_true(value("log_young_pause_ns") == 700);
    assert_true(value("counters_young_ns") == 650);
    assert_true(value("counters_young_count") == 6);
    assert_true(value("recording_old_pause_ns") == 300);
    assert_true(value("recording_old_elapsed_ns") == 9000);
    assert_true(isnan(value("stats_young_ns"))); /* it told none */
    assert_true(value("heap_used_max_bytes") == 60);
}

static void tally_jvm_knows_nothing_of_what_was_not_read(void **state)
{
    struct record r = whole;
    (void)state;
    assert_true(isnan(value("log_young_count")));
    assert_string_equal(source("young_count"), "target");
    r.as.jvm.log = r.as.jvm.recording = 0;
    sample(&r);
    sample(&whole); /* the first one counts */
    assert_true(isnan(value("log_young_count")));
    assert_true(isnan(value("young_pause_ns")));
    assert_true(isnan(value("outside_bytes")));
    assert_true(isnan(value("recording_young_count")));
    assert_true(isnan(value("counters_young_ns")));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(tally_jvm_gives_the_same_figures_as_a_target_with_a_last_word),
        CASE(tally_jvm_tells_sources_and_pauses_from_elapsed),
        CASE(tally_jvm_knows_nothing_of_what_was_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
