#include "results/ceiling.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/measure.h"
#include "results/handle.h"
#include "results/ingest_read.h"
#include "results/metric.h"
#include "results/rowsum.h"

/* What several loads' records add up to. */
static enum err measure(const struct ceiling_run *run,
                        struct ceiling_figures *out, struct why *why)
{
    struct tally *tally = NULL;
    *out = (struct ceiling_figures){.window_ns = 0};
    enum err e = ingest_read(&tally, run->parts, run->n_parts, why);
    if (!e && (!tally->all.ended || !tally->window_ns))
        e = err_set(why, ERR_CORRUPT, "the load reported no task");
    if (!e) {
        const struct tally_task *all = &tally->all;
        out->window_ns = tally->window_ns;
        out->link_bit_s = tally->link_bit_s;
        out->docs_s = measure_rate(all->docs, tally->window_ns);
        out->ops_s = measure_rate(all->ops, tally->window_ns);
        out->mb_s = measure_rate(all->bytes, tally->window_ns) / 1e6;
    }
    tally_free(tally);
    return e;
}

static struct db_value known(double value)
{
    return value > 0 ? DB_F(value) : (struct db_value){.type = DB_NULL};
}

static enum err put(struct db *db, int64_t experiment,
                    const struct ceiling_run *run,
                    const struct ceiling_figures *f, const char *error,
                    struct why *why)
{
    static const char *const names[] = {
        "id",   "experiment", "link",      "load",  "docs_s", "ops_s",
        "mb_s", "link_bit_s", "window_ns", "error", "bench"};
    int64_t id = 0, bench = 0;
    enum err e = db_run(db,
                        "select coalesce(max(id), 0) + 1 from "
                        "driver_ceiling",
                        DB_NONE, &id, why);
    if (!e)
        e = db_run(db, "insert or ignore into bench (name) values (?)",
                   DB_VALUES(DB_T(run->bench)), NULL, why);
    if (!e)
        e = db_run(db, "select id from bench where name = ?",
                   DB_VALUES(DB_T(run->bench)), &bench, why);
    const struct db_value row[] = {
        DB_I(id),        DB_I(experiment),     DB_T(run->link),
        DB_T(run->load), known(f->docs_s),     known(f->ops_s),
        known(f->mb_s),  known(f->link_bit_s), DB_I(f->window_ns),
        DB_T(error),     DB_I(bench)};
    uint32_t sum = 0;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        sum = rowsum_add(sum, names[i], &row[i]);
    if (!e)
        e = db_run(db,
                   "insert into driver_ceiling (id, experiment, link, load, "
                   "docs_s, ops_s, mb_s, link_bit_s, window_ns, error, "
                   "bench, crc) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                   DB_VALUES(row[0], row[1], row[2], row[3], row[4], row[5],
                             row[6], row[7], row[8], row[9], row[10],
                             DB_I(sum)),
                   NULL, why);
    for (size_t i = 0; !e && i < run->n_cells; i++)
        e = db_run(db,
                   "update cell set driver_ceiling = ? where experiment = ? "
                   "and position = ?",
                   DB_VALUES(DB_I(id), DB_I(experiment), DB_I(run->cells[i])),
                   NULL, why);
    return e;
}

enum err ceiling_add(struct store *store, int64_t experiment,
                     const struct ceiling_run *run, struct ceiling_figures *out,
                     struct why *why)
{
    struct why cause = {""};
    const char *error = run->error;
    assert(store->mode == STORE_WRITE);
    *out = (struct ceiling_figures){.window_ns = 0};
    if (!error && measure(run, out, &cause))
        error = cause.text;
    enum err e = db_begin(store->db, true, why);
    if (!e)
        e = db_end(store->db, put(store->db, experiment, run, out, error, why),
                   why);
    return e ? err_wrap(why, e, "store the driver's ceiling") : ERR_OK;
}

enum err ceiling_share(struct store *store, int64_t experiment,
                       const struct ceiling_run *run, struct why *why)
{
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < run->n_cells; i++)
        e = db_run(store->db,
                   "update cell set driver_ceiling = (select max(d.id) from "
                   "driver_ceiling d where d.experiment = ?1 and d.link = ?2 "
                   "and d.load = ?3 and d.error is null) where experiment = "
                   "?1 and position = ?4 and driver_ceiling is null",
                   DB_VALUES(DB_I(experiment), DB_T(run->link), DB_T(run->load),
                             DB_I(run->cells[i])),
                   NULL, why);
    return e;
}

static const char *shown(struct db_stmt *stmt, size_t i, char *buf, size_t size)
{
    struct db_value v = db_column(stmt, i);
    return v.type == DB_REAL ? metric_show(v.f, buf, size) : "-";
}

static const char *text(struct db_stmt *stmt, size_t i)
{
    struct db_value v = db_column(stmt, i);
    return v.type == DB_TEXT ? v.data : "";
}

/* Columns: link, load, docs_s, ops_s, mb_s, error, link_bit_s, bench ("": need
 * not be told). */
static void note(struct db_stmt *stmt, struct grid *grid)
{
    char docs[32], ops[32], mb[32], bench[80] = "";
    if (*text(stmt, 7))
        (void)snprintf(bench, sizeof bench, " of %s", text(stmt, 7));
    if (*text(stmt, 5))
        grid_note(grid, "driver's ceiling%s over %s, %s: not measured: %s",
                  bench, text(stmt, 0), text(stmt, 1), text(stmt, 5));
    else
        grid_note(
            grid,
            "driver's ceiling%s over %s, %s: %s docs/s, %s requests/s, %s "
            "MB/s",
            bench, text(stmt, 0), text(stmt, 1),
            shown(stmt, 2, docs, sizeof docs), shown(stmt, 3, ops, sizeof ops),
            shown(stmt, 4, mb, sizeof mb));
    if (db_column(stmt, 6).type == DB_REAL)
        grid_note(grid, "link's capacity%s over %s: %s Mbit/s", bench,
                  text(stmt, 0),
                  metric_show(db_column(stmt, 6).f / 1e6, mb, sizeof mb));
}

static enum err notes(struct db *db, const char *sql, int64_t id,
                      struct grid *grid, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(db, &stmt, sql, DB_VALUES(DB_I(id)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        note(stmt, grid);
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

enum err ceiling_notes(struct db *db, int64_t experiment, struct grid *grid,
                       struct why *why)
{
    return notes(db,
                 "select d.link, d.load, d.docs_s, d.ops_s, d.mb_s, d.error, "
                 "d.link_bit_s, case when count(d.bench) over (partition by "
                 "d.link, d.load) > 1 then n.name end from driver_ceiling d "
                 "left join bench n on n.id = d.bench where d.experiment = ? "
                 "order by d.id",
                 experiment, grid, why);
}

enum err ceiling_note(struct db *db, int64_t trial, struct grid *grid,
                      struct why *why)
{
    return notes(db,
                 "select d.link, d.load, d.docs_s, d.ops_s, d.mb_s, d.error, "
                 "(select max(x.link_bit_s) from driver_ceiling x where "
                 "x.experiment = d.experiment and x.link = d.link and x.bench "
                 "is d.bench), '' from trial t join cell c on c.id = t.cell "
                 "join driver_ceiling d on d.id = " CEILING_OF_TRIAL
                 " where t.id = ?",
                 trial, grid, why);
}
