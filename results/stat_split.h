/* Where a series falls apart, and whether chance does as much: E-divisive with
 * its permutation test (Matteson and James, JASA 2014; statistics.md section
 * 6). Pure. The split is the best of many, so that a t test there would be no
 * p-value. */
#ifndef PITWALL_RESULTS_STAT_SPLIT_H
#define PITWALL_RESULTS_STAT_SPLIT_H

#include <stddef.h>

#include "common/rand.h"

#define STAT_SPLIT_MAX 200u /* points; a few 10^7 operations with shuffles */

struct stat_split {
    size_t at; /* the first point of the right segment */
    double q;  /* energy distance of the segments, scaled by their sizes */
};

/* Of x [n], n <= STAT_SPLIT_MAX, with segments of segment_min > 0 points at
 * least; n >= 2 * segment_min. q [n + 1 - 2 * segment_min]: that of each place,
 * or NULL. */
struct stat_split stat_split_of(const double *x, size_t n, size_t segment_min,
                                double *q);

/* How often chance alone gives such a q: (1 + as large ones) / 1000 over 999
 * shuffles. */
double stat_split_p(const double *x, size_t n, size_t segment_min,
                    struct rand *rand);

#endif
