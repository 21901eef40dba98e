/* The matrix of one experiment as a table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/answer.h"
#include "results/bound_count.h"
#include "results/centre.h"
#include "results/handle.h"
#include "results/heading.h"
#include "results/pivot.h"

#define METRICS_MAX 32

struct report {
    struct matrix matrix;
    struct pivot pivot;
    const struct metric *metrics[METRICS_MAX];
    size_t n_metrics;
    double *values[METRICS_MAX]; /* [n_trials] each */
    size_t *by_group; /* [n_trials] trials in the order of their groups */
    size_t *starts;   /* [groups + 1] where each group begins in by_group */
    size_t n_groups;
};

static void report_fini(struct report *r)
{
    for (size_t i = 0; i < r->n_metrics; i++)
        free(r->values[i]);
    free(r->by_group);
    free(r->starts);
    pivot_fini(&r->pivot);
    matrix_fini(&r->matrix);
}

static enum err add_metric(struct report *r, const char *name, size_t len,
                           struct why *why)
{
    char word[64];
    (void)snprintf(word, sizeof word, "%.*s", (int)len, name);
    const struct metric *m = metric_find(word);
    if (!m)
        return err_set(why, ERR_NOTFOUND,
                       "there is no metric \"%s\" (`pitwall metrics` lists "
                       "them)",
                       word);
    if (r->n_metrics == METRICS_MAX)
        return err_set(why, ERR_USAGE, "more than %d metrics", METRICS_MAX);
    r->metrics[r->n_metrics++] = m;
    return ERR_OK;
}

static enum err read_metrics(struct report *r, struct db *db, const char *names,
                             struct why *why)
{
    enum err e = ERR_OK;
    while (!e && *names) {
        size_t len = strcspn(names, ",");
        e = add_metric(r, names, len, why);
        names += len + (names[len] == ',');
    }
    for (size_t i = 0; !e && i < r->n_metrics; i++) {
        r->values[i] = calloc(r->matrix.n_trials + 1, sizeof *r->values[i]);
        e = r->values[i] ? matrix_values(&r->matrix, db, r->metrics[i],
                                         r->values[i], why)
                         : err_set(why, ERR_NOMEM, "report");
    }
    return e;
}

/* Sort the trials by group (counting sort). */
static enum err group_trials(struct report *r, struct why *why)
{
    const struct matrix *m = &r->matrix;
    r->n_groups = r->pivot.rows.n * r->pivot.cols.n;
    r->starts = calloc(r->n_groups + 2, sizeof *r->starts);
    r->by_group = calloc(m->n_trials + 1, sizeof *r->by_group);
    if (!r->starts || !r->by_group)
        return err_set(why, ERR_NOMEM, "report");
    for (size_t i = 0; i < m->n_trials; i++) {
        size_t g = r->pivot.group[m->trials[i].cell];
        if (g != SIZE_MAX)
            r->starts[g + 2]++;
    }
    for (size_t g = 1; g <= r->n_groups; g++)
        r->starts[g + 1] += r->starts[g];
    for (size_t i = 0; i < m->n_trials; i++) {
        size_t g = r->pivot.group[m->trials[i].cell];
        if (g != SIZE_MAX)
            r->by_group[r->starts[g + 1]++] = i;
    }
    return ERR_OK;
}

/* "eth200" or "eth200 cubic": the levels of row or column group i. */
static void axis_label(const struct matrix *m, const struct pivot_axis *axis,
                       size_t i, char *buf, size_t size)
{
    size_t n = 0;
    buf[0] = '\0';
    for (size_t f = 0; f < axis->n_factors && n < size; f++)
        n += (size_t)snprintf(
            buf + n, size - n, "%s%s", f ? " " : "",
            m->factors[axis->factors[f]]
                .labels[axis->levels[i * axis->n_factors + f]]);
}

static void add_columns(const struct report *r, struct grid *grid)
{
    const struct matrix *m = &r->matrix;
    char label[128], name[256];
    double factor = 1;
    for (size_t f = 0; f < r->pivot.rows.n_factors; f++)
        grid_column(grid, m->factors[r->pivot.rows.factors[f]].name, "", false);
    for (size_t i = 0; i < r->n_metrics; i++)
        for (size_t c = 0; c < r->pivot.cols.n; c++) {
            axis_label(m, &r->pivot.cols, c, label, sizeof label);
            (void)snprintf(name, sizeof name, "%s%s%s", r->metrics[i]->name,
                           *label ? " " : "", label);
            grid_column(grid, name, metric_unit(r->metrics[i], &factor), true);
        }
    for (size_t c = 0; c < r->pivot.cols.n; c++) {
        axis_label(m, &r->pivot.cols, c, label, sizeof label);
        (void)snprintf(name, sizeof name, "bound%s%s", *label ? " " : "",
                       label);
        grid_column(grid, name, "", false);
    }
}

