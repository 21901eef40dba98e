#include <stdlib.h>
#include <string.h>

#include "agent/watch/jvm_sum.h"
#include "tests/lib/check.h"

#define S 1000000000ull

/* Warm-up from 100 s on, the window from 102 s to 105 s. */
static const struct measure_window window = {100 * S, 102 * S, 105 * S};
static struct jvm_sum sum;
static struct why why;

static int begin(void **state)
{
    (void)state;
    jvm_sum_init(&sum, &window);
    return 0;
}

static int end(void **state)
{
    (void)state;
    jvm_sum_fini(&sum);
    return 0;
}

static void pause(uint64_t at_ns, bool old, uint64_t gc, uint64_t ns)
{
    const struct gclog_line line = {.kind = GCLOG_PAUSE,
                                    .old = old,
                                    .at_ns = at_ns,
                                    .gc = gc,
                                    .ns = ns,
                                    .before_bytes = 100 * gc,
                                    .after_bytes = 10 * gc};
    jvm_sum_line(&sum, &line);
}

static void jvm_sum_counts_what_ended_in_the_window(void **state)
{
    (void)state;
    pause(102 * S - 1, false, 1, 5);
    pause(102 * S, false, 2, 7);
    pause(104 * S, false, 3, 11);
    pause(105 * S, false, 4, 13);
    assert_int_equal(sum.record.log_young_count, 2);
    assert_int_equal(sum.record.log_young_ns, 7 + 11);
    assert_int_equal(sum.record.log_pause_max_ns, 11);
    assert_int_equal(sum.record.log_young_total, 3); /* since the start */
    assert_int_equal(sum.record.log_before_max, 300);
    assert_int_equal(sum.record.log_after_max, 30);
}

static void jvm_sum_counts_a_cycle_of_two_stops_once(void **state)
{
    (void)state;
    pause(103 * S, true, 6, 20);
    pause(103 * S + 5, true, 6, 1);
    pause(104 * S, true, 7, 2);
    assert_int_equal(sum.record.log_old_count, 2);
    assert_int_equal(sum.record.log_old_ns, 23);
}

static void jvm_sum_keeps_stops_and_concurrent_work_apart(void **state)
{
    const struct gclog_line stop = {
        .kind = GCLOG_SAFEPOINT, .at_ns = 103 * S, .ns = 50, .wait_ns = 9};
    const struct gclog_line cycle = {
        .kind = GCLOG_CONCURRENT, .old = true, .at_ns = 103 * S, .ns = 4000};
    (void)state;
    jvm_sum_line(&sum, &stop);
    jvm_sum_line(&sum, &stop);
    jvm_sum_line(&sum, &cycle);
    assert_int_equal(sum.record.safepoints, 2);
    assert_int_equal(sum.record.safepoint_ns, 100);
    assert_int_equal(sum.record.safepoint_wait_ns, 18);
    assert_int_equal(sum.record.log_concurrent_ns, 4000);
    assert_int_equal(sum.record.log_old_ns, 0);
}

static void jvm_sum_ends_a_window_that_was_cut(void **state)
{
    (void)state;
    jvm_sum_cut(&sum, 103 * S);
    pause(103 * S - 1, false, 1, 5);
    pause(103 * S, false, 2, 7);
    assert_int_equal(sum.record.end_ns, 103 * S);
    assert_int_equal(sum.record.log_young_count, 1);
    jvm_sum_cut(&sum, 90 * S);
    assert_int_equal(sum.record.end_ns, 102 * S);
}

static void add(struct jfr_event event)
{
    check_ok(jvm_sum_event(&sum, &event, &why), why);
}

