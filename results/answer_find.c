/* Which experiment or trial is meant, and how far it is. */
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "results/answer.h"
#include "results/handle.h"

static enum err newest(struct store *store, int64_t *experiment,
                       struct why *why)
{
    enum err e = db_run(store->db,
                        "select id from experiment "
                        "order by id desc limit 1",
                        DB_NONE, experiment, why);
    return e == ERR_NOTFOUND
               ? err_set(why, e, "%s holds no experiment", store->path)
               : e;
}

enum err answer_find(struct store *store, const char *word, int64_t *experiment,
                     struct why *why)
{
    if (!word)
        return newest(store, experiment, why);
    uint64_t id = 0;
    enum err e = ERR_NOTFOUND;
    if (!units_u64(word, INT64_MAX, &id, NULL))
        e = db_run(store->db, "select id from experiment where id = ?",
                   DB_VALUES(DB_I(id)), experiment, NULL);
    if (e)
        e = db_run(store->db,
                   "select id from experiment where name = ?1 or uuid = ?1 "
                   "order by id desc limit 1",
                   DB_VALUES(DB_T(word)), experiment, why);
    return e == ERR_NOTFOUND ? err_set(why, e,
                                       "%s holds no experiment \"%s\" "
                                       "(`pitwall list` shows them)",
                                       store->path, word)
                             : e;
}

enum err answer_unfinished(struct store *store, int64_t *experiment,
                           struct why *why)
{
    enum err e = db_run(store->db,
                        "select id from experiment where state in "
                        "('running', 'interrupted', 'failed') "
                        "order by id desc limit 1",
                        DB_NONE, experiment, why);
    return e == ERR_NOTFOUND
               ? err_set(why, e, "%s holds no unfinished experiment",
                         store->path)
               : e;
}

enum err answer_trial(struct store *store, const char *word, int64_t *id,
                      struct why *why)
{
    char name[256];
    uint64_t number = 0;
    int64_t experiment = 0;
    const char *colon = strrchr(word, ':');
    enum err e = units_u64(colon ? colon + 1 : word, INT64_MAX, &number, why);
    if (e)
        return err_wrap(why, e, "trial \"%s\"", word);
    if (!colon) {
        e = db_run(store->db, "select id from trial where id = ?",
                   DB_VALUES(DB_I(number)), id, why);
    } else {
        (void)snprintf(name, sizeof name, "%.*s", (int)(colon - word), word);
        e = answer_find(store, *name ? name : NULL, &experiment, why);
        if (e)
            return e;
        e = db_run(store->db,
                   "select id from trial where experiment = ? and tid = ?",
                   DB_VALUES(DB_I(experiment), DB_I(number)), id, why);
    }
    return e == ERR_NOTFOUND ? err_set(why, e,
                                       "%s holds no trial \"%s\" "
                                       "(EXPERIMENT:NUMBER)",
                                       store->path, word)
                             : e;
}

enum err answer_counts(struct store *store, int64_t experiment,
                       struct answer_counts *counts, struct why *why)
{
    static const char sql[] =
        "select count(*), sum(a.outcome is 'ok'), sum(a.outcome is 'oom'), "
        "sum(a.outcome is 'failed'), sum(a.outcome is 'aborted'), "
        "sum(exists (select 1 from invalid i where i.attempt = a.id)) "
        "from trial t join block b on b.id = t.block and not b.superseded "
        "left join attempt a on a.id = coalesce(t.attempt, (select x.id from "
        "attempt x where x.trial = t.id order by x.n desc limit 1)) "
        "where t.experiment = ?";
    *counts = (struct answer_counts){.trials = 0};
    uint64_t *const out[] = {&counts->trials,  &counts->ok,
                             &counts->oom,     &counts->failed,
                             &counts->aborted, &counts->invalid};
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e =
        db_prepare(store->db, &stmt, sql, DB_VALUES(DB_I(experiment)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    for (size_t i = 0; !e && i < sizeof out / sizeof *out; i++)
        *out[i] = (uint64_t)db_column(stmt, i).i;
    db_finish(stmt);
    return e;
}

enum err answer_state(struct store *store, int64_t experiment, char *buf,
                      size_t size, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(store->db, &stmt,
                            "select state from experiment where id = ?",
                            DB_VALUES(DB_I(experiment)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && !row)
        e = err_set(why, ERR_NOTFOUND, "there is no experiment %lld",
                    (long long)experiment);
    if (!e) {
        const char *state = db_column(stmt, 0).data;
        (void)snprintf(buf, size, "%s", state ? state : "");
    }
    db_finish(stmt);
    return e;
}

enum err answer_broken(struct store *store, int64_t attempt, char *buf,
                       size_t size, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    size_t used = 0;
    buf[0] = '\0';
    enum err e = db_prepare(store->db, &stmt,
                            "select rule from invalid where attempt = ? "
                            "order by rule",
                            DB_VALUES(DB_I(attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row && used < size) {
        const char *rule = db_column(stmt, 0).data;
        int n = snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
                         rule ? rule : "");
        used += n > 0 ? (size_t)n : 0;
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}
