/* The centre and the spread of a few trials' values. Pure. */
#ifndef PITWALL_RESULTS_CENTRE_H
#define PITWALL_RESULTS_CENTRE_H

#include <stdbool.h>
#include <stddef.h>

struct centre {
    size_t n;
    double value;    /* geometric mean; arithmetic where a value is <= 0 */
    double cv;       /* spread as a share of the value; NAN for n < 2 and
                        where a value is <= 0 */
    double min, max; /* of the values */
};

/* Of values [n]: the geometric mean, so that ratios of centres equal the
 * printed changes (statistics.md section 7), and the coefficient of variation
 * that belongs to it, sqrt(exp(s^2) - 1) with s the deviation (n - 1) of the
 * logarithms. ratio false: always the arithmetic mean, and s over it. n = 0:
 * value NAN. */
struct centre centre_of(const double *values, size_t n, bool ratio);

#endif
