#include "results/page_series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S 1e9

/* Whatever tells of collections: a JVM's own counters before what its server
 * passes on. A server that tells of no memory at all tells of none; zeros are
 * stored as NULL. */
#define COLLECTIONS(young, old)                                                \
    "select second, " young " + " old " from sample_jvm where attempt = ?1 "   \
    "union all select second, coalesce(" young ", 0) + coalesce(" old ", 0) "  \
    "from sample_target where attempt = ?1 and not exists (select 1 from "     \
    "sample_jvm where attempt = ?1) and exists (select 1 from sample_target "  \
    "where attempt = ?1 and (tlab_bytes > 0 or young_count > 0 or "            \
    "old_count > 0))"

/* Compilations by the recording, else by the counters. */
#define COMPILATIONS(recording, counters)                                      \
    "select second, " recording " from sample_jit where attempt = ?1 union "   \
    "all select second, " counters " from sample_jvm where attempt = ?1 and "  \
    "not exists (select 1 from sample_jit where attempt = ?1)"

/* Rows of an attempt: second, value. Several rows of a second are added up. */
static const struct series {
    const char *name, *sql;
    bool whole; /* a second without a row had nothing; else it is unknown */
} all_series[] = {
    {"rate",
     "select s.second, iif(k.unit = 'docs', s.docs, s.ops) from sample_load s "
     "join task k on k.attempt = s.attempt and k.task = s.task and "
     "coalesce(k.step, 0) = 0 where s.attempt = ?1",
     true},
    {"pauses", COLLECTIONS("young_ns / 1e6", "old_ns / 1e6"), false},
    {"collections", COLLECTIONS("young_count", "old_count"), false},
    {"compiles", COMPILATIONS("quick_count + thorough_count", "compiles"),
     true},
    {"compiling",
     COMPILATIONS("(quick_ns + thorough_ns) / 1e6", "compile_ns / 1e6"), true},
    {"traffic",
     "select l.second, 800.0 * l.rx_bytes / m.value from sample_link l join "
     "metric m on m.attempt = l.attempt and m.name = 'link_capacity' and "
     "m.task = '' and m.value > 0 where l.attempt = ?1 and l.side = 'target' "
     "and (l.iface <> 'lo' or not exists (select 1 from sample_link x where "
     "x.attempt = ?1 and x.side = 'target' and x.iface <> 'lo'))",
     false},
};

/* The moments: n spans of step whole seconds from second first on. */
struct axis {
    int64_t first, step;
    size_t n;
};

struct spread {
    double least, sum, most;
    size_t n;
};

/* One trial's moments. */
struct moments {
    double sum[PAGE_SERIES_POINTS];
    int64_t seconds[PAGE_SERIES_POINTS]; /* that were told */
    bool told;                           /* anything */
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
        out->step = (int64_t)ceil(fmax(all, 1) / PAGE_SERIES_POINTS);
        out->n = (size_t)floor(all / (double)out->step);
    }
    db_finish(stmt);
    return e;
}

/* Add up one trial's seconds. */
static enum err read_trial(struct db_stmt *stmt, int64_t attempt,
                           const struct axis *axis, struct moments *out,
                           struct why *why)
{
    bool row = false;
    *out = (struct moments){.told = false};
    db_bind(stmt, DB_VALUES(DB_I(attempt)));
    int64_t last = INT64_MIN;
    enum err e = db_step(stmt, &row, why);
    while (!e && row) {
        int64_t second = db_column(stmt, 0).i, i = second - axis->first;
        struct db_value v = db_column(stmt, 1);
        out->told = true;
        if (i >= 0 && (size_t)(i / axis->step) < axis->n) {
            out->sum[i / axis->step] += v.type == DB_INT ? (double)v.i : v.f;
            out->seconds[i / axis->step] += second != last;
        }
        last = second;
        e = db_step(stmt, &row, why);
    }
    return e;
}

/* One trial is over: its values are one more of its cell. */
static void fold(struct spread *cell, const struct moments *trial,
                 const struct axis *axis, bool whole)
{
    for (size_t i = 0; trial->told && i < axis->n; i++) {
        int64_t seconds = whole ? axis->step : trial->seconds[i];
        if (!seconds)
            continue;
        double v = trial->sum[i] / (double)seconds;
        cell[i].least = cell[i].n ? fmin(cell[i].least, v) : v;
        cell[i].most = cell[i].n ? fmax(cell[i].most, v) : v;
        cell[i].sum += v;
        cell[i].n++;
    }
}

static enum err read_series(const struct page_cells *cells, struct db *db,
                            const struct axis *axis,
                            const struct series *series, struct spread *out,
                            struct why *why)
{
    const struct matrix *m = &cells->report->matrix;
    struct db_stmt *stmt = NULL;
    struct moments trial;
    char sql[1024];
    (void)snprintf(sql, sizeof sql, "%s order by 1", series->sql);
    enum err e = db_prepare(db, &stmt, sql, DB_NONE, why);
    for (size_t t = 0; !e && t < m->n_trials; t++) {
        size_t at = page_cells_of_trial(cells, t);
        if (at == SIZE_MAX)
            continue;
        e = read_trial(stmt, m->trials[t].attempt, axis, &trial, why);
        if (!e)
            fold(out + at * axis->n, &trial, axis, series->whole);
    }
    db_finish(stmt);
    return e;
}

/* A value needs no more than four digits in a chart. */
static double rounded(double v)
{
    if (!(v > 0))
        return 0;
    double unit = pow(10, floor(log10(v)) - 3);
    return round(v / unit) * unit;
}

static void add_cell(struct jv *cell, const char *name,
                     const struct spread *spread, size_t n)
{
    size_t told = 0;
    for (size_t i = 0; i < n; i++)
        told += spread[i].n;
    if (!told)
        return;
    struct jv *series = jv_add(cell, name, JV_OBJECT);
    struct jv *least = jv_add(series, "least", JV_ARRAY);
    struct jv *mean = jv_add(series, "mean", JV_ARRAY);
    struct jv *most = jv_add(series, "most", JV_ARRAY);
    for (size_t i = 0; i < n; i++) {
        const struct spread *s = &spread[i];
        jv_add_number(least, NULL, s->n ? rounded(s->least) : NAN);
        jv_add_number(mean, NULL, s->n ? rounded(s->sum / (double)s->n) : NAN);
        jv_add_number(most, NULL, s->n ? rounded(s->most) : NAN);
    }
}

enum err page_series(struct page_cells *cells, struct db *db, struct jv *root,
                     struct why *why)
{
    struct axis axis;
    struct spread *spreads = NULL;
    enum err e = find_axis(cells, db, &axis, why);
    size_t n = cells->n * axis.n + 1;
    if (!e)
        spreads = calloc(n, sizeof *spreads);
    if (!e && !spreads)
        e = err_set(why, ERR_NOMEM, "page");
    struct jv *time = jv_add(root, "time", JV_OBJECT);
    if (!e) {
        jv_add_i64(time, "first", axis.first);
        jv_add_i64(time, "step", axis.step);
        jv_add_u64(time, "points", axis.n);
    }
    for (size_t s = 0; !e && s < sizeof all_series / sizeof *all_series; s++) {
        memset(spreads, 0, n * sizeof *spreads);
        e = read_series(cells, db, &axis, &all_series[s], spreads, why);
        for (size_t c = 0; !e && c < cells->n; c++)
            add_cell(cells->out[c], all_series[s].name, spreads + c * axis.n,
                     axis.n);
    }
    free(spreads);
    return e;
}
