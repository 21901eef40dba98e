#include "common/measure.h"
#include "tests/lib/check.h"

#define S 1000000000ull

static void measure_window_follows_the_warm_up(void **state)
{
    (void)state;
    struct measure_window w = measure_window(100 * S, 2 * S, 5 * S);
    assert_int_equal(w.t0_ns, 100 * S);
    assert_int_equal(w.begin_ns, 102 * S);
    assert_int_equal(w.end_ns, 107 * S);
}

static void measure_holds_is_closed_at_begin_and_open_at_end(void **state)
{
    (void)state;
    struct measure_window w = measure_window(100 * S, 2 * S, 5 * S);
    assert_false(measure_holds(&w, 102 * S - 1));
    assert_true(measure_holds(&w, 102 * S));
    assert_true(measure_holds(&w, 107 * S - 1));
    assert_false(measure_holds(&w, 107 * S));
}

static void measure_second_counts_from_the_windows_begin(void **state)
{
    (void)state;
    struct measure_window w = measure_window(100 * S, 2 * S, 5 * S);
    assert_int_equal(measure_second(&w, 102 * S), 0);
    assert_int_equal(measure_second(&w, 103 * S - 1), 0);
    assert_int_equal(measure_second(&w, 103 * S), 1);
    assert_int_equal(measure_second(&w, 102 * S - 1), -1);
    assert_int_equal(measure_second(&w, 101 * S), -1);
    assert_int_equal(measure_second(&w, 101 * S - 1), -2);
    assert_int_equal(measure_second(&w, 0), -102);
}

static void measure_rate_is_per_second_and_never_divides_by_zero(void **state)
{
    (void)state;
    check_near(measure_rate(500, 2 * S), 250, 0);
    check_near(measure_rate(500, S / 2), 1000, 0);
    check_near(measure_rate(500, 0), 0, 0);
}

static struct hist h;

/* Ten samples must lie beyond the percentile: 10 / (1 - p). */
static void measure_value_asks_for_ten_samples_beyond(void **state)
{
    (void)state;
    static const uint64_t least[MEASURE_PERCENTILES] = {20, 100, 1000, 10000,
                                                        100000};
    static const char *const names[MEASURE_PERCENTILES] = {"p50", "p90", "p99",
                                                           "p99.9", "p99.99"};
    for (size_t i = 0; i < MEASURE_PERCENTILES; i++) {
        uint64_t v = 0;
        assert_string_equal(measure_percentiles[i].name, names[i]);
        assert_int_equal(measure_percentiles[i].samples_min, least[i]);
        hist_reset(&h);
        hist_record_n(&h, 7, least[i] - 1);
        assert_false(measure_value(&h, i, &v));
        hist_record(&h, 7);
        assert_true(measure_value(&h, i, &v));
        assert_int_equal(v, 7);
    }
}

/* 1..1000: p50 is the 500th, p90 the 900th, p99 the 990th. */
static void measure_value_is_the_nearest_rank(void **state)
{
    (void)state;
    static const uint64_t want[] = {500, 900, 990};
    hist_reset(&h);
    for (uint64_t v = 1; v <= 1000; v++)
        hist_record(&h, v);
    for (size_t i = 0; i < 3; i++) {
        uint64_t v = 0;
        assert_true(measure_value(&h, i, &v));
        assert_int_equal(v, want[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measure_window_follows_the_warm_up),
        cmocka_unit_test(measure_holds_is_closed_at_begin_and_open_at_end),
        cmocka_unit_test(measure_second_counts_from_the_windows_begin),
        cmocka_unit_test(measure_rate_is_per_second_and_never_divides_by_zero),
        cmocka_unit_test(measure_value_asks_for_ten_samples_beyond),
        cmocka_unit_test(measure_value_is_the_nearest_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
