#include "results/stat_spread.h"

#include <math.h>
#include <stdlib.h>

#include "results/stat_dist.h"

#define MAD_SCALE 1.4826 /* 1 / the normal distribution's 75 % quantile */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double stat_median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, by_value);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

double stat_mad(double *x, size_t n)
{
    double middle = stat_median(x, n);
    for (size_t i = 0; i < n; i++)
        x[i] = fabs(x[i] - middle);
    return MAD_SCALE * stat_median(x, n);
}

struct stat_ranks stat_ranks_of(size_t n, double p, double confidence)
{
    double tail = (1 - confidence) / 2;
    struct stat_ranks r = {.low = 0, .high = n + 1};
    for (size_t k = 0; k < n; k++)
        if (stat_binomial((long)k, n, p) <= tail)
            r.low = k + 1;
    for (size_t k = n; k-- > 0;)
        if (1 - stat_binomial((long)k, n, p) <= tail)
            r.high = k + 1;
    r.coverage = stat_binomial((long)r.high - 1, n, p) -
                 stat_binomial((long)r.low - 1, n, p);
    r.finite = r.low >= 1 && r.high <= n;
    return r;
}
