/* Hodges and Lehmann's estimates of a shift, with their intervals by order of
 * the pairs (statistics.md section 7; Hollander and Wolfe, sections 3.2 and
 * 4.2). Pure but for memory. The ends are exact up to STAT_RANK_EXACT values a
 * side, by the normal approximation beyond. */
#ifndef PITWALL_RESULTS_STAT_SHIFT_H
#define PITWALL_RESULTS_STAT_SHIFT_H

#include "results/stat_rank.h"

#define STAT_SHIFT_MAX 2000u /* values a side: four million pairs, 32 MB */

struct stat_shift {
    double shift, low, high;
    size_t k;        /* the ends are the k-th pair from either end */
    double achieved; /* confidence; less than asked for when n is small */
};

/* Of one sample: the median of (d_i + d_j) / 2, i <= j. d [n], 0 < n;
 * confidence 0..1. Errors  ERR_NOMEM. ERR_RANGE: more than STAT_SHIFT_MAX
 * values. */
CHECKED enum err stat_shift_of(struct stat_shift *out, const double *d,
                               size_t n, double confidence, struct why *why);

/* Between two: the median of all x_i - y_j. Errors as above. */
CHECKED enum err stat_shift_between(struct stat_shift *out,
                                    const struct stat_samples *samples,
                                    double confidence, struct why *why);

#endif