/* How the trials of a group ended, and the values of those that count. */
struct tray {
    size_t ends[MATRIX_ENDS], n; /* n: all trials */
    size_t n_values;
    size_t n_driver; /* of the values: bounded by the driver */
    double *values;
};

static void fill(const struct report *r, size_t group, size_t metric,
                 struct tray *tray)
{
    tray->n = 0;
    tray->n_values = 0;
    tray->n_driver = 0;
    memset(tray->ends, 0, sizeof tray->ends);
    for (size_t i = r->starts[group]; i < r->starts[group + 1]; i++) {
        const struct matrix_trial *t = &r->matrix.trials[r->by_group[i]];
        double v = r->values[metric][r->by_group[i]];
        tray->n++;
        tray->ends[t->end]++;
        if (t->end != MATRIX_OK || !isfinite(v))
            continue;
        tray->values[tray->n_values++] = v;
        tray->n_driver += t->bound == BOUND_DRIVER;
    }
}

/* Trials that ended otherwise leave no centre: one of the survivors alone would
 * flatter the cell. False: none did. */
static bool ended_otherwise(const struct tray *tray, char *buf, size_t size)
{
    size_t oom = tray->ends[MATRIX_OOM], failed = tray->ends[MATRIX_FAILED];
    if (failed && oom)
        (void)snprintf(buf, size, "oom %zu/%zu, failed %zu/%zu", oom, tray->n,
                       failed, tray->n);
    else if (failed)
        (void)snprintf(buf, size, "failed %zu/%zu", failed, tray->n);
    else if (oom)
        (void)snprintf(buf, size, "oom %zu/%zu", oom, tray->n);
    else if (!tray->ends[MATRIX_OK] && tray->ends[MATRIX_INVALID])
        (void)snprintf(buf, size, "invalid %zu/%zu", tray->ends[MATRIX_INVALID],
                       tray->n);
    else if (!tray->n_values)
        (void)snprintf(buf, size, "-");
    else
        return false;
    return true;
}

/* "1000 ±1.2%", "6 (5..7)", and "n=2/3" where trials are missing. */
static void show_centre(const struct metric *metric, const struct centre *c,
                        size_t n_trials, char *buf, size_t size)
{
    char value[32], least[32], most[32];
    double factor = 1;
    (void)metric_unit(metric, &factor);
    bool differ = c->min < c->max;
    size_t n = 0;
    if (metric->kind == METRIC_EXACT && differ)
        n = (size_t)snprintf(buf, size, "%s..%s",
                             metric_show(c->min * factor, least, sizeof least),
                             metric_show(c->max * factor, most, sizeof most));
    else
        n = (size_t)snprintf(
            buf, size, "%s",
            metric_show(c->value * factor, value, sizeof value));
    if (metric->kind == METRIC_RATIO && isfinite(c->cv))
        n += (size_t)snprintf(buf + n, size - n, " ±%.1f%%", 100 * c->cv);
    else if (metric->kind != METRIC_EXACT && differ)
        n += (size_t)snprintf(buf + n, size - n, " (%s..%s)",
                              metric_show(c->min * factor, least, sizeof least),
                              metric_show(c->max * factor, most, sizeof most));
    if (c->n < n_trials)
        (void)snprintf(buf + n, size - n, " n=%zu/%zu", c->n, n_trials);
}

static void add_cell(const struct report *r, struct tray *tray, size_t metric,
                     struct grid *grid, const size_t at[2])
{
    char text[160];
    const struct metric *m = r->metrics[metric];
    double factor = 1;
    (void)metric_unit(m, &factor);
    if (ended_otherwise(tray, text, sizeof text)) {
        grid_text(grid, at[0], at[1], text);
        return;
    }
    struct centre c =
        centre_of(tray->values, tray->n_values, m->kind == METRIC_RATIO);
    show_centre(m, &c, tray->n, text, sizeof text);
    size_t n = strlen(text);
    if (tray->n_driver)
        (void)snprintf(text + n, sizeof text - n, " driver %zu/%zu",
                       tray->n_driver, tray->n_values);
    grid_value(grid, at[0], at[1], c.value * factor, text);
}

