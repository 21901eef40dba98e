#include "results/stat_test.h"

#include <assert.h>
#include <math.h>

#include "results/stat_dist.h"

#define SD_NONE 1e-12 /* rounding of logarithms, not spread */

struct moments {
    double mean, variance; /* n - 1 */
};

static struct moments moments_of(const double *x, size_t n)
{
    struct moments m = {0, 0};
    for (size_t i = 0; i < n; i++)
        m.mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        m.variance += (x[i] - m.mean) * (x[i] - m.mean) / (double)(n - 1);
    return m;
}

static void without_spread(struct stat_test *test, double margin)
{
    double mean = fabs(test->mean) < SD_NONE ? 0 : test->mean;
    test->se = 0;
    test->t = mean == 0 ? 0 : copysign(INFINITY, mean);
    test->p_diff = mean == 0 ? 1 : 0;
    test->p_lower = mean > -margin ? 0 : 1;
    test->p_upper = mean < margin ? 0 : 1;
}

static void with_spread(struct stat_test *test, double margin)
{
    test->t = test->mean / test->se;
    test->p_diff = stat_t_both(test->t, test->df);
    test->p_lower = stat_t_upper((test->mean + margin) / test->se, test->df);
    test->p_upper = stat_t_upper((margin - test->mean) / test->se, test->df);
}

static void judge(struct stat_test *test, double margin)
{
    if (test->se < SD_NONE)
        without_spread(test, margin);
    else
        with_spread(test, margin);
    test->p_equal = fmax(test->p_lower, test->p_upper);
}

double stat_margin(double margin_ratio)
{
    return log1p(margin_ratio);
}

struct stat_test stat_test_blocks(const double *d, size_t n, double margin,
                                  double sd_least)
{
    if (n < 2)
        return (struct stat_test){n,   n ? *d : NAN, NAN, NAN, NAN,
                                  NAN, NAN,          NAN, NAN, NAN};
    struct moments m = moments_of(d, n);
    struct stat_test test = {.n = n, .mean = m.mean, .df = (double)n - 1};
    test.sd = fmax(sqrt(m.variance), sd_least);
    test.se = test.sd / sqrt((double)n);
    judge(&test, margin);
    return test;
}

struct stat_test stat_test_welch(const double *x, size_t n_x, const double *y,
                                 size_t n_y, double margin)
{
    assert(n_x >= 2 && n_y >= 2);
    struct moments a = moments_of(x, n_x), b = moments_of(y, n_y);
    double va = a.variance / (double)n_x, vb = b.variance / (double)n_y;
    struct stat_test test = {.n = n_x < n_y ? n_x : n_y,
                             .mean = a.mean - b.mean,
                             .sd = NAN,
                             .se = sqrt(va + vb)};
    double parts = va * va / (double)(n_x - 1) + vb * vb / (double)(n_y - 1);
    test.df =
        parts > 0 ? (va + vb) * (va + vb) / parts : (double)(n_x + n_y - 2);
    judge(&test, margin);
    return test;
}

double stat_test_half(const struct stat_test *test, double confidence)
{
    return test->se > 0
               ? stat_t_quantile(0.5 + confidence / 2, test->df) * test->se
               : 0;
}
