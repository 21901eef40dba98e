#include "results/stat_dist.h"

#include <math.h>

#define TINY       1e-300 /* stands for a zero denominator, as Lentz has it */
#define STEPS_MAX  500    /* a and b of thousands need about their root */
#define HALVINGS   200    /* more than the 53 bits and the exponent need */
#define NORMAL_MAX 40.0   /* P(Z > 38.5) is below the least double */

static double safe(double x)
{
    return fabs(x) < TINY ? TINY : x;
}

static double beta_fraction(double x, double a, double b)
{
    double c = 1, d = 1 / safe(1 - (a + b) * x / (a + 1)), h = d;
    for (int m = 1; m < STEPS_MAX; m++) {
        double k = a + 2 * m;
        double even = m * (b - m) * x / ((k - 1) * k);
        double odd = -(a + m) * (a + b + m) * x / (k * (k + 1));
        d = 1 / safe(1 + even * d);
        c = safe(1 + even / c);
        h *= d * c;
        d = 1 / safe(1 + odd * d);
        c = safe(1 + odd / c);
        h *= d * c;
        if (fabs(d * c - 1) < 1e-16)
            break;
    }
    return h;
}

double stat_beta(double x, double a, double b)
{
    if (x <= 0)
        return 0;
    if (x >= 1)
        return 1;
    double front =
        exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b));
    /* The fraction is quick only below the mean. */
    if (x > (a + 1) / (a + b + 2))
        return 1 - front * beta_fraction(1 - x, b, a) / b;
    return front * beta_fraction(x, a, b) / a;
}

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
