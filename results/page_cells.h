/* Which cells a page draws curves of, and what a curve is called. */
#ifndef PITWALL_RESULTS_PAGE_CELLS_H
#define PITWALL_RESULTS_PAGE_CELLS_H

#include "common/json_build.h"
#include "results/report.h"

#define PAGE_CELLS_MAX 32u /* more would be no chart, and a large file */

struct page_cells {
    const struct report *report;
    size_t cells[PAGE_CELLS_MAX]; /* indexes into the matrix */
    size_t n;
    size_t left;                    /* cells beyond PAGE_CELLS_MAX */
    struct jv *out[PAGE_CELLS_MAX]; /* each cell's object in the document */
};

/* The report's cells, in its order; adds "cells": [{"label"}] to root. */
void page_cells_init(struct page_cells *cells, const struct report *report,
                     struct jv *root);

/* The place of a matrix' cell among them, SIZE_MAX: it is not there. */
size_t page_cells_find(const struct page_cells *cells, size_t cell);

/* The same for a trial of the matrix by its index, if it ended ok and is
 * valid. */
size_t page_cells_of_trial(const struct page_cells *cells, size_t trial);

#endif
