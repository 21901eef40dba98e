/* Throughput over time in a page: of each cell the least, mean and most over
 * its iterations, in at most PAGE_RATE_POINTS moments. */
#ifndef PITWALL_RESULTS_PAGE_RATE_H
#define PITWALL_RESULTS_PAGE_RATE_H

#include "results/page_cells.h"

#define PAGE_RATE_POINTS 120

/* Add "time": {"first", "step", "points"} in seconds from the window's begin to
 * root, and "rate": {"least", "mean", "most"} in docs/s (of tasks without
 * documents: ops/s) to each cell. */
CHECKED enum err page_rate(struct page_cells *cells, struct db *db,
                           struct jv *root, struct why *why);

#endif
