#include "results/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/report_metrics.h"

/* How many factor names a list can have before it is no such list. */
#define NAMES_MAX 512

void report_fini(struct report *r)
{
    for (size_t i = 0; i < r->n_metrics; i++)
        free(r->values[i]);
    free(r->entries);
    free(r->bounds);
    pivot_fini(&r->pivot);
    matrix_fini(&r->matrix);
}

static enum err nomem(struct why *why)
{
    return err_set(why, ERR_NOMEM, "report");
}

/* The list of rows without the word "metric"; *found: it was among them. */
static enum err take_metric(const char *rows, char *rest, size_t size,
                            bool *found, struct why *why)
{
    size_t used = 0;
    rest[0] = '\0';
    *found = false;
    if (strlen(rows) >= size)
        return err_set(why, ERR_USAGE, "--rows: longer than %zu bytes",
                       size - 1);
    while (*rows) {
        size_t len = strcspn(rows, ",");
        if (len == 6 && !strncmp(rows, "metric", len))
            *found = true;
        else
            used += (size_t)snprintf(rest + used, size - used, "%s%.*s",
                                     used ? "," : "", (int)len, rows);
        rows += len + (rows[len] == ',');
    }
    return ERR_OK;
}

static enum err lay_out(struct report *r, const struct answer_report *o,
                        struct why *why)
{
    char rows[NAMES_MAX] = "";
    enum err e =
        o->rows ? take_metric(o->rows, rows, sizeof rows, &r->metric_rows, why)
                : ERR_OK;
    return e ? e
             : pivot_make(&r->pivot, &r->matrix, o->rows ? rows : NULL, o->cols,
                          o->where, why);
}

static enum err read_values(struct report *r, struct db *db, const char *names,
                            struct why *why)
{
    size_t n = 0;
    enum err e = report_metrics(names, r->metrics, REPORT_METRICS_MAX, &n, why);
    for (size_t i = 0; !e && i < n; i++) {
        r->values[i] = calloc(r->matrix.n_trials + 1, sizeof *r->values[i]);
        r->n_metrics = i + 1;
        e = r->values[i] ? matrix_values(&r->matrix, db, r->metrics[i],
                                         r->values[i], why)
                         : nomem(why);
    }
    return e;
}

/* The trials sorted by group (counting sort): those of group g are order[i]
 * from starts[g] to starts[g + 1]. */
struct sorted {
    size_t *order, *starts;
};

static enum err sort_trials(const struct report *r, struct sorted *out,
                            struct why *why)
{
    const struct matrix *m = &r->matrix;
    size_t n = r->pivot.rows.n * r->pivot.cols.n;
    out->starts = calloc(n + 2, sizeof *out->starts);
    out->order = calloc(m->n_trials + 1, sizeof *out->order);
    if (!out->starts || !out->order)
        return nomem(why);
    for (size_t i = 0; i < m->n_trials; i++) {
        size_t g = r->pivot.group[m->trials[i].cell];
        if (g != SIZE_MAX)
            out->starts[g + 2]++;
    }
    for (size_t g = 1; g <= n; g++)
        out->starts[g + 1] += out->starts[g];
    for (size_t i = 0; i < m->n_trials; i++) {
        size_t g = r->pivot.group[m->trials[i].cell];
        if (g != SIZE_MAX)
            out->order[out->starts[g + 1]++] = i;
    }
    return ERR_OK;
}

/* values: room for all of the group's. */
static void fill_entry(struct report *r, const struct sorted *sorted,
                       size_t group, size_t metric, double *values)
{
    struct report_entry *out = &r->entries[group * r->n_metrics + metric];
    size_t n = 0;
    for (size_t i = sorted->starts[group]; i < sorted->starts[group + 1]; i++) {
        const struct matrix_trial *t = &r->matrix.trials[sorted->order[i]];
        double v = r->values[metric][sorted->order[i]];
        out->n_trials++;
        out->ends[t->end]++;
        if (t->end != MATRIX_OK || !isfinite(v))
            continue;
        values[n++] = v;
        out->n_driver += t->bound == BOUND_DRIVER;
    }
    out->centre =
        centre_of(values, n, r->metrics[metric]->kind == METRIC_RATIO);
}

static void fill_bounds(struct report *r, const struct sorted *sorted,
                        size_t group)
{
    for (size_t i = sorted->starts[group]; i < sorted->starts[group + 1]; i++) {
        const struct matrix_trial *t = &r->matrix.trials[sorted->order[i]];
        if (t->end == MATRIX_OK)
            bound_count_add(&r->bounds[group], t->bound, t->shared);
    }
}

