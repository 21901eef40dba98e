#include "results/stat_trend.h"

#include <math.h>

#include "results/stat_dist.h"

#define LAG_BLOCKS_MIN 8

static double mean_of(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

struct stat_trend stat_trend_of(const double *x, const double *y, size_t n)
{
    struct stat_trend t = {NAN, NAN};
    double mx = mean_of(x, n), my = mean_of(y, n), xx = 0, xy = 0, rest = 0;
    for (size_t i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
    }
    if (n < 3 || !(xx > 0))
        return t;
    t.slope = xy / xx;
    for (size_t i = 0; i < n; i++) {
        double off = y[i] - my - t.slope * (x[i] - mx);
        rest += off * off;
    }
    double df = (double)n - 2, se = sqrt(rest / df / xx);
    if (se > 0)
        t.p = stat_t_both(t.slope / se, df);
    else
        t.p = t.slope == 0 ? 1 : 0;
    return t;
}

double stat_trend_lag(const double *d, size_t n, bool *narrow)
{
    double m = mean_of(d, n), square = 0, product = 0;
    *narrow = false;
    for (size_t i = 0; i < n; i++) {
        square += (d[i] - m) * (d[i] - m);
        if (i)
            product += (d[i] - m) * (d[i - 1] - m);
    }
    if (n < 2 || !(square > 0))
        return NAN;
    double r = product / square;
    *narrow = n >= LAG_BLOCKS_MIN && fabs(r) > 2 / sqrt((double)n);
    return r;
}
