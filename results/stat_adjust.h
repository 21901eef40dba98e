/* p-values of one family, adjusted for their number: all comparisons of one
 * metric in one report (statistics.md section 1, "Many comparisons"). Pure.
 *
 * Of p [n]: adjusted [n] gets the values to compare with alpha, at most 1 and
 * in p's places; order [n] is room for the work and becomes the indices by
 * rising p. */
#ifndef PITWALL_RESULTS_STAT_ADJUST_H
#define PITWALL_RESULTS_STAT_ADJUST_H

#include <stddef.h>

/* Holm (1979): no false difference in the whole family but with probability
 * alpha. For declared comparisons, factor contrasts and gates. */
void stat_holm(const double *p, size_t n, double *adjusted, size_t *order);

/* Benjamini and Hochberg (1995): a share of at most alpha of the differences
 * called is false. For the table of cells and for secondary metrics. */
void stat_bh(const double *p, size_t n, double *adjusted, size_t *order);

#endif
