/* Second opinions by rank: Wilcoxon's signed-rank test and that of Mann and
 * Whitney (statistics.md sections 1 and 7; Hollander and Wolfe, Nonparametric
 * Statistical Methods, chapters 3 and 4). Pure but for memory.
 *
 * Exact, ties included, up to STAT_RANK_EXACT values a side; beyond, the normal
 * approximation with the variance corrected for ties and half a rank for
 * continuity, as R has it. */
#ifndef PITWALL_RESULTS_STAT_RANK_H
#define PITWALL_RESULTS_STAT_RANK_H

#include <stddef.h>

#include "common/err.h"

#define STAT_RANK_EXACT 50u

struct stat_rank {
    double statistic;       /* signed rank: V; Mann-Whitney: U of x */
    double p_less, p_above; /* one-sided: shifted to below, to above */
    double p_both;          /* min(1, twice the smaller) */
};

/* Two samples, each of at least one value. */
struct stat_samples {
    const double *x, *y; /* [n_x], [n_y]; a shift is x less y */
    size_t n_x, n_y;
};

/* Signed-rank test of d [n]; zeros are dropped, and when nothing is left the p
 * values are 1. Errors: ERR_NOMEM. */
CHECKED enum err stat_rank_signed(struct stat_rank *out, const double *d,
                                  size_t n, struct why *why);

/* Mann-Whitney test. Errors: ERR_NOMEM. */
CHECKED enum err stat_rank_samples(struct stat_rank *out,
                                   const struct stat_samples *samples,
                                   struct why *why);

#endif
