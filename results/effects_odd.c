#include "results/effects_odd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "results/stat_outlier.h"

#define SHOWN_MAX 5

/* The experiment's number of the trial at that place of the field, 0: none. */
static uint32_t tid_at(const struct effects *x, size_t block, size_t cell)
{
    const struct matrix *m = &x->matrix;
    for (size_t t = 0; t < m->n_trials; t++)
        if (m->trials[t].cell == x->field.cell[cell] &&
            m->trials[t].iteration == x->field.iteration[block])
            return m->trials[t].tid;
    return 0;
}

/* The farthest that is still marked; its mark is taken. */
static size_t take_farthest(bool *marks, const double *residual, size_t n)
{
    size_t far = n;
    for (size_t i = 0; i < n; i++)
        if (marks[i] && (far == n || fabs(residual[i]) > fabs(residual[far])))
            far = i;
    if (far < n)
        marks[far] = false;
    return far;
}

/* "1:17 -12%": in the metric's own direction. */
static int show(const struct effects *x, size_t at, double residual, char *buf,
                size_t size)
{
    double factor = 1, off = x->field.rule.sign * residual;
    size_t width = x->field.grid.n_cells;
    long long experiment = x->matrix.experiment;
    uint32_t tid = tid_at(x, at / width, at % width);
    const char *unit = metric_unit(x->metric, &factor);
    if (x->field.rule.ratio)
        return snprintf(buf, size, "%lld:%u %+.0f%%", experiment, tid,
                        100 * expm1(off));
    return snprintf(buf, size, "%lld:%u %+.3g %s", experiment, tid,
                    factor * off, unit);
}

static void note(const struct effects *x, bool *marks, const double *residual,
                 size_t n_odd, struct grid *grid)
{
    char line[300] = "";
    size_t len = 0, n = x->field.grid.n_blocks * x->field.grid.n_cells;
    for (size_t i = 0; i < n_odd && i < SHOWN_MAX && len < sizeof line; i++) {
        size_t at = take_farthest(marks, residual, n);
        len += (size_t)snprintf(line + len, sizeof line - len, "%s",
                                i ? ", " : "");
        if (len < sizeof line)
            len += (size_t)show(x, at, residual[at], line + len,
                                sizeof line - len);
    }
    grid_note(grid,
              "odd trials, kept: %s%s (against what their block and cell let "
              "expect)",
              line, n_odd > SHOWN_MAX ? " and more" : "");
}

enum err effects_odd_note(const struct effects *x, struct grid *grid,
                          struct why *why)
{
    const struct stat_grid *g = &x->field.grid;
    const struct stat_sitting sitting = {g->y, g->n_blocks, g->n_cells};
    size_t n = g->n_blocks * g->n_cells;
    bool *marks = calloc(n + 1, sizeof *marks);
    double *residual = calloc(n + 1, sizeof *residual);
    double *room = calloc(n + 1, sizeof *room);
    enum err e =
        marks && residual && room ? ERR_OK : err_set(why, ERR_NOMEM, "effects");
    size_t n_odd = e ? 0 : stat_outliers(&sitting, marks, residual, room);
    if (n_odd)
        note(x, marks, residual, n_odd, grid);
    free(marks);
    free(residual);
    free(room);
    return e;
}
