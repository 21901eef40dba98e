#include "results/page_rate.h"

#include <math.h>
#include <stdlib.h>

#define S 1e9

/* The moments: n spans of step whole seconds from second first on. */
struct axis {
    int64_t first, step;
    size_t n;
};

struct spread {
    double least, sum, most;
    size_t n;
};

/* Whole seconds of the warm-up and of the window; of tasks that end by
 * themselves the window is as long as the longest trial's. */
static enum err find_axis(const struct page_cells *cells, struct db *db,
                          struct axis *out, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    *out = (struct axis){.step = 1};
    enum err e = db_prepare(
        db, &stmt,
        "select cast(e.warmup_ns as real), coalesce(max(cast(k.window_ns as "
        "real)), cast(e.measure_ns as real)) from experiment e left join trial "
        "t on t.experiment = e.id left join task k on k.attempt = t.attempt "
        "and coalesce(k.step, 0) = 0 where e.id = ?",
        DB_VALUES(DB_I(cells->report->matrix.experiment)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && row) {
        double warmup = floor(db_column(stmt, 0).f / S);
        double window = db_column(stmt, 1).f / S;
        double all = fmin(warmup + floor(window), 1e6);
        out->first = -(int64_t)warmup;
        out->step = (int64_t)ceil(fmax(all, 1) / PAGE_RATE_POINTS);
        out->n = (size_t)floor(all / (double)out->step);
    }
    db_finish(stmt);
    return e;
}

/* One trial is over: its rates are one more of its cell. */
static void fold(struct spread *cell, double *trial, const struct axis *axis)
{
    for (size_t i = 0; i < axis->n; i++) {
        double v = trial[i] / (double)axis->step;
        cell[i].least = cell[i].n ? fmin(cell[i].least, v) : v;
        cell[i].most = cell[i].n ? fmax(cell[i].most, v) : v;
        cell[i].sum += v;
        cell[i].n++;
        trial[i] = 0;
    }
}

/* Add up one trial's seconds. A second without a row had nothing. */
static enum err read_trial(struct db_stmt *stmt, int64_t attempt,
                           const struct axis *axis, double *out,
                           struct why *why)
{
    bool row = false;
    db_bind(stmt, DB_VALUES(DB_I(attempt)));
    enum err e = db_step(stmt, &row, why);
    while (!e && row) {
        int64_t i = db_column(stmt, 0).i - axis->first;
        if (i >= 0 && (size_t)(i / axis->step) < axis->n)
            out[i / axis->step] += (double)db_column(stmt, 1).i;
        e = db_step(stmt, &row, why);
    }
    return e;
}

static enum err read_rates(const struct page_cells *cells, struct db *db,
                           const struct axis *axis, struct spread *out,
                           struct why *why)
{
    const struct matrix *m = &cells->report->matrix;
    struct db_stmt *stmt = NULL;
    double trial[PAGE_RATE_POINTS] = {0};
    enum err e = db_prepare(
        db, &stmt,
        "select s.second, iif(k.unit = 'docs', s.docs, s.ops) from sample_load "
        "s join task k on k.attempt = s.attempt and k.task = s.task and "
        "coalesce(k.step, 0) = 0 where s.attempt = ?",
        DB_NONE, why);
    for (size_t t = 0; !e && t < m->n_trials; t++) {
        size_t at = page_cells_of_trial(cells, t);
        if (at == SIZE_MAX)
            continue;
        e = read_trial(stmt, m->trials[t].attempt, axis, trial, why);
        fold(out + at * axis->n, trial, axis);
    }
    db_finish(stmt);
    return e;
}

/* A rate needs no more than four digits in a chart. */
static double rounded(double v)
{
    if (!(v > 0))
        return 0;
    double unit = pow(10, floor(log10(v)) - 3);
    return round(v / unit) * unit;
}

static void add_cell(struct jv *cell, const struct spread *spread, size_t n)
{
    struct jv *rate = jv_add(cell, "rate", JV_OBJECT);
    struct jv *least = jv_add(rate, "least", JV_ARRAY);
    struct jv *mean = jv_add(rate, "mean", JV_ARRAY);
    struct jv *most = jv_add(rate, "most", JV_ARRAY);
    for (size_t i = 0; i < n && spread[i].n; i++) {
        jv_add_number(least, NULL, rounded(spread[i].least));
        jv_add_number(mean, NULL, rounded(spread[i].sum / (double)spread[i].n));
        jv_add_number(most, NULL, rounded(spread[i].most));
    }
}

enum err page_rate(struct page_cells *cells, struct db *db, struct jv *root,
                   struct why *why)
{
    struct axis axis;
    struct spread *spreads = NULL;
    enum err e = find_axis(cells, db, &axis, why);
    if (!e)
        spreads = calloc(cells->n * axis.n + 1, sizeof *spreads);
    if (!e && !spreads)
        e = err_set(why, ERR_NOMEM, "page");
    if (!e)
        e = read_rates(cells, db, &axis, spreads, why);
    struct jv *time = jv_add(root, "time", JV_OBJECT);
    if (!e) {
        jv_add_i64(time, "first", axis.first);
        jv_add_i64(time, "step", axis.step);
        jv_add_u64(time, "points", axis.n);
    }
    for (size_t c = 0; !e && c < cells->n; c++)
        add_cell(cells->out[c], spreads + c * axis.n, axis.n);
    free(spreads);
    return e;
}
