/* The charts of a page: places for them, and the data that its script draws. */
#ifndef PITWALL_RESULTS_PAGE_CHARTS_H
#define PITWALL_RESULTS_PAGE_CHARTS_H

#include <stdio.h>

#include "results/page_cells.h"

/* A chart by its script's name for it, heading and explanation, all of ours. */
struct page_chart {
    const char *id, *heading, *says;
};

/* Write its place and one for the table behind it. */
void page_chart(FILE *out, const struct page_chart *chart);

/* Write the charts of curves and those of bars, each with a place for the table
 * behind it, and the list in which cells are chosen. */
void page_charts(FILE *out);

/* Write the data of these cells, whose objects are in root. */
CHECKED enum err page_data(FILE *out, struct page_cells *cells, struct db *db,
                           struct jv *root, struct why *why);

#endif