static void jvm_sum_tells_allocations_by_size_and_thread(void **state)
{
    (void)state;
    add((struct jfr_event){.kind = JFR_TLAB, .at_ns = 103 * S, .bytes = 500});
    add((struct jfr_event){.kind = JFR_TLAB, .at_ns = 103 * S, .bytes = 300});
    add((struct jfr_event){
        .kind = JFR_OUTSIDE, .at_ns = 103 * S, .bytes = 64, .worker = true});
    add((struct jfr_event){
        .kind = JFR_OUTSIDE, .at_ns = 104 * S, .bytes = 900});
    add((struct jfr_event){
        .kind = JFR_OUTSIDE, .at_ns = 101 * S, .bytes = 1000});
    assert_int_equal(sum.record.tlab_count, 2);
    assert_int_equal(sum.record.tlab_bytes, 800);
    assert_int_equal(sum.record.tlab_min_bytes, 300);
    assert_int_equal(sum.record.tlab_max_bytes, 500);
    assert_int_equal(sum.record.outside_count, 2);
    assert_int_equal(sum.record.outside_bytes, 964);
    assert_int_equal(sum.record.outside_min_bytes, 64);
    assert_int_equal(sum.record.outside_max_bytes, 900);
    assert_int_equal(sum.record.worker_outside_bytes, 64);
}

/* A concurrent collection lasts long and stops little. */
static void jvm_sum_tells_pauses_and_elapsed_time_apart(void **state)
{
    (void)state;
    add((struct jfr_event){.kind = JFR_COLLECTION,
                           .old = true,
                           .at_ns = 102 * S - 500, /* ends 300 after begin */
                           .ns = 800,
                           .pauses_ns = 30,
                           .longest_ns = 20});
    add((struct jfr_event){.kind = JFR_COLLECTION,
                           .at_ns = 103 * S,
                           .ns = 40,
                           .pauses_ns = 40,
                           .longest_ns = 40});
    assert_int_equal(sum.record.jfr_old_count, 1);
    assert_int_equal(sum.record.jfr_old_ns, 30);
    assert_int_equal(sum.record.jfr_old_elapsed_ns, 800);
    assert_int_equal(sum.record.jfr_young_ns, 40);
    assert_int_equal(sum.record.jfr_young_elapsed_ns, 40);
    assert_int_equal(sum.record.jfr_pause_max_ns, 40);
}

static void jvm_sum_has_a_row_of_compilations_for_each_second(void **state)
{
    (void)state;
    add((struct jfr_event){
        .kind = JFR_COMPILATION, .at_ns = 90 * S, .ns = 1, .level = 3});
    add((struct jfr_event){
        .kind = JFR_COMPILATION, .at_ns = 100 * S, .ns = 10, .level = 3});
    add((struct jfr_event){
        .kind = JFR_COMPILATION, .at_ns = 102 * S, .ns = 20, .level = 1});
    add((struct jfr_event){
        .kind = JFR_COMPILATION, .at_ns = 102 * S, .ns = 300, .level = 4});
    assert_int_equal(sum.jit[0].second, -2);
    assert_int_equal(sum.jit[0].quick_count, 1);
    assert_int_equal(sum.jit[0].quick_ns, 10);
    assert_int_equal(sum.jit[1].quick_count, 0);
    assert_int_equal(sum.jit[2].second, 0);
    assert_int_equal(sum.jit[2].quick_ns, 20);
    assert_int_equal(sum.jit[2].thorough_count, 1);
    assert_int_equal(sum.jit[2].thorough_ns, 300);
    assert_int_equal(sum.record.compiles, 2); /* in the window */
    assert_int_equal(sum.record.compile_ns, 320);
    add((struct jfr_event){
        .kind = JFR_COMPILATION, .at_ns = UINT64_MAX / 4, .level = 4});
    assert_true(sum.n_jit < 1000); /* no row for a time that cannot be */
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(jvm_sum_counts_what_ended_in_the_window),
        CASE(jvm_sum_counts_a_cycle_of_two_stops_once),
        CASE(jvm_sum_keeps_stops_and_concurrent_work_apart),
        CASE(jvm_sum_ends_a_window_that_was_cut),
        CASE(jvm_sum_tells_allocations_by_size_and_thread),
        CASE(jvm_sum_tells_pauses_and_elapsed_time_apart),
        CASE(jvm_sum_has_a_row_of_compilations_for_each_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
