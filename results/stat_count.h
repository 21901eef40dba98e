/* How rank sums are distributed when nothing differs, by counting every order:
 * for the exact rank tests (statistics.md section 7). Pure but for memory.
 *
 * Ranks are doubled, so that the mid-ranks of ties are whole. *share gets the
 * share of the orders with each doubled sum, [sum of rank2 + 1], and is the
 * caller's, for free; NULL on failure. Errors: ERR_NOMEM. */
#ifndef PITWALL_RESULTS_STAT_COUNT_H
#define PITWALL_RESULTS_STAT_COUNT_H

#include <stddef.h>

#include "common/err.h"

/* Each of rank2 [n] is in the sum or not, as likely as not: the signed-rank
 * test. */
CHECKED enum err stat_count_signs(double **share, const size_t *rank2, size_t n,
                                  struct why *why);

/* Any m of rank2 [n] are in the sum, 0 < m < n <= 1000: Mann-Whitney. */
CHECKED enum err stat_count_choices(double **share, const size_t *rank2,
                                    size_t n, size_t m, struct why *why);

/* Share of the orders with a sum of from to to, both included. */
double stat_count_share(const double *share, size_t from, size_t to);

#endif