static enum err fill(struct report *r, struct why *why)
{
    size_t n = r->pivot.rows.n * r->pivot.cols.n;
    struct sorted sorted = {.order = NULL};
    double *values = calloc(r->matrix.n_trials + 1, sizeof *values);
    r->entries = calloc(n * r->n_metrics + 1, sizeof *r->entries);
    r->bounds = calloc(n + 1, sizeof *r->bounds);
    enum err e = values && r->entries && r->bounds
                     ? sort_trials(r, &sorted, why)
                     : nomem(why);
    for (size_t g = 0; !e && g < n; g++) {
        for (size_t m = 0; m < r->n_metrics; m++)
            fill_entry(r, &sorted, g, m, values);
        fill_bounds(r, &sorted, g);
    }
    free(values);
    free(sorted.order);
    free(sorted.starts);
    return e;
}

enum err report_load(struct report *out, struct db *db, int64_t experiment,
                     const struct answer_report *options, struct why *why)
{
    *out = (struct report){.n_metrics = 0};
    enum err e = matrix_load(&out->matrix, db, experiment, why);
    if (!e)
        e = lay_out(out, options, why);
    if (!e)
        e = read_values(out, db, options->metrics, why);
    return e ? e : fill(out, why);
}

const struct report_entry *report_at(const struct report *r, size_t row,
                                     size_t col, size_t metric)
{
    return &r->entries[(row * r->pivot.cols.n + col) * r->n_metrics + metric];
}

const char *report_label(const struct report *r, const struct pivot_axis *axis,
                         size_t i, char *buf, size_t size)
{
    size_t n = 0;
    buf[0] = '\0';
    for (size_t f = 0; f < axis->n_factors && n < size; f++)
        n += (size_t)snprintf(
            buf + n, size - n, "%s%s", f ? " " : "",
            r->matrix.factors[axis->factors[f]]
                .labels[axis->levels[i * axis->n_factors + f]]);
    return buf;
}

bool report_ended(const struct report_entry *entry, char *buf, size_t size)
{
    size_t oom = entry->ends[MATRIX_OOM], failed = entry->ends[MATRIX_FAILED];
    if (failed && oom)
        (void)snprintf(buf, size, "oom %zu/%zu, failed %zu/%zu", oom,
                       entry->n_trials, failed, entry->n_trials);
    else if (failed)
        (void)snprintf(buf, size, "failed %zu/%zu", failed, entry->n_trials);
    else if (oom)
        (void)snprintf(buf, size, "oom %zu/%zu", oom, entry->n_trials);
    else if (!entry->ends[MATRIX_OK] && entry->ends[MATRIX_INVALID])
        (void)snprintf(buf, size, "invalid %zu/%zu",
                       entry->ends[MATRIX_INVALID], entry->n_trials);
    else if (!entry->centre.n)
        (void)snprintf(buf, size, "-");
    else
        return false;
    return true;
}

static bool axis_tells(const struct pivot_axis *axis, size_t factor)
{
    for (size_t i = 0; i < axis->n_factors; i++)
        if (axis->factors[i] == factor)
            return true;
    return false;
}

/* The one level that all shown cells have; SIZE_MAX: they differ, or there is
 * none. */
static size_t common_level(const struct report *r, size_t factor)
{
    size_t level = SIZE_MAX;
    for (size_t c = 0; c < r->matrix.n_cells; c++) {
        size_t own = r->matrix.cells[c].levels[factor];
        if (r->pivot.group[c] == SIZE_MAX)
            continue;
        if (level != SIZE_MAX && level != own)
            return SIZE_MAX;
        level = own;
    }
    return level;
}

/* Factors that neither rows nor columns tell apart: those of one level hold in
 * every cell that is shown, the others are averaged over. */
static void note_untold(const struct report *r, bool common, const char *what,
                        struct grid *grid)
{
    char names[300] = "";
    size_t n = 0;
    for (size_t f = 0; f < r->matrix.n_factors && n < sizeof names; f++) {
        const struct matrix_factor *factor = &r->matrix.factors[f];
        size_t level = common_level(r, f);
        if (axis_tells(&r->pivot.rows, f) || axis_tells(&r->pivot.cols, f) ||
            common != (level != SIZE_MAX))
            continue;
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s%s%s",
                              n ? ", " : "", factor->name, common ? "=" : "",
                              common ? factor->labels[level] : "");
    }
    if (n)
        grid_note(grid, "%s: %s", what, names);
}

void report_notes(const struct report *r, struct grid *grid)
{
    note_untold(r, true, "every cell", grid);
    note_untold(r, false, "averaged over", grid);
    grid_note(grid, "centres are geometric means over trials, of counts and "
                    "times arithmetic ones; ±: coefficient of variation");
}
