#include <math.h>

#include "common/hist.h"
#include "results/centre.h"
#include "results/stat_adjust.h"
#include "results/stat_outlier.h"
#include "results/stat_spread.h"
#include "tests/lib/check.h"
#include "tests/unit/results/vectors.h"

static struct hist hist, other;

static void median(const struct vector *v)
{
    double x[VECTOR_MAX];
    vector_check(v, "median", stat_median(x, vector_list(v, "x", x)));
}

static void mad(const struct vector *v)
{
    double x[VECTOR_MAX];
    vector_check(v, "mad_scaled", stat_mad(x, vector_list(v, "x", x)));
}

static void geomean(const struct vector *v)
{
    double x[VECTOR_MAX];
    size_t n = vector_list(v, "x", x);
    vector_check(v, "geomean", centre_of(x, n, true).value);
}

static void ranks(const struct vector *v)
{
    struct stat_ranks r =
        stat_ranks_of((size_t)vector_number(v, "n"), vector_number(v, "p"),
                      vector_number(v, "conf"));
    vector_check(v, "lo_rank", (double)r.low);
    vector_check(v, "hi_rank", (double)r.high);
    vector_check(v, "coverage", r.coverage);
    vector_check(v, "finite", r.finite);
}

static void ranked_values(const struct vector *v)
{
    double x[VECTOR_MAX];
    size_t n = vector_list(v, "x", x);
    struct stat_ranks r =
        stat_ranks_of(n, vector_number(v, "p"), vector_number(v, "conf"));
    (void)stat_median(x, n); /* sorts */
    vector_check(v, "lo", x[r.low - 1]);
    vector_check(v, "hi", x[r.high - 1]);
}

/* A latency's percentile is nearest rank; Rally's interpolation is not ours. */
static void quantile(const struct vector *v)
{
    double x[VECTOR_MAX];
    size_t n = vector_list(v, "x", x);
    hist_reset(&hist);
    for (size_t i = 0; i < n; i++)
        hist_record(&hist, (uint64_t)x[i]);
    vector_check(v, "nearest_rank",
                 (double)hist_percentile(&hist, vector_number(v, "p")));
}

static void fill(struct hist *h, const struct vector *v, const char *values,
                 const char *counts)
{
    double x[VECTOR_MAX], times[VECTOR_MAX];
    size_t n = vector_list(v, values, x);
    assert_true(n == vector_list(v, counts, times));
    hist_reset(h);
    for (size_t i = 0; i < n; i++)
        hist_record_n(h, (uint64_t)x[i], (uint64_t)times[i]);
}

static void percentiles(const struct hist *h, const struct vector *v,
                        const char *want)
{
    double p[VECTOR_MAX];
    size_t n = vector_list(v, "p", p);
    for (size_t i = 0; i < n; i++)
        p[i] = (double)hist_percentile(h, p[i]);
    vector_check_list(v, want, p, n);
}

static void merged(const struct vector *v)
{
    fill(&hist, v, "h1_value", "h1_count");
    fill(&other, v, "h2_value", "h2_count");
    percentiles(&hist, v, "h1");
    percentiles(&other, v, "h2");
    hist_merge(&hist, &other);
    percentiles(&hist, v, "merged");
}

static void adjust(const struct vector *v)
{
    double p[VECTOR_MAX], adjusted[VECTOR_MAX];
    size_t order[VECTOR_MAX], n = vector_list(v, "p", p);
    stat_holm(p, n, adjusted, order);
    vector_check_list(v, "holm", adjusted, n);
    stat_bh(p, n, adjusted, order);
    vector_check_list(v, "bh", adjusted, n);
}

static void middles_and_spreads_are_those_of_r(void **state)
{
    (void)state;
    vectors_each("median", median);
    vectors_each("mad", mad);
    vectors_each("geomean", geomean);
    vectors_each("order_stat_ci", ranks);
    vectors_each("order_stat_ci_values", ranked_values);
}

static void percentiles_are_nearest_rank_and_pool_by_counts(void **state)
{
    (void)state;
    vectors_each("quantile", quantile);
    vectors_each("hist_merge_percentiles", merged);
}

static void families_are_adjusted_as_r_does(void **state)
{
    (void)state;
    vectors_each("p_adjust", adjust);
}

static void a_trial_far_from_its_block_and_cell_is_marked(void **state)
{
    (void)state;
    /* Block b adds 10 b, cell c adds c; noise of at most 0.2, and one trial
     * that is 3 off. */
    double y[] = {0.1,  1,    1.9,  /* */
                  10,   11.1, 12,   /* */
                  19.9, 24,   22.1, /* */
                  30.2, 30.9, 32};
    double residual[12], room[12];
    bool marks[12];
    struct stat_sitting s = {y, 4, 3};
    assert_int_equal(stat_outliers(&s, marks, residual, room), 1);
    assert_true(marks[7]);
    y[7] = NAN; /* no value, no mark */
    assert_int_equal(stat_outliers(&s, marks, residual, room), 0);
    y[7] = 24;
    s.n_blocks = 3; /* too few to tell */
    assert_int_equal(stat_outliers(&s, marks, residual, room), 0);
    double flat[12] = {[5] = 9}; /* all but one alike: MAD 0 */
    s = (struct stat_sitting){flat, 4, 3};
    assert_int_equal(stat_outliers(&s, marks, residual, room), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(middles_and_spreads_are_those_of_r),
        cmocka_unit_test(percentiles_are_nearest_rank_and_pool_by_counts),
        cmocka_unit_test(families_are_adjusted_as_r_does),
        cmocka_unit_test(a_trial_far_from_its_block_and_cell_is_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
