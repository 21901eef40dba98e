/* One figure per cell in a page, as bars: collections, allocation, the link. */
#ifndef PITWALL_RESULTS_PAGE_BARS_H
#define PITWALL_RESULTS_PAGE_BARS_H

#include "results/page_cells.h"

/* Add "bars": {ID: [{"name", "unit", "values": [one per cell, null where there
 * is none]}]} to root. */
CHECKED enum err page_bars(struct page_cells *cells, struct db *db,
                           struct jv *root, struct why *why);

#endif
