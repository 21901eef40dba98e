#include "results/check_order.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "results/stat_outlier.h"
#include "results/stat_trend.h"

#define CHANCE 0.01 /* below it a slope is told as one */

/* Logarithms of throughput of cells that are whole in every block. */
struct sitting {
    const struct matrix *m;
    size_t n_blocks, n_cells;
    size_t *column; /* [m->n_cells], SIZE_MAX: left out */
    double *y;      /* [n_blocks][n_cells] */
    uint32_t *tid;  /* likewise */
    double *x, *r;  /* [n_blocks * n_cells]: places and residuals */
    double *values; /* [m->n_trials] */
};

static void sitting_fini(struct sitting *s)
{
    free(s->column);
    free(s->y);
    free(s->tid);
    free(s->x);
    free(s->r);
    free(s->values);
}

static bool counts(const struct sitting *s, size_t t)
{
    const struct matrix_trial *trial = &s->m->trials[t];
    return s->m->cells[trial->cell].purpose == PURPOSE_MEASURE &&
           trial->end == MATRIX_OK && s->values[t] > 0 &&
           trial->iteration >= 1 && (size_t)trial->iteration <= s->n_blocks;
}

/* Blocks by their iteration; a cell counts when it has one value in each. */
static enum err choose(struct sitting *s, struct why *why)
{
    const struct matrix *m = s->m;
    for (size_t t = 0; t < m->n_trials; t++)
        if (m->trials[t].iteration > (int64_t)s->n_blocks)
            s->n_blocks = (size_t)m->trials[t].iteration;
    s->column = calloc(m->n_cells + 1, sizeof *s->column);
    if (!s->column)
        return err_set(why, ERR_NOMEM, "check");
    for (size_t t = 0; t < m->n_trials; t++)
        if (counts(s, t))
            s->column[m->trials[t].cell]++;
    for (size_t c = 0; c < m->n_cells; c++)
        s->column[c] = s->n_blocks && s->column[c] == s->n_blocks ? s->n_cells++
                                                                  : SIZE_MAX;
    return ERR_OK;
}

static enum err fill(struct sitting *s, struct why *why)
{
    size_t n = s->n_blocks * s->n_cells;
    s->y = calloc(n + 1, sizeof *s->y);
    s->x = calloc(n + 1, sizeof *s->x);
    s->r = calloc(n + 1, sizeof *s->r);
    s->tid = calloc(n + 1, sizeof *s->tid);
    if (!s->y || !s->x || !s->r || !s->tid)
        return err_set(why, ERR_NOMEM, "check");
    for (size_t t = 0; t < s->m->n_trials; t++) {
        const struct matrix_trial *trial = &s->m->trials[t];
        if (!counts(s, t) || s->column[trial->cell] == SIZE_MAX)
            continue;
        size_t at = ((size_t)trial->iteration - 1) * s->n_cells +
                    s->column[trial->cell];
        s->y[at] = log(s->values[t]);
        s->tid[at] = trial->tid;
    }
    return ERR_OK;
}

/* Residuals from the means of block and cell, on the trial's number within its
 * block, which tids give: they rise in running order. */
static void residuals(struct sitting *s)
{
    double all = 0;
    size_t n = s->n_blocks * s->n_cells;
    for (size_t i = 0; i < n; i++)
        all += s->y[i] / (double)n;
    for (size_t b = 0; b < s->n_blocks; b++)
        for (size_t c = 0; c < s->n_cells; c++) {
            double block = 0, cell = 0;
            size_t before = 0, at = b * s->n_cells + c;
            for (size_t k = 0; k < s->n_cells; k++) {
                block += s->y[b * s->n_cells + k] / (double)s->n_cells;
                before += s->tid[b * s->n_cells + k] < s->tid[at];
            }
            for (size_t k = 0; k < s->n_blocks; k++)
                cell += s->y[k * s->n_cells + c] / (double)s->n_blocks;
            s->r[at] = s->y[at] - block - cell + all;
            s->x[at] = (double)before + 1;
        }
}

static void note_trend(struct grid *grid, const char *what, const char *per,
                       struct stat_trend trend)
{
    grid_note(grid, "%s: throughput %+.2f %% per %s, p %.2g: %s", what,
              100 * expm1(trend.slope), per, trend.p,
              trend.p < CHANCE ? "it drifts" : "no drift that shows");
}

static void note_outliers(struct sitting *s, struct grid *grid)
{
    size_t n = s->n_blocks * s->n_cells;
    char list[200];
    size_t used = 0;
    bool *marks = calloc(n + 1, sizeof *marks);
    const struct stat_sitting sitting = {s->y, s->n_blocks, s->n_cells};
    if (marks && stat_outliers(&sitting, marks, s->r, s->x)) {
        for (size_t i = 0; i < n && used < sizeof list; i++)
            if (marks[i])
                used += (size_t)snprintf(list + used, sizeof list - used,
                                         "%s%u", used ? ", " : "", s->tid[i]);
        grid_note(grid,
                  "far from what their block and cell let expect, kept: trials "
                  "%s",
                  list);
    }
    free(marks);
}

static void note(struct sitting *s, struct grid *grid)
{
    size_t n = s->n_blocks * s->n_cells;
    if (s->n_blocks < 3 || !s->n_cells) {
        grid_note(grid, "order effects: not judged, fewer than 3 whole blocks");
        return;
    }
    residuals(s);
    note_trend(grid, "within blocks", "place", stat_trend_of(s->x, s->r, n));
    double *blocks = s->x, *means = s->r;
    for (size_t b = 0; b < s->n_blocks; b++) {
        blocks[b] = (double)b;
        means[b] = 0;
        for (size_t c = 0; c < s->n_cells; c++)
            means[b] += s->y[b * s->n_cells + c] / (double)s->n_cells;
    }
    note_trend(grid, "over the sitting", "block",
               stat_trend_of(blocks, means, s->n_blocks));
    note_outliers(s, grid);
}

enum err check_order(const struct matrix *matrix, struct db *db,
                     struct grid *grid, struct why *why)
{
    struct sitting s = {.m = matrix};
    enum err e = ERR_OK;
    s.values = calloc(matrix->n_trials + 1, sizeof *s.values);
    if (!s.values)
        e = err_set(why, ERR_NOMEM, "check");
    if (!e)
        e = matrix_values(matrix, db, metric_find("throughput"), s.values, why);
    if (!e)
        e = choose(&s, why);
    if (!e)
        e = fill(&s, why);
    if (!e && !matrix->loose)
        note(&s, grid);
    sitting_fini(&s);
    return e;
}
