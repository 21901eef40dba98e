#include "results/page_cells.h"

#include <stdio.h>

/* The levels that tell it apart, in the order of rows and columns. */
static void add_cell(struct page_cells *cells, size_t cell, struct jv *list)
{
    const struct report *r = cells->report;
    char label[256], row[128], col[128];
    size_t n = r->pivot.cols.n, group = r->pivot.group[cell];
    (void)report_label(r, &r->pivot.rows, group / n, row, sizeof row);
    (void)report_label(r, &r->pivot.cols, group % n, col, sizeof col);
    (void)snprintf(label, sizeof label, "%s%s%s", row, *row && *col ? " " : "",
                   col);
    struct jv *out = jv_add(list, NULL, JV_OBJECT);
    jv_add_text(out, "label", *label ? label : r->matrix.cells[cell].label);
    cells->out[cells->n] = out;
    cells->cells[cells->n++] = cell;
}

void page_cells_init(struct page_cells *cells, const struct report *report,
                     struct jv *root)
{
    struct jv *list = jv_add(root, "cells", JV_ARRAY);
    *cells = (struct page_cells){.report = report};
    for (size_t g = 0; g < report->pivot.rows.n * report->pivot.cols.n; g++)
        for (size_t c = 0; c < report->matrix.n_cells; c++) {
            if (report->pivot.group[c] != g)
                continue;
            if (cells->n == PAGE_CELLS_MAX)
                cells->left++;
            else
                add_cell(cells, c, list);
        }
}

size_t page_cells_find(const struct page_cells *cells, size_t cell)
{
    for (size_t i = 0; i < cells->n; i++)
        if (cells->cells[i] == cell)
            return i;
    return SIZE_MAX;
}

size_t page_cells_of_trial(const struct page_cells *cells, size_t trial)
{
    const struct matrix_trial *t = &cells->report->matrix.trials[trial];
    return t->end == MATRIX_OK ? page_cells_find(cells, t->cell) : SIZE_MAX;
}
