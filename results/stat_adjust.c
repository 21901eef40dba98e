#include "results/stat_adjust.h"

#include <math.h>

static void rising(const double *p, size_t n, size_t *order)
{
    for (size_t i = 0; i < n; i++) { /* rows of a report: at most hundreds */
        size_t at = i;
        for (; at > 0 && p[order[at - 1]] > p[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

void stat_holm(const double *p, size_t n, double *adjusted, size_t *order)
{
    double most = 0;
    rising(p, n, order);
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fmin(1, (double)(n - i) * p[order[i]]));
        adjusted[order[i]] = most;
    }
}

void stat_bh(const double *p, size_t n, double *adjusted, size_t *order)
{
    double least = 1;
    rising(p, n, order);
    for (size_t i = n; i-- > 0;) {
        least = fmin(least, p[order[i]] * (double)n / (double)(i + 1));
        adjusted[order[i]] = least;
    }
}
