/* Change points of a cell's history, one point per experiment: splits that
 * chance does not explain, large enough and apart (statistics.md section 6).
 * Pure. */
#ifndef PITWALL_RESULTS_STAT_CHANGE_H
#define PITWALL_RESULTS_STAT_CHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "results/stat_split.h"

#define STAT_HISTORY_MAX STAT_SPLIT_MAX /* points */
#define STAT_SEGMENT_MIN 4u             /* points on either side of a change */
#define STAT_HISTORY_MIN 10u            /* fewer are not split */

struct stat_change {
    size_t at;      /* the first point after the change */
    double p;       /* of the permutation test, at most 0.01 */
    double ratio;   /* median after over median before */
    double overlap; /* share of pairs whose later point is the larger */
};

/* The changes of x [n], positive, in order; found [STAT_HISTORY_MAX /
 * STAT_SEGMENT_MIN]. n <= STAT_HISTORY_MAX. A change is one that chance does
 * not explain, larger than the margin (0.02) and with an overlap of at least
 * 0.8 or at most 0.2; then both sides are searched. seed: of the shuffles.
 * Returns their number. */
size_t stat_changes(const double *x, size_t n, double margin_ratio,
                    uint64_t seed, struct stat_change *found);

#endif
