#include "results/history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/handle.h"
#include "results/history_mark.h"
#include "results/history_point.h"

#define SHOWN_MAX 60u /* bytes of a line of a print; of digests the begin */

enum { CELL, SERIES, EXPERIMENT, STARTED, TRIALS, VALUE, LOW, HIGH, MARK };

/* A series: points of one cell, one machine and one build. */
struct series {
    const struct history_points *p;
    size_t at[STAT_HISTORY_MAX]; /* its latest points */
    size_t n, left_out;
};

static void collect(struct series *s, size_t cell, size_t print)
{
    s->n = s->left_out = 0;
    for (size_t i = 0; i < s->p->n; i++) {
        if (s->p->points[i].cell != cell || s->p->points[i].print != print)
            continue;
        if (s->n == STAT_HISTORY_MAX) {
            memmove(s->at, s->at + 1, (s->n - 1) * sizeof *s->at);
            s->n--;
            s->left_out++;
        }
        s->at[s->n++] = i;
    }
}

/* The first line in which two prints differ: "kernel=6.1 -> kernel=6.2". */
static void show_difference(const char *before, const char *after, char *buf,
                            size_t size)
{
    while (*before && *after) {
        size_t a = strcspn(before, "\n"), b = strcspn(after, "\n");
        if (a != b || memcmp(before, after, a) != 0)
            break;
        before += a + (before[a] == '\n');
        after += b + (after[b] == '\n');
    }
    size_t a = strcspn(before, "\n"), b = strcspn(after, "\n");
    (void)snprintf(buf, size, "%.*s -> %.*s",
                   (int)(a < SHOWN_MAX ? a : SHOWN_MAX), before,
                   (int)(b < SHOWN_MAX ? b : SHOWN_MAX), after);
}

static void show_mark(const struct history_mark *m, char *buf, size_t size)
{
    buf[0] = '\0';
    if (m->kind == HISTORY_CHANGE)
        (void)snprintf(buf, size, "change %+.1f %% (p %.2g)",
                       100 * (m->ratio - 1), m->p);
    if (m->kind == HISTORY_SUSPECT)
        (void)snprintf(buf, size, "suspect %+.1f %%: %zu of %u confirmations",
                       100 * (m->ratio - 1), m->confirmed, STAT_SEGMENT_MIN);
}

static void put_number(struct grid *grid, size_t row, size_t column,
                       double value, bool whole)
{
    char text[32];
    if (isnan(value))
        return;
    if (whole)
        (void)snprintf(text, sizeof text, "%.0f", value);
    else
        (void)metric_show(value, text, sizeof text);
    grid_value(grid, row, column, value, text);
}

static void add_row(struct grid *grid, const struct series *s, size_t i,
                    size_t series, double factor, const char *mark)
{
    const struct history_point *p = &s->p->points[s->at[i]];
    size_t row = grid_row(grid);
    grid_text(grid, row, CELL, s->p->cells.texts[p->cell]);
    put_number(grid, row, SERIES, (double)series, true);
    put_number(grid, row, EXPERIMENT, (double)p->experiment, true);
    grid_text(grid, row, STARTED, p->started);
    put_number(grid, row, TRIALS, (double)p->n, true);
    put_number(grid, row, VALUE, p->value * factor, false);
    put_number(grid, row, LOW, p->low * factor, false);
    put_number(grid, row, HIGH, p->high * factor, false);
    grid_text(grid, row, MARK, mark);
}

/* news: what begins with the series; "": it is the cell's first. */
static void add_series(struct grid *grid, const struct series *s, size_t number,
                       const struct history_options *o, double factor,
                       const char *news)
{
    double x[STAT_HISTORY_MAX];
    struct history_mark marks[STAT_HISTORY_MAX] = {{.kind = HISTORY_PLAIN}};
    bool positive = true;
    for (size_t i = 0; i < s->n; i++) {
        x[i] = s->p->points[s->at[i]].value;
        positive &= x[i] > 0;
    }
    if (positive)
        history_marks(x, s->n, o->margin_ratio, marks);
    for (size_t i = 0; i < s->n; i++) {
        char mark[400];
        show_mark(&marks[i], mark, sizeof mark);
        add_row(grid, s, i, number, factor, i ? mark : news);
    }
    if (s->left_out)
        grid_note(grid, "%zu older points of series %zu are left out",
                  s->left_out, number);
}

static void add_cell(struct grid *grid, struct series *s, size_t cell,
                     const struct history_options *o, double factor)
{
    size_t number = 0, before = 0;
    const struct names *prints = &s->p->prints;
    for (size_t print = 0; print < prints->n; print++) {
        char news[300] = "", difference[260];
        collect(s, cell, print);
        if (!s->n)
            continue;
        if (number++) {
            show_difference(prints->texts[before], prints->texts[print],
                            difference, sizeof difference);
            (void)snprintf(news, sizeof news, "new series: %s", difference);
        }
        before = print;
        add_series(grid, s, number, o, factor, news);
    }
}

static void add_columns(struct grid *grid, const char *metric, const char *unit)
{
    grid_column(grid, "cell", "", false);
    grid_column(grid, "series", "", true);
    grid_column(grid, "experiment", "", true);
    grid_column(grid, "started", "", false);
    grid_column(grid, "trials", "", true);
    grid_column(grid, metric, unit, true);
    grid_column(grid, "low", unit, true);
    grid_column(grid, "high", unit, true);
    grid_column(grid, "mark", "", false);
}

static enum err fill(const struct history_points *points,
                     const struct history_options *o,
                     const struct metric *metric, struct grid *grid,
                     struct why *why)
{
    double factor = 1;
    const char *unit = metric_unit(metric, &factor);
    struct series *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(why, ERR_NOMEM, "history");
    s->p = points;
    grid_note(grid,
              "a point per finished experiment, low and high its 95 %% "
              "interval; margin %.3g %%; a change is marked from %u points of "
              "a series on; another machine or build begins a series",
              100 * o->margin_ratio, STAT_HISTORY_MIN);
    add_columns(grid, metric->name, unit);
    for (size_t c = 0; c < points->cells.n; c++)
        add_cell(grid, s, c, o, factor);
    free(s);
    return ERR_OK;
}

enum err answer_history(struct store *store,
                        const struct history_options *options,
                        struct grid *grid, struct why *why)
{
    struct history_points points = {.n = 0};
    const char *name = options->metric ? options->metric : "throughput";
    const struct metric *metric = metric_find(name);
    if (!metric)
        return err_set(why, ERR_NOTFOUND,
                       "there is no metric \"%.60s\" (`pitwall metrics` lists "
                       "them)",
                       name);
    enum err e = db_begin(store->db, false, why);
    if (e)
        return e;
    e = history_points(&points, store->db, metric, options->where, why);
    if (!e && !points.n)
        e = err_set(why, ERR_NOTFOUND,
                    "no finished experiment has a cell with %s and its %s",
                    options->where ? options->where : "any levels", name);
    if (!e)
        e = fill(&points, options, metric, grid, why);
    history_points_fini(&points);
    return db_end(store->db, e, why);
}
