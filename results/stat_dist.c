#include "results/stat_dist.h"

#include <math.h>

#include "results/stat_beta.h"

#define HALVINGS   200  /* more than the 53 bits and the exponent need */
#define NORMAL_MAX 40.0 /* P(Z > 38.5) is below the least double */

double stat_t_both(double t, double df)
{
    return isinf(t) ? 0 : stat_beta(df / (df + t * t), df / 2, 0.5);
}

double stat_t_upper(double t, double df)
{
    double half = stat_t_both(t, df) / 2;
    return t > 0 ? half : 1 - half;
}

double stat_t_quantile(double p, double df)
{
    if (p < 0.5)
        return -stat_t_quantile(1 - p, df);
    double low = 0, high = 1;
    while (stat_t_upper(high, df) > 1 - p)
        high *= 2;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (middle <= low || middle >= high)
            break;
        if (stat_t_both(middle, df) / 2 > 1 - p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

double stat_f_upper(double f, double df1, double df2)
{
    return isinf(f) ? 0 : stat_beta(df2 / (df2 + df1 * f), df2 / 2, df1 / 2);
}

double stat_normal(double z)
{
    return erfc(-z / sqrt(2)) / 2;
}

double stat_normal_quantile(double p)
{
    double low = -NORMAL_MAX, high = NORMAL_MAX;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (stat_normal(middle) < p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

double stat_binomial(long k, size_t n, double p)
{
    if (k < 0)
        return 0;
    if ((size_t)k >= n)
        return 1;
    return stat_beta(1 - p, (double)n - (double)k, (double)k + 1);
}
