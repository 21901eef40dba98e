#include "results/effects_best.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

#define FAR_RATIO  0.10 /* behind the best: not to be called its equal */
#define SHOWN_MAX  8
#define BLOCKS_CAP 1000u

/* A cell of the set, as it is ordered. */
struct tied {
    size_t cell, away;
    uint64_t heap_bytes;
};

static int by_order(const void *a, const void *b)
{
    const struct tied *x = a, *y = b;
    if (x->away != y->away)
        return x->away < y->away ? -1 : 1;
    if (x->heap_bytes != y->heap_bytes)
        return x->heap_bytes < y->heap_bytes ? -1 : 1;
    return (x->cell > y->cell) - (x->cell < y->cell);
}

static uint64_t heap_of(const struct matrix *m, size_t cell)
{
    size_t f = matrix_factor_find(m, "heap", 4);
    uint64_t bytes = 0;
    if (f == SIZE_MAX ||
        units_bytes(m->factors[f].labels[m->cells[cell].levels[f]], &bytes,
                    NULL))
        return 0;
    return bytes;
}

static size_t collect(const struct effects *x, struct tied *tied)
{
    size_t n = 0;
    for (size_t c = 0; c < x->matrix.n_cells; c++) {
        if (!x->best[c])
            continue;
        struct tied *t = &tied[n++];
        *t = (struct tied){.cell = c, .heap_bytes = heap_of(&x->matrix, c)};
        for (size_t f = 0; f < x->matrix.n_factors; f++)
            t->away += x->matrix.cells[c].levels[f] != 0;
    }
    qsort(tied, n, sizeof *tied, by_order);
    return n;
}

static size_t grid_cell(const struct effects *x, size_t cell)
{
    for (size_t i = 0; i < x->field.grid.n_cells; i++)
        if (x->field.cell[i] == cell)
            return i;
    return x->field.grid.n_cells;
}

/* The top less another cell of the set, block by block, judged as one would
 * have to leave the set. */
static struct stat_test behind(const struct effects *x, size_t cell, double *d)
{
    const struct stat_grid *g = &x->field.grid;
    size_t top = grid_cell(x, x->top), other = grid_cell(x, cell);
    for (size_t b = 0; b < g->n_blocks; b++)
        d[b] = g->y[b * g->n_cells + top] - g->y[b * g->n_cells + other];
    return stat_test_blocks(d, g->n_blocks, 0, 0);
}

/* Blocks with which a cell of the set that is far behind would have left it; 0:
 * none is. */
static size_t blocks_needed(const struct effects *x, const struct tied *tied,
                            size_t n, double *d)
{
    size_t needed = 0;
    for (size_t i = 0; i < n; i++) {
        struct stat_test t = behind(x, tied[i].cell, d);
        if (!x->field.rule.ratio || t.mean <= -log1p(-FAR_RATIO))
            continue;
        const struct stat_plan plan = {
            .mean = t.mean,
            .sd = t.sd,
            .margin = 0,
            .n = t.n,
            .alpha_diff = 2 * x->field.rule.alpha / (double)(x->n_eligible - 1),
            .alpha_equal = x->field.rule.alpha};
        size_t blocks = stat_plan_blocks(&plan, BLOCKS_CAP);
        blocks = blocks ? blocks : BLOCKS_CAP;
        needed = blocks > needed ? blocks : needed;
    }
    return needed;
}

static void list_cells(const struct effects *x, const struct tied *tied,
                       size_t n, char *buf, size_t size)
{
    size_t len = 0;
    for (size_t i = 0; i < n && i < SHOWN_MAX && len < size; i++)
        len += (size_t)snprintf(buf + len, size - len, "%s%s", i ? "  " : "",
                                x->matrix.cells[tied[i].cell].label);
    if (n > SHOWN_MAX && len < size)
        (void)snprintf(buf + len, size - len, "  and %zu more", n - SHOWN_MAX);
}

static void note_out(const struct effects *x, struct grid *grid)
{
    char line[400] = "";
    size_t n = 0, len = 0;
    for (size_t c = 0; c < x->matrix.n_cells; c++) {
        if (!x->field.ended[c] || x->matrix.cells[c].purpose != PURPOSE_MEASURE)
            continue;
        if (n++ < SHOWN_MAX && len < sizeof line)
            len += (size_t)snprintf(line + len, sizeof line - len, "%s%s",
                                    len ? "  " : "", x->matrix.cells[c].label);
    }
    if (n)
        grid_note(grid,
                  "not eligible, for a trial ran out of memory or failed: "
                  "%s%s",
                  line, n > SHOWN_MAX ? "  and more" : "");
}

enum err effects_best_note(const struct effects *x, struct grid *grid,
                           struct why *why)
{
    char line[600] = "";
    struct tied *tied = calloc(x->matrix.n_cells + 1, sizeof *tied);
    double *d = calloc(x->field.grid.n_blocks + 1, sizeof *d);
    enum err e = tied && d ? ERR_OK : err_set(why, ERR_NOMEM, "effects");
    size_t n = e ? 0 : collect(x, tied);
    size_t needed =
        n > 1 && x->top != SIZE_MAX ? blocks_needed(x, tied, n, d) : 0;
    if (!x->field.rule.judged)
        n = 0; /* no cell is better than another */
    list_cells(x, tied, n, line, sizeof line);
    if (n == 1)
        grid_note(grid, "best cell: %s", line);
    else if (n)
        grid_note(grid,
                  "best cells, %zu that cannot be told apart with %zu blocks: "
                  "%s",
                  n, x->field.grid.n_blocks, line);
    if (n && needed >= BLOCKS_CAP)
        grid_note(grid, "too few blocks to name a best: some of these are far "
                        "behind, in too much noise");
    else if (n && needed)
        grid_note(grid,
                  "too few blocks to name a best: some of these are more than "
                  "%.0f%% behind; about %zu blocks would tell",
                  100 * FAR_RATIO, needed);
    if (!e && x->field.rule.judged)
        note_out(x, grid);
    free(tied);
    free(d);
    return e;
}
