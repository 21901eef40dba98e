/* Two cells of an experiment side by side, every figure that either has. */
#ifndef PITWALL_RESULTS_PAGE_PAIR_H
#define PITWALL_RESULTS_PAGE_PAIR_H

#include "results/answer.h"

/* The page of the cells in places a and b, counted from 0 over those that are
 * measured, as a malloc'ed text, the caller's to free.
 * Errors  ERR_NOTFOUND: no such experiment, or no such cell. */
CHECKED enum err page_pair(struct store *store, int64_t experiment,
                           const size_t places[2], char **html,
                           struct why *why);

#endif
