#include <stdlib.h>

#include "results/bound.h"
#include "tests/unit/results/lab.h"

#define S 1000000000ull

static struct why why;
static char evidence[BOUND_EVIDENCE_BYTES];

/* A closed loop of 10 s with 1000 answers of 10 ms, and a driver at ease. */
static struct tally *fresh(void)
{
    struct tally *t = NULL;
    check_ok(tally_new(&t, &why), why);
    t->driver_known = true;
    t->driver.window_ns = 10 * S;
    t->driver.cpu_max_ns = 3 * S;
    t->n_tasks = 1;
    t->tasks[0].ended = true;
    t->tasks[0].window_ns = 10 * S;
    t->tasks[0].ops = 1000;
    t->window_ns = 10 * S;
    t->all.ops = 1000;
    t->service_sum = calloc(1, sizeof *t->service_sum);
    hist_record_n(t->service_sum, 10000000, 1000);
    t->all.service = t->service_sum;
    return t;
}

static enum attempt_bound bound(struct tally *t, double ceiling_ops_s)
{
    const struct bound_ceiling c = {.ops_s = ceiling_ops_s};
    enum attempt_bound b =
        bound_of(t, OUTCOME_OK, &c, evidence, sizeof evidence);
    tally_free(t);
    return b;
}

static void a_driver_at_ease_bounds_nothing(void **state)
{
    (void)state;
    assert_int_equal(bound(fresh(), 0), BOUND_UNCLEAR);
    assert_string_equal(
        evidence,
        "not the driver: busiest thread on a CPU for 30 % of the window "
        "(limit 80 %); in a quarter of the window its loop away for 0 ns or "
        "more (limit 1 ms), ready answers waiting for 0 % of the mean service "
        "time (limit 25 %); not the target: it told nothing");
}

static void a_busy_thread_is_the_limit(void **state)
{
    (void)state;
    struct tally *t = fresh();
    t->driver.cpu_max_ns = 8 * S - 1;
    assert_int_equal(bound(t, 0), BOUND_UNCLEAR);
    t = fresh();
    t->driver.cpu_max_ns = 8 * S;
    assert_int_equal(bound(t, 0), BOUND_DRIVER);
    assert_string_equal(evidence,
                        "driver: busiest thread on a CPU for 80 % of the "
                        "window (limit 80 %)");
}

static void late_starts_are_the_drivers_fault(void **state)
{
    (void)state;
    struct tally *t = fresh();
    t->driver.late_p99_ns = 1000000;
    t->driver.starts = 99; /* too few to say */
    assert_int_equal(bound(t, 0), BOUND_UNCLEAR);
    t = fresh();
    t->driver.late_p99_ns = 999999;
    t->driver.starts = 100;
    assert_int_equal(bound(t, 0), BOUND_UNCLEAR);
    t = fresh();
    t->driver.late_p99_ns = 1000000;
    t->driver.starts = 100;
    assert_int_equal(bound(t, 0), BOUND_DRIVER);
    assert_string_equal(evidence,
                        "driver: starts late by 1.00 ms at p99 (limit 1 ms)");
}

static void a_loop_that_is_away_counts_by_its_share_of_the_service(void **state)
{
    (void)state;
    struct tally *t = fresh();
    t->driver.loop_lag_p75_ns = 5000000;
    t->driver.loop_lag_mean_ns = 2400000; /* of 10 ms */
    assert_int_equal(bound(t, 0), BOUND_UNCLEAR);
    t = fresh();
    t->driver.loop_lag_p75_ns = 999999;
    t->driver.loop_lag_mean_ns = 5000000;
    assert_int_equal(bound(t, 0), BOUND_UNCLEAR);
    t = fresh();
    t->driver.loop_lag_p75_ns = 5000000;
    t->driver.loop_lag_mean_ns = 2600000;
    assert_int_equal(bound(t, 0), BOUND_DRIVER);
    assert_string_equal(
        evidence, "driver: in a quarter of the window its loop away for 5.00 "
                  "ms or more (limit 1 ms), ready answers waiting for 26 % of "
                  "the mean service time (limit 25 %)");
}