/* What bounded the group's trials, those that count. */
static void add_bound(const struct report *r, size_t group, struct grid *grid,
                      const size_t at[2])
{
    struct bound_count count = {.all = 0};
    char text[160];
    for (size_t i = r->starts[group]; i < r->starts[group + 1]; i++) {
        const struct matrix_trial *t = &r->matrix.trials[r->by_group[i]];
        if (t->end == MATRIX_OK)
            bound_count_add(&count, t->bound, t->shared);
    }
    grid_text(grid, at[0], at[1], bound_count_show(&count, text, sizeof text));
}

static void add_row(const struct report *r, size_t i, struct tray *tray,
                    struct grid *grid)
{
    const struct pivot_axis *rows = &r->pivot.rows;
    size_t row = grid_row(grid), column = rows->n_factors;
    for (size_t f = 0; f < rows->n_factors; f++)
        grid_text(grid, row, f,
                  r->matrix.factors[rows->factors[f]]
                      .labels[rows->levels[i * rows->n_factors + f]]);
    for (size_t m = 0; m < r->n_metrics; m++)
        for (size_t c = 0; c < r->pivot.cols.n; c++) {
            fill(r, i * r->pivot.cols.n + c, m, tray);
            if (tray->n)
                add_cell(r, tray, m, grid, (const size_t[]){row, column});
            column++;
        }
    for (size_t c = 0; c < r->pivot.cols.n; c++)
        add_bound(r, i * r->pivot.cols.n + c, grid,
                  (const size_t[]){row, column++});
}

/* Factors that neither rows nor columns tell apart: those of one level hold in
 * every cell, the others are averaged over. */
static void note_untold(const struct report *r, bool single, const char *what,
                        struct grid *grid)
{
    char names[300] = "";
    size_t n = 0;
    for (size_t f = 0; f < r->matrix.n_factors && n < sizeof names; f++) {
        const struct matrix_factor *factor = &r->matrix.factors[f];
        bool told = false;
        for (size_t i = 0; i < r->pivot.rows.n_factors; i++)
            told |= r->pivot.rows.factors[i] == f;
        for (size_t i = 0; i < r->pivot.cols.n_factors; i++)
            told |= r->pivot.cols.factors[i] == f;
        if (!told && single == (factor->n_levels == 1))
            n +=
                (size_t)snprintf(names + n, sizeof names - n, "%s%s%s%s",
                                 n ? ", " : "", factor->name, single ? "=" : "",
                                 single ? factor->labels[0] : "");
    }
    if (n)
        grid_note(grid, "%s: %s", what, names);
}

static enum err add_rows(const struct report *r, struct grid *grid,
                         struct why *why)
{
    struct tray tray = {
        .values = calloc(r->matrix.n_trials + 1, sizeof *tray.values)};
    if (!tray.values)
        return err_set(why, ERR_NOMEM, "report");
    add_columns(r, grid);
    for (size_t i = 0; grid->n_columns && i < r->pivot.rows.n; i++)
        add_row(r, i, &tray, grid);
    free(tray.values);
    return ERR_OK;
}

static enum err report(struct report *r, struct db *db, int64_t experiment,
                       const struct answer_report *options, struct grid *grid,
                       struct why *why)
{
    const char *metrics =
        options->metrics ? options->metrics
                         : "throughput,bytes_per_read,latency_p50,latency_p99";
    enum err e = matrix_load(&r->matrix, db, experiment, why);
    if (!e)
        e = pivot_make(&r->pivot, &r->matrix, options->rows, options->cols,
                       options->where, why);
    if (!e)
        e = read_metrics(r, db, metrics, why);
    if (!e)
        e = group_trials(r, why);
    if (!e)
        e = heading_add(&r->matrix, db, grid, why);
    if (e)
        return e;
    note_untold(r, true, "every cell", grid);
    note_untold(r, false, "averaged over", grid);
    grid_note(grid, "centres are geometric means over trials, ±: coefficient "
                    "of variation; counts are means (least..most)");
    return add_rows(r, grid, why);
}

enum err answer_report(struct store *store, int64_t experiment,
                       const struct answer_report *options, struct grid *grid,
                       struct why *why)
{
    struct report r = {.n_metrics = 0};
    enum err e = db_begin(store->db, false, why);
    if (e)
        return e;
    e = report(&r, store->db, experiment, options, grid, why);
    e = db_end(store->db, e, why);
    report_fini(&r);
    return e;
}
