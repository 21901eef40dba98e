/* Distributions in a page: of each cell the latency by percentile and the bytes
 * that one read took, over the exact sum of its trials' histograms. */
#ifndef PITWALL_RESULTS_PAGE_HIST_H
#define PITWALL_RESULTS_PAGE_HIST_H

#include "common/hist.h"
#include "results/page_cells.h"

/* Add to each cell "latency": [[percent, ms], ...] and "reads": [[bytes,
 * percent of the reads], ...], both empty where nothing was recorded.
 * Errors  ERR_CORRUPT: a histogram or its row is damaged. */
CHECKED enum err page_hist(struct page_cells *cells, struct db *db,
                           struct why *why);

/* The curve of one histogram: at every percentile of a fixed row that has ten
 * samples beyond it. */
void page_hist_percentiles(const struct hist *hist, struct jv *out);

/* The shares by quarters of a power of two, named by their upper end; those
 * before the first and behind the last that has any are left out. */
void page_hist_shares(const struct hist *hist, struct jv *out);

#endif