static void the_drivers_ceiling_bounds_closed_loops(void **state)
{
    (void)state;
    assert_int_equal(bound(fresh(), 112), BOUND_UNCLEAR); /* 100/s: 89 % */
    assert_int_equal(bound(fresh(), 111), BOUND_DRIVER);  /* 90 % */
    assert_string_equal(evidence,
                        "driver: at 90 % of the driver's ceiling (limit 90 %)");
    assert_int_equal(bound(fresh(), 91), BOUND_DRIVER);  /* 109.9 % */
    assert_int_equal(bound(fresh(), 90), BOUND_UNCLEAR); /* 111 %: disturbed */
    struct tally *t = fresh();
    t->tasks[0].offered_s = 100; /* held back by its rate */
    assert_int_equal(bound(t, 100), BOUND_RATE);
    t = fresh(); /* a search beside it is no reason to look away */
    t->tasks[1] = (struct tally_task){
        .ended = true, .ops = 500, .offered_s = 50, .window_ns = 10 * S};
    t->n_tasks = 2;
    assert_int_equal(bound(t, 111), BOUND_DRIVER);
}

/* A link of 200 Mbit/s, and a ceiling of 23.8 MB/s, 190 Mbit/s, over it. */
static enum attempt_bound over_link(double carried_mbit_s, uint64_t ops,
                                    uint64_t cpu_max_ns)
{
    const struct bound_ceiling c = {.ops_s = 100, .mb_s = 23.8};
    struct tally *t = fresh();
    t->tasks[0].ops = ops;
    t->driver.cpu_max_ns = cpu_max_ns;
    t->effective.link_rate_bit = 200000000;
    t->n_links = 1;
    t->links[0] = (struct tally_link){
        .side = "target",
        .iface = "veth0",
        .rx_bytes = (uint64_t)(carried_mbit_s * 1e6 / 8) * 10,
        .seconds = 10};
    enum attempt_bound b =
        bound_of(t, OUTCOME_OK, &c, evidence, sizeof evidence);
    tally_free(t);
    return b;
}

static void a_full_link_is_not_the_drivers_limit(void **state)
{
    (void)state;
    assert_int_equal(over_link(150, 500, S), BOUND_UNCLEAR);
    assert_int_equal(over_link(182, 500, S), BOUND_LINK);
    assert_string_equal(evidence, "link: at 91 % of its rate (limit 90 %)");
    assert_int_equal(over_link(175, 950, S), BOUND_LINK);
    assert_string_equal(evidence, "link: at 95 % of what the link lets through "
                                  "of this load (limit 90 %)");
    assert_int_equal(over_link(182, 950, 9 * S), BOUND_DRIVER);
}

static void a_rate_that_was_kept_is_the_bound(void **state)
{
    (void)state;
    struct tally *t = fresh();
    t->tasks[0].offered_s = 100;
    assert_int_equal(bound(t, 0), BOUND_RATE);
    t = fresh();
    t->tasks[0].offered_s = 120; /* 1000 of 1200 */
    assert_int_equal(bound(t, 0), BOUND_UNCLEAR);
    t = fresh();
    t->tasks[0].offered_s = 100;
    t->driver.cpu_max_ns = 9 * S; /* reached, but of what worth are latencies */
    assert_int_equal(bound(t, 0), BOUND_DRIVER);
}

/* Of the target's rules that hold, the word is the first one's. */
static void the_targets_words_have_an_order(void **state)
{
    (void)state;
    static const enum attempt_bound words[] = {
        BOUND_TARGET_GC, BOUND_TARGET_CPU, BOUND_TARGET_DISK,
        BOUND_TARGET_QUEUE, BOUND_UNCLEAR};
    for (size_t first = 0; first < 5; first++) {
        struct tally *t = fresh();
        struct final *f = &t->final;
        f->known = true;
        f->window_t0_ns = 0;
        f->window_t1_ns = 10 * S;
        f->window_requests = 1000;
        f->window_queue_full = 0;
        f->heap_young_pause_ns = 0;
        f->heap_old_pause_ns = first < 1 ? 3 * S : 0;
        t->sides[TALLY_TARGET].top = (struct tally_top){
            .seen = true, .last = 9, .ns = first < 2 ? 10 * S : S};
        f->window_disk_ns = first < 3 ? 6 * S : 0;
        f->window_bulk_ns = 10 * S;
        f->window_wait_ns = first < 4 ? 30 * S : S;
        assert_int_equal(bound(t, 0), words[first]);
        if (first < 4)
            assert_memory_equal(evidence, "target-", 7);
        if (first == 3)
            assert_non_null(strstr(
                evidence,
                "target-queue: 3.0 requests waiting for its threads on average "
                "(limit 1), 75 % of the time that they spent in it (limit 50 "
                "%); not the driver: busiest thread"));
        if (first == 4)
            assert_non_null(
                strstr(evidence, "; not the target: its full queue"));
    }
}

