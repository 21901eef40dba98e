/* When an experiment may stop: by looks that were planned, or at a width
 * (statistics.md section 5). Pure. */
#ifndef PITWALL_RESULTS_STAT_LOOK_H
#define PITWALL_RESULTS_STAT_LOOK_H

#include <stdbool.h>
#include <stddef.h>

#define STAT_WIDTH_BLOCKS_MIN 6u
#define STAT_WIDTH_ALPHA      0.03 /* for the verdicts at a width */

/* What look 1..n_looks may spend of alpha, for both tests: the looks' shares
 * are as 1, 3, 6, 10, ..., so three of 0.05 have 0.005, 0.015 and 0.03. They
 * add up to alpha, hence hold whatever the looks have in common (Bonferroni).
 */
double stat_look_alpha(double alpha, size_t look, size_t n_looks);

/* Whether the interval around the mean of d [n], one logarithm of a ratio per
 * block, was at most width_ratio (0.02) to either side at the last block and at
 * the one before, each at 1 - STAT_WIDTH_ALPHA and with at least
 * STAT_WIDTH_BLOCKS_MIN blocks. */
bool stat_width_reached(const double *d, size_t n, double width_ratio);

#endif
