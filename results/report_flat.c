/* The matrix as one grid for machines: raw values, their spread and their
 * number in columns of their own; words where there is no centre. */
#include <math.h>
#include <stdio.h>

#include "results/report.h"

static void add_factors(const struct report *r, struct grid *grid)
{
    for (size_t f = 0; f < r->pivot.rows.n_factors; f++)
        grid_column(grid, r->matrix.factors[r->pivot.rows.factors[f]].name, "",
                    false);
}

/* "WHAT LABEL" for each column group, or WHAT alone where there is one. */
static void add_group(const struct report *r, const char *what,
                      const char *tail, const char *unit, struct grid *grid)
{
    char label[128], name[256];
    for (size_t c = 0; c < r->pivot.cols.n; c++) {
        (void)report_label(r, &r->pivot.cols, c, label, sizeof label);
        (void)snprintf(name, sizeof name, "%s%s%s%s", what, *label ? " " : "",
                       label, tail);
        grid_column(grid, name, unit, *unit != '\0');
    }
}

static void add_columns(const struct report *r, struct grid *grid)
{
    double factor = 1;
    add_factors(r, grid);
    if (r->metric_rows) {
        grid_column(grid, "metric", "", false);
        grid_column(grid, "unit", "", false);
        add_group(r, "value", "", "", grid);
        add_group(r, "value", " cv", "%", grid);
        add_group(r, "value", " n", "trials", grid);
    }
    for (size_t i = 0; !r->metric_rows && i < r->n_metrics; i++) {
        const char *name = r->metrics[i]->name;
        add_group(r, name, "", metric_unit(r->metrics[i], &factor), grid);
        add_group(r, name, " cv", "%", grid);
        add_group(r, name, " n", "trials", grid);
    }
    if (!r->metric_rows)
        add_group(r, "bound", "", "", grid);
}

static void set(struct grid *grid, size_t row, size_t column, double value)
{
    char text[32];
    grid_value(grid, row, column, value, metric_show(value, text, sizeof text));
}

/* The value, its spread and its number; at: row and first of the columns. */
static void add_cell(const struct report *r, const struct report_entry *entry,
                     const struct metric *metric, struct grid *grid,
                     const size_t at[2])
{
    char text[160];
    double factor = 1;
    size_t n = r->pivot.cols.n;
    (void)metric_unit(metric, &factor);
    if (!entry->n_trials)
        return;
    set(grid, at[0], at[1] + 2 * n, (double)entry->centre.n);
    if (report_ended(entry, text, sizeof text)) {
        grid_text(grid, at[0], at[1], text);
        return;
    }
    set(grid, at[0], at[1], entry->centre.value * factor);
    if (metric->kind == METRIC_RATIO && isfinite(entry->centre.cv))
        set(grid, at[0], at[1] + n, 100 * entry->centre.cv);
}

/* A row of the matrix with those metrics from the first on. Returns the column
 * behind them. */
static size_t add_cells(const struct report *r, size_t i, size_t metric,
                        struct grid *grid, const size_t at[2])
{
    for (size_t c = 0; c < r->pivot.cols.n; c++)
        add_cell(r, report_at(r, i, c, metric), r->metrics[metric], grid,
                 (const size_t[]){at[0], at[1] + c});
    return at[1] + 3 * r->pivot.cols.n;
}

static size_t start_row(const struct report *r, size_t i, struct grid *grid)
{
    const struct pivot_axis *rows = &r->pivot.rows;
    size_t row = grid_row(grid);
    for (size_t f = 0; f < rows->n_factors; f++)
        grid_text(grid, row, f,
                  r->matrix.factors[rows->factors[f]]
                      .labels[rows->levels[i * rows->n_factors + f]]);
    return row;
}

static void add_metric_rows(const struct report *r, size_t i, struct grid *grid)
{
    size_t n = r->pivot.rows.n_factors;
    double factor = 1;
    for (size_t m = 0; m < r->n_metrics; m++) {
        size_t row = start_row(r, i, grid);
        grid_text(grid, row, n, r->metrics[m]->name);
        grid_text(grid, row, n + 1, metric_unit(r->metrics[m], &factor));
        (void)add_cells(r, i, m, grid, (const size_t[]){row, n + 2});
    }
}

static void add_row(const struct report *r, size_t i, struct grid *grid)
{
    char text[160];
    size_t row = start_row(r, i, grid), column = r->pivot.rows.n_factors;
    for (size_t m = 0; m < r->n_metrics; m++)
        column = add_cells(r, i, m, grid, (const size_t[]){row, column});
    for (size_t c = 0; c < r->pivot.cols.n; c++)
        grid_text(grid, row, column++,
                  bound_count_show(&r->bounds[i * r->pivot.cols.n + c], text,
                                   sizeof text));
}

void report_flat(const struct report *r, struct grid *grid)
{
    add_columns(r, grid);
    for (size_t i = 0; grid->n_columns && i < r->pivot.rows.n; i++)
        if (r->metric_rows)
            add_metric_rows(r, i, grid);
        else
            add_row(r, i, grid);
}
