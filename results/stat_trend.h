/* Whether the blocks' differences keep still over the sitting: what a verdict
 * takes for granted (statistics.md section 4). Pure. */
#ifndef PITWALL_RESULTS_STAT_TREND_H
#define PITWALL_RESULTS_STAT_TREND_H

#include <stdbool.h>
#include <stddef.h>

/* Line of least squares through (x, y) [n]. NAN for n < 3 or a single x. */
struct stat_trend {
    double slope; /* y per x */
    double p;     /* of no slope, two-sided, n - 2 degrees of freedom */
};

/* Of differences on blocks ("the effect changes over the sitting", p < 0.01),
 * or of residuals on positions within a block. */
struct stat_trend stat_trend_of(const double *x, const double *y, size_t n);

/* Correlation of each of d [n] with the one after it; NAN for n < 2 or no
 * spread. From n = 8 on, more than 2 / sqrt(n) to either side says that the
 * interval is too narrow: *narrow. */
double stat_trend_lag(const double *d, size_t n, bool *narrow);

#endif
