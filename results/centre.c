#include "results/centre.h"

#include <math.h>

static double mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum / (double)n;
}

struct centre centre_of(const double *values, size_t n, bool ratio)
{
    struct centre c = {
        .n = n, .value = NAN, .cv = NAN, .min = INFINITY, .max = -INFINITY};
    if (!n)
        return c;
    for (size_t i = 0; i < n; i++) {
        c.min = fmin(c.min, values[i]);
        c.max = fmax(c.max, values[i]);
    }
    double sum = 0, squares = 0;
    if (!ratio || c.min <= 0) {
        c.value = mean(values, n);
        for (size_t i = 0; i < n; i++)
            squares += (values[i] - c.value) * (values[i] - c.value);
        if (n > 1 && c.min > 0)
            c.cv = sqrt(squares / (double)(n - 1)) / c.value;
        return c;
    }
    for (size_t i = 0; i < n; i++)
        sum += log(values[i]);
    double m = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (log(values[i]) - m) * (log(values[i]) - m);
    c.value = c.min == c.max ? c.min : exp(m);
    if (n > 1)
        c.cv = sqrt(expm1(squares / (double)(n - 1)));
    return c;
}
