#include "results/pace.h"

#include <stdio.h>

#include "results/handle.h"

/* Seconds of each attempt that ended by itself. */
#define LENGTHS                                                                \
    "(select (julianday(z.at) - julianday(f.at)) * 86400.0 as s "              \
    "from attempt a join trial t on t.id = a.trial "                           \
    "join attempt_move f on f.attempt = a.id and f.n = 0 "                     \
    "join attempt_move z on z.attempt = a.id and z.state = 'stored' "          \
    "where t.experiment = ?1 and a.outcome in ('ok', 'oom', 'failed'))"

static enum err real(struct db *db, const char *sql, int64_t experiment,
                     double far, double out[2], struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    out[0] = out[1] = 0;
    enum err e =
        db_prepare(db, &stmt, sql, DB_VALUES(DB_I(experiment), DB_F(far)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    for (size_t i = 0; !e && row && i < 2; i++) {
        struct db_value v = db_column(stmt, i);
        out[i] = v.type == DB_INT ? (double)v.i : v.f;
    }
    db_finish(stmt);
    return e;
}

static enum err benches_of(struct db *db, int64_t experiment, struct pace *out,
                           struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(db, &stmt,
                            "select group_concat(name, ', ') from (select "
                            "distinct n.name from block b join bench n on n.id "
                            "= b.bench where b.experiment = ? and not "
                            "b.superseded order by n.name)",
                            DB_VALUES(DB_I(experiment)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    const char *name = row ? db_column(stmt, 0).data : NULL;
    (void)snprintf(out->benches, sizeof out->benches, "%s", name ? name : "");
    db_finish(stmt);
    return e;
}

static enum err read_all(struct db *db, int64_t experiment, struct pace *out,
                         struct why *why)
{
    double median[2], mean[2] = {0, 0}, spent[2] = {0, 0};
    enum err e = real(db,
                      "select s, 0 from " LENGTHS " where ?2 = 0 order by s "
                      "limit 1 offset (select count(*) / 2 from " LENGTHS ")",
                      experiment, 0, median, why);
    if (!e)
        e = real(db, "select avg(s), count(*) from " LENGTHS " where s <= ?2",
                 experiment, PACE_FAR * median[0], mean, why);
    if (!e)
        e = real(db,
                 "select (julianday('now') - julianday(f.at)) * 86400.0, 0 "
                 "from attempt a join trial t on t.id = a.trial "
                 "join attempt_move f on f.attempt = a.id and f.n = 0 "
                 "where t.experiment = ?1 and a.state <> 'stored' and ?2 = 0 "
                 "order by a.id desc limit 1",
                 experiment, 0, spent, why);
    out->trial_ns = (uint64_t)(mean[0] * 1e9);
    out->n = (uint32_t)mean[1];
    out->spent_ns = spent[0] > 0 ? (uint64_t)(spent[0] * 1e9) : 0;
    return e ? e : benches_of(db, experiment, out, why);
}

enum err pace_read(struct store *store, int64_t experiment, struct pace *out,
                   struct why *why)
{
    *out = (struct pace){.n = 0};
    enum err e = db_begin(store->db, false, why);
    return e ? e
             : db_end(store->db, read_all(store->db, experiment, out, why),
                      why);
}
