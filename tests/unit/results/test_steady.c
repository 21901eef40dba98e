#include <math.h>

#include "results/steady.h"
#include "tests/lib/check.h"
#include "tests/unit/results/vectors.h"

static uint64_t series[200];

/* Around level: one less, one more, by turns. */
static void flat(size_t from, size_t to, uint64_t level)
{
    for (size_t i = from; i < to; i++)
        series[i] = level + (i % 2 ? 1 : -1ull);
}

static void a_short_window_is_not_judged(void **state)
{
    struct steady s;
    (void)state;
    flat(0, 4, 1000);
    flat(4, 9, 9000);
    steady_judge(&s, series, 9, 0.2);
    assert_true(s.steady);
    assert_false(s.judged);
    assert_true(isnan(steady_odd(series, 9, 0.02, 0.2)));
}

static void
halves_that_differ_beyond_their_scatter_are_no_steady_state(void **state)
{
    struct steady s;
    (void)state;
    flat(0, 5, 1000);
    flat(5, 10, 1100);
    steady_judge(&s, series, 10, 0.2);
    assert_true(s.judged && s.steady); /* ten percent, accepted */
    flat(5, 10, 1300);
    steady_judge(&s, series, 10, 0.2);
    assert_false(s.steady);
    /* First half 999, 1001, 999, 1001, 999: 999.8; second 1301, 1299, 1301,
     * 1299, 1301: 1300.2; 1300.2 / 999.8 - 1. Both vary by 1.2. */
    check_near(s.drift, 0.30046, 1e-5);
    check_near(steady_odd(series, 10, 0.02, 0.2), 1, 0);
    check_near(steady_odd(series, 10, 0.02, 0.4), 0, 0);
    check_near(s.t, 300.4 / sqrt(1.2 / 5 + 1.2 / 5), 1e-6);
    /* As large, but the seconds scatter as much. */
    for (size_t i = 0; i < 10; i++)
        series[i] = i % 2 ? 2000 : i < 5 ? 400 : 1000;
    steady_judge(&s, series, 10, 0.2);
    assert_true(fabs(s.drift) > 0.2);
    assert_true(s.steady);
}

static void a_long_window_is_judged_by_mser(void **state)
{
    struct steady s;
    (void)state;
    /* A slow start of 10 s is two batches of 20. */
    flat(0, 10, 500);
    flat(10, 100, 1000);
    steady_judge(&s, series, 100, 0.2);
    assert_true(s.steady);
    assert_int_equal(s.cut_s, 10);
    flat(0, 100, 1000);
    steady_judge(&s, series, 100, 0.2);
    assert_int_equal(s.cut_s, 0);
    /* Rising all the time: cut as far as is allowed, 10 of 20 batches. */
    for (size_t i = 0; i < 100; i++)
        series[i] = 1000 + 10 * i;
    steady_judge(&s, series, 100, 0.2);
    assert_int_equal(s.cut_s, 50);
    assert_false(s.steady);
}

static void nothing_done_is_no_crash(void **state)
{
    static uint64_t none[100];
    struct steady s;
    (void)state;
    steady_judge(&s, none, 20, 0.2);
    assert_true(s.steady);
    steady_judge(&s, none, 100, 0.2);
    assert_true(s.steady);
    steady_judge(&s, NULL, 0, 0.2);
    assert_true(s.steady);
}

/* The vectors have tenths; series are whole, so ten times as many, and the
 * variance a hundred times as large. */
static void mser_vector(const struct vector *v)
{
    double y[VECTOR_MAX];
    size_t n = vector_list(v, "y", y);
    struct mser m;
    for (size_t i = 0; i < n; i++)
        series[i] = (uint64_t)llround(10 * y[i]);
    steady_mser(&m, series, n);
    vector_check(v, "batches", (double)m.batches);
    vector_check(v, "cut_batches", (double)m.cut);
    vector_check(v, "cut_seconds", 5 * (double)m.cut);
    vector_check(v, "at_limit", m.at_limit);
    vector_check(v, "mser_at_cut", m.at_cut / 100);
    vector_check(v, "mser_at_0", m.at_0 / 100);
    vector_check(v, "drift_rel", m.drift);
    vector_check(v, "drift_p", m.drift_p);
    enum steady_class want = m.at_limit ? STEADY_NONE
                             : m.cut    ? STEADY_WARM_UP
                                        : STEADY_FLAT;
    assert_int_equal(steady_class_of(&m, 0.02), want);
}

static void mser_cuts_and_checks_as_the_design_defines(void **state)
{
    (void)state;
    vectors_each("mser5", mser_vector);
}

static void what_is_kept_may_still_drift(void **state)
{
    struct mser m;
    (void)state;
    /* Around 1000, then from 60 s on around 1030: the kept thirds are 33 s. */
    for (size_t i = 0; i < 100; i++)
        series[i] = (i < 60 ? 1000u : 1030u) + (i / 5 % 2 ? 20u : 0u);
    steady_mser(&m, series, 100);
    assert_int_equal(m.cut, 0);
    /* Six batches: 3 of 1000, 3 of 1020; then 3 of 1030, 3 of 1050. */
    check_near(m.drift, 1040.0 / 1010 - 1, 1e-12);
    assert_int_equal(steady_class_of(&m, 0.02), STEADY_DRIFTING);
    assert_int_equal(steady_class_of(&m, 0.03), STEADY_FLAT);
    check_near(steady_odd(series, 100, 0.02, 0.05), 1, 0);
    check_near(steady_odd(series, 100, 0.03, 0.05), 0, 0);
    /* A quick start: the first ten seconds are cut. */
    flat(0, 10, 2000);
    flat(10, 100, 1000);
    steady_mser(&m, series, 100);
    check_near(m.change, -0.5, 1e-9);
    assert_int_equal(steady_class_of(&m, 0.02), STEADY_SLOWDOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_window_is_not_judged),
        cmocka_unit_test(
            halves_that_differ_beyond_their_scatter_are_no_steady_state),
        cmocka_unit_test(a_long_window_is_judged_by_mser),
        cmocka_unit_test(nothing_done_is_no_crash),
        cmocka_unit_test(mser_cuts_and_checks_as_the_design_defines),
        cmocka_unit_test(what_is_kept_may_still_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
