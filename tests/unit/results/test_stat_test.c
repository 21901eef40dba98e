#include <math.h>

#include "results/stat_dist.h"
#include "results/stat_test.h"
#include "results/stat_trend.h"
#include "results/stat_verdict.h"
#include "tests/lib/check.h"
#include "tests/unit/results/vectors.h"

static double percent(double log_ratio)
{
    return 100 * expm1(log_ratio);
}

static size_t logs(const struct vector *v, const char *key, double *x)
{
    size_t n = vector_list(v, key, x);
    for (size_t i = 0; i < n; i++)
        x[i] = log(x[i]);
    return n;
}

/* ln of new over base, pair by pair. */
static size_t pairs(const struct vector *v, double *d)
{
    double base[VECTOR_MAX];
    size_t n = logs(v, "new", d);
    assert_true(n == logs(v, "base", base));
    for (size_t i = 0; i < n; i++)
        d[i] -= base[i];
    return n;
}

static void paired(const struct vector *v)
{
    double d[VECTOR_MAX];
    size_t n = pairs(v, d);
    double margin = stat_margin(vector_number(v, "margin"));
    struct stat_test test = stat_test_blocks(d, n, margin, 0);
    double wide = stat_test_half(&test, 0.95);
    double less = stat_test_half(&test, 0.90);
    vector_check(v, "dbar", test.mean);
    vector_check(v, "sd", test.sd);
    vector_check(v, "t", test.t);
    vector_check(v, "df", test.df);
    vector_check(v, "p_two", test.p_diff);
    vector_check(v, "lo95", test.mean - wide);
    vector_check(v, "hi95", test.mean + wide);
    vector_check(v, "lo90", test.mean - less);
    vector_check(v, "hi90", test.mean + less);
    vector_check(v, "pct", percent(test.mean));
    vector_check(v, "pct_lo95", percent(test.mean - wide));
    vector_check(v, "pct_hi95", percent(test.mean + wide));
    vector_check(v, "tost_p_lower", test.p_lower);
    vector_check(v, "tost_p_upper", test.p_upper);
    vector_check(v, "tost_p", test.p_equal);
}

static void welch(const struct vector *v)
{
    double x[VECTOR_MAX], y[VECTOR_MAX];
    bool log_scale = vector_true(v, "log");
    size_t n_x = log_scale ? logs(v, "x", x) : vector_list(v, "x", x);
    size_t n_y = log_scale ? logs(v, "y", y) : vector_list(v, "y", y);
    struct stat_test test = stat_test_welch(x, n_x, y, n_y, 0);
    double half = stat_test_half(&test, 0.95);
    vector_check(v, "diff", test.mean);
    vector_check(v, "se", test.se);
    vector_check(v, "t", test.t);
    vector_check(v, "df", test.df);
    vector_check(v, "p_two", test.p_diff);
    vector_check(v, "lo95", test.mean - half);
    vector_check(v, "hi95", test.mean + half);
}

static void tost_welch(const struct vector *v)
{
    double x[VECTOR_MAX], y[VECTOR_MAX];
    size_t n_x = logs(v, "new", x), n_y = logs(v, "base", y);
    struct stat_test test = stat_test_welch(
        x, n_x, y, n_y, stat_margin(vector_number(v, "margin")));
    vector_check(v, "p_lower", test.p_lower);
    vector_check(v, "p_upper", test.p_upper);
    vector_check(v, "p", test.p_equal);
}

/* -1 stands for more than the cap. */
static double planned(const struct stat_test *test, double margin,
                      double alpha_diff, double alpha)
{
    struct stat_plan plan = {test->mean, test->sd,   margin,
                             test->n,    alpha_diff, alpha};
    size_t n = stat_plan_blocks(&plan, STAT_BLOCKS_CAP);
    return n ? (double)n : -1;
}

static void verdict(const struct vector *v)
{
    double d[VECTOR_MAX], alpha = vector_number(v, "alpha");
    double margin = stat_margin(vector_number(v, "margin"));
    size_t n = pairs(v, d);
    for (size_t i = 0; i < n && !vector_true(v, "higher_is_better"); i++)
        d[i] = -d[i];
    struct stat_test test = stat_test_blocks(d, n, margin, 0);
    struct stat_verdict got =
        stat_verdict_of(&test, margin, test.p_diff, alpha);
    vector_check_text(v, "verdict", stat_outcome_name(got.outcome));
    if (got.outcome == STAT_NO_VERDICT)
        return;
    vector_check(v, "p_diff", test.p_diff);
    vector_check(v, "p_equiv", test.p_equal);
    vector_check(v, "detectable_but_within_margin", got.within);
    vector_check(v, "beyond_margin", got.beyond);
    vector_check(v, "blocks_total_needed",
                 got.outcome == STAT_INCONCLUSIVE
                     ? planned(&test, margin, alpha, alpha)
                     : (double)n);
}

