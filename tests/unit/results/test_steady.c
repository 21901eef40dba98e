#include <math.h>

#include "results/steady.h"
#include "tests/lib/check.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_window_is_not_judged),
        cmocka_unit_test(
            halves_that_differ_beyond_their_scatter_are_no_steady_state),
        cmocka_unit_test(a_long_window_is_judged_by_mser),
        cmocka_unit_test(nothing_done_is_no_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