static void a_rate_with_refusals_was_not_kept(void **state)
{
    (void)state;
    for (int refused = 0; refused < 2; refused++) {
        struct tally *t = fresh();
        t->tasks[0].offered_s = 100;
        t->final.known = true;
        t->final.window_requests = 1000;
        t->final.window_queue_full = refused ? 20 : 0;
        t->final.window_t0_ns = 0;
        t->final.window_t1_ns = 10 * S;
        t->final.window_disk_ns = 9 * S;
        assert_int_equal(bound(t, 0),
                         refused ? BOUND_TARGET_QUEUE : BOUND_RATE);
        if (!refused) {
            assert_memory_equal(evidence, "rate: it was asked for", 22);
            assert_non_null(strstr(evidence, "; the target at its limit all "
                                             "the same: its index waiting for "
                                             "its files for 90 %"));
        }
    }
}

static void words_of_driver_and_target_are_of_their_host(void **state)
{
    (void)state;
    assert_true(bound_is_of_host(BOUND_DRIVER));
    assert_true(bound_is_of_host(BOUND_TARGET_CPU));
    assert_true(bound_is_of_host(BOUND_TARGET_DISK));
    assert_false(bound_is_of_host(BOUND_RWND));
    assert_false(bound_is_of_host(BOUND_LINK));
    assert_false(bound_is_of_host(BOUND_UNCLEAR));
}

/* Between machines, against what libiperf found: 100 Mbit/s. */
static void a_network_has_what_libiperf_found(void **state)
{
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        struct tally *t = fresh();
        t->apart = apart;
        t->link_bit_s = 100000000;
        t->n_links = 1;
        t->links[0] = (struct tally_link){.side = "target",
                                          .iface = "eth0",
                                          .rx_bytes = 1000,
                                          .tx_bytes = 115000000, /* 92 Mbit */
                                          .seconds = 10};
        assert_int_equal(bound(t, 0), apart ? BOUND_LINK : BOUND_UNCLEAR);
        if (apart)
            assert_string_equal(evidence,
                                "link: at 92 % of what libiperf found it to "
                                "carry (limit 90 %)");
    }
}

static void a_later_step_tells_of_its_driver(void **state)
{
    (void)state;
    struct tally *t = fresh();
    t->tasks[1] = (struct tally_task){
        .name = "find", .ended = true, .step = 1, .driver_share = 0.85};
    t->n_tasks = 2;
    assert_int_equal(bound(t, 0), BOUND_DRIVER);
    assert_string_equal(evidence,
                        "driver: in the step of task find its busiest thread "
                        "on a CPU for 85 % of the window (limit 80 %)");
}

static void what_did_not_end_well_is_bounded_by_nothing(void **state)
{
    (void)state;
    struct tally *t = fresh();
    const struct bound_ceiling none = {0};
    t->driver.cpu_max_ns = 10 * S;
    assert_int_equal(
        bound_of(t, OUTCOME_FAILED, &none, evidence, sizeof evidence),
        BOUND_UNCLEAR);
    assert_string_equal(evidence, "");
    tally_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_at_ease_bounds_nothing),
        cmocka_unit_test(a_busy_thread_is_the_limit),
        cmocka_unit_test(late_starts_are_the_drivers_fault),
        cmocka_unit_test(
            a_loop_that_is_away_counts_by_its_share_of_the_service),
        cmocka_unit_test(the_drivers_ceiling_bounds_closed_loops),
        cmocka_unit_test(a_full_link_is_not_the_drivers_limit),
        cmocka_unit_test(a_rate_that_was_kept_is_the_bound),
        cmocka_unit_test(the_targets_words_have_an_order),
        cmocka_unit_test(a_rate_with_refusals_was_not_kept),
        cmocka_unit_test(words_of_driver_and_target_are_of_their_host),
        cmocka_unit_test(a_network_has_what_libiperf_found),
        cmocka_unit_test(a_later_step_tells_of_its_driver),
        cmocka_unit_test(what_did_not_end_well_is_bounded_by_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