static void plan(const struct vector *v)
{
    double mean[VECTOR_MAX], sd[VECTOR_MAX], got[VECTOR_MAX];
    size_t n = vector_list(v, "dbar", mean);
    assert_true(n == vector_list(v, "s", sd));
    double alpha = vector_number(v, "alpha");
    for (size_t i = 0; i < n; i++) {
        struct stat_plan p = {mean[i],
                              sd[i],
                              stat_margin(vector_number(v, "margin")),
                              (size_t)vector_number(v, "n"),
                              alpha,
                              alpha};
        size_t blocks = stat_plan_blocks(&p, (size_t)vector_number(v, "cap"));
        got[i] = blocks ? (double)blocks : -1;
    }
    vector_check_list(v, "total", got, n);
}

static void detectable(const struct vector *v)
{
    double sd[VECTOR_MAX], blocks[VECTOR_MAX];
    size_t n = vector_list(v, "s", sd);
    assert_true(n == vector_list(v, "n", blocks));
    for (size_t i = 0; i < n; i++)
        sd[i] = percent(stat_detectable(sd[i], (size_t)blocks[i],
                                        vector_number(v, "alpha")));
    vector_check_list(v, "pct", sd, n);
}

static void the_block_test_is_the_paired_t_test_of_r(void **state)
{
    (void)state;
    vectors_each("paired_log_t", paired);
}

static void without_blocks_it_is_welchs(void **state)
{
    (void)state;
    vectors_each("welch", welch);
    vectors_each("tost_welch", tost_welch);
}

static void verdicts_are_in_the_order_of_the_design(void **state)
{
    (void)state;
    vectors_each("verdict", verdict);
}

static void the_planner_says_how_many_blocks_are_needed(void **state)
{
    (void)state;
    vectors_each("plan_blocks", plan);
    vectors_each("min_detectable", detectable);
}

static void no_spread_gives_no_nan(void **state)
{
    (void)state;
    static const double same[] = {0.25, 0.25, 0.25}, none[] = {0, 0, 0};
    double margin = stat_margin(0.02);
    struct stat_test test = stat_test_blocks(same, 3, margin, 0);
    check_near(test.p_diff, 0, 0);
    check_near(test.p_equal, 1, 0);
    check_near(stat_test_half(&test, 0.95), 0, 0);
    assert_true(isinf(test.t));
    /* A clock of 0.3: three equal readings may hide as much. */
    test = stat_test_blocks(same, 3, margin, 0.3);
    check_near(test.t, 0.25 / 0.3 * sqrt(3), 1e-12);
    test = stat_test_welch(none, 3, none, 3, margin);
    check_near(test.p_diff, 1, 0);
    check_near(test.p_equal, 0, 0);
    check_near(test.df, 4, 0);
}

static void a_difference_that_grows_over_the_sitting_shows(void **state)
{
    (void)state;
    static const double block[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const double grows[] = {1, 3, 2, 4, 6, 5, 7, 8};
    static const double turns[] = {1, -1, 1, -1, 1, -1, 1, -1};
    bool narrow;
    /* About their means: xx 42, xy = -3.5 * -3.5 - 2.5 * -1.5 - 1.5 * -2.5 -
     * 0.5 * -0.5 + 0.5 * 1.5 + 1.5 * 0.5 + 2.5 * 2.5 + 3.5 * 3.5 = 40; yy 42,
     * r = 40 / 42, t = r sqrt(6 / (1 - r r)) = 7.6505. */
    struct stat_trend t = stat_trend_of(block, grows, 8);
    check_near(t.slope, 40.0 / 42, 1e-12);
    double r = 40.0 / 42;
    check_near(t.p, stat_t_both(r * sqrt(6 / (1 - r * r)), 6), 1e-12);
    assert_true(t.p < 0.01);
    assert_true(stat_trend_of(block, turns, 8).p > 0.01);
    assert_true(isnan(stat_trend_of(block, grows, 2).p));
    /* Seven products of -1 over eight squares of 1. */
    check_near(stat_trend_lag(turns, 8, &narrow), -7.0 / 8, 1e-12);
    assert_true(narrow); /* 0.875 > 2 / sqrt(8) = 0.707 */
    (void)stat_trend_lag(turns, 7, &narrow);
    assert_false(narrow);
    assert_true(isnan(stat_trend_lag(block, 1, &narrow)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_block_test_is_the_paired_t_test_of_r),
        cmocka_unit_test(without_blocks_it_is_welchs),
        cmocka_unit_test(verdicts_are_in_the_order_of_the_design),
        cmocka_unit_test(the_planner_says_how_many_blocks_are_needed),
        cmocka_unit_test(no_spread_gives_no_nan),
        cmocka_unit_test(a_difference_that_grows_over_the_sitting_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
