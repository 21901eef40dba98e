/* What a page draws over time, a value each second: throughput, collections,
 * compiling, the link. Of each cell the least, mean and most over its
 * iterations, in at most PAGE_SERIES_POINTS moments. */
#ifndef PITWALL_RESULTS_PAGE_SERIES_H
#define PITWALL_RESULTS_PAGE_SERIES_H

#include "results/page_cells.h"

#define PAGE_SERIES_POINTS 120

/* Add "time": {"first", "step", "points"} in seconds from the window's begin to
 * root, and to each cell a series {"least", "mean", "most"} by the name of its
 * chart, left out where no trial of the cell tells it: "rate" in docs/s (of
 * tasks without documents: ops/s), "pauses" in ms/s, "collections" in 1/s,
 * "compiles" in 1/s, "compiling" in ms/s, "traffic" in percent of the link's
 * capacity. null: a moment that none of the trials tells. */
CHECKED enum err page_series(struct page_cells *cells, struct db *db,
                             struct jv *root, struct why *why);

#endif
