#include "results/stat_beta.h"

#include <math.h>

#define TINY      1e-300 /* stands for a zero denominator, as Lentz has it */
#define STEPS_MAX 500    /* a and b of thousands need about their root */

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
