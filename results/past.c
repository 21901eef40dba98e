#include "results/past.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/handle.h"

/* Take one row of a query; i counts them from 0. */
typedef enum err taker(struct past *p, struct db_stmt *row, size_t i,
                       struct why *why);

static char *text(struct db_stmt *row, size_t i)
{
    struct db_value v = db_column(row, i);
    return strdup(v.type == DB_TEXT ? (const char *)v.data : "");
}

static void copy(struct db_stmt *row, size_t i, char bench[65])
{
    struct db_value v = db_column(row, i);
    (void)snprintf(bench, 65, "%s",
                   v.type == DB_TEXT ? (const char *)v.data : "");
}

static enum err no_memory(struct why *why)
{
    return err_set(why, ERR_NOMEM, "an experiment's past");
}

static enum err take_experiment(struct past *p, struct db_stmt *row, size_t i,
                                struct why *why)
{
    (void)i;
    p->uuid = text(row, 0);
    p->name = text(row, 1);
    p->state = text(row, 2);
    p->json = text(row, 3);
    p->conduct = text(row, 4);
    p->folder = text(row, 5);
    p->n_sittings = (uint32_t)db_column(row, 6).i;
    return p->uuid && p->name && p->state && p->json && p->conduct && p->folder
               ? ERR_OK
               : no_memory(why);
}

static enum err take_cell(struct past *p, struct db_stmt *row, size_t i,
                          struct why *why)
{
    struct past_cell *c = &p->cells[i];
    const char *word = db_column(row, 2).data;
    c->label = text(row, 1);
    if (!c->label)
        return no_memory(why);
    if ((size_t)db_column(row, 0).i != i)
        return err_set(why, ERR_CORRUPT, "there is no cell at position %zu", i);
    return purpose_parse(word ? word : "", &c->purpose, why);
}

static enum err take_trial(struct past *p, struct db_stmt *row, size_t i,
                           struct why *why)
{
    int64_t position = db_column(row, 1).i, iteration = db_column(row, 2).i;
    bool good = (size_t)db_column(row, 0).i == i + 1 && position >= 0 &&
                (size_t)position < p->n_cells &&
                (iteration == p->n_blocks || iteration == p->n_blocks + 1);
    if (!good)
        return err_set(why, ERR_CORRUPT, "trial %zu is out of order", i + 1);
    p->order[i] = (uint32_t)position;
    p->n_blocks = (uint32_t)iteration;
    p->ends[iteration - 1] = (uint32_t)i + 1;
    p->blocks[iteration - 1].tried |= db_column(row, 3).i != 0;
    p->blocks[iteration - 1].superseded = db_column(row, 4).i != 0;
    copy(row, 5, p->blocks[iteration - 1].bench);
    return ERR_OK;
}

static enum err take_attempt(struct past *p, struct db_stmt *row, size_t i,
                             struct why *why)
{
    struct past_attempt *a = &p->attempts[i];
    const char *state = db_column(row, 3).data;
    const char *outcome = db_column(row, 4).data;
    const char *error = db_column(row, 7).data;
    a->id = db_column(row, 0).i;
    a->tid = (uint32_t)db_column(row, 1).i;
    a->n = (uint32_t)db_column(row, 2).i;
    a->invalid = db_column(row, 5).i != 0;
    a->spool_bytes = (uint64_t)db_column(row, 6).i;
    (void)snprintf(a->error, sizeof a->error, "%s", error ? error : "");
    enum err e = state_parse(state ? state : "", &a->state, why);
    return e ? e : outcome_parse(outcome ? outcome : "", &a->outcome, why);
}

static enum err take_ceiling(struct past *p, struct db_stmt *row, size_t i,
                             struct why *why)
{
    p->ceilings[i].link = text(row, 0);
    p->ceilings[i].load = text(row, 1);
    copy(row, 2, p->ceilings[i].bench);
    return p->ceilings[i].link && p->ceilings[i].load ? ERR_OK : no_memory(why);
}

/* Run sql, whose only value is the experiment, and take at most max rows. */
static enum err each(struct past *p, struct db *db, const char *sql, size_t max,
                     taker *take, struct why *why)
{
    struct db_stmt *row = NULL;
    bool any = false;
    enum err e = db_prepare(db, &row, sql, DB_VALUES(DB_I(p->experiment)), why);
    if (!e)
        e = db_step(row, &any, why);
    for (size_t i = 0; !e && any && i < max; i++) {
        e = take(p, row, i, why);
        if (!e)
            e = db_step(row, &any, why);
    }
    db_finish(row);
    return e;
}

static enum err count(struct past *p, struct db *db, const char *table,
                      size_t *n, struct why *why)
{
    char sql[128];
    int64_t v = 0;
    (void)snprintf(sql, sizeof sql,
                   "select count(*) from %s where experiment = ?", table);
    enum err e = db_run(db, sql, DB_VALUES(DB_I(p->experiment)), &v, why);
    *n = (size_t)v;
    return e;
}

/* Room for all, one more than needed so that none is a size of 0. */
static enum err make_room(struct past *p, struct db *db, struct why *why)
{
    size_t trials = 0;
    int64_t attempts = 0;
    enum err e = count(p, db, "cell", &p->n_cells, why);
    if (!e)
        e = count(p, db, "trial", &trials, why);
    if (!e)
        e = count(p, db, "driver_ceiling", &p->n_ceilings, why);
    if (!e)
        e = db_run(db,
                   "select count(*) from attempt a join trial t on t.id = "
                   "a.trial where t.experiment = ?",
                   DB_VALUES(DB_I(p->experiment)), &attempts, why);
    if (e)
        return e;
    p->n_trials = (uint32_t)trials;
    p->n_attempts = (size_t)attempts;
    p->cells = calloc(p->n_cells + 1, sizeof *p->cells);
    p->order = calloc(trials + 1, sizeof *p->order);
    p->ends = calloc(trials + 1, sizeof *p->ends);
    p->blocks = calloc(trials + 1, sizeof *p->blocks);
    p->attempts = calloc(p->n_attempts + 1, sizeof *p->attempts);
    p->ceilings = calloc(p->n_ceilings + 1, sizeof *p->ceilings);
    return p->cells && p->order && p->ends && p->blocks && p->attempts &&
                   p->ceilings
               ? ERR_OK
               : no_memory(why);
}

static enum err read_all(struct past *p, struct db *db, struct why *why)
{
    enum err e = make_room(p, db, why);
    if (!e)
        e = each(p, db,
                 "select e.uuid, e.name, e.state, e.json, e.conduct, "
                 "coalesce((select s.folder from sitting s where "
                 "s.experiment = e.id order by s.n desc limit 1), ''), "
                 "(select count(*) from sitting s where s.experiment = e.id) "
                 "from experiment e where e.id = ?",
                 1, take_experiment, why);
    if (!e && !p->uuid)
        e = err_set(why, ERR_NOTFOUND, "there is no experiment %lld",
                    (long long)p->experiment);
    if (!e)
        e = each(p, db,
                 "select position, label, purpose from cell where "
                 "experiment = ? order by position",
                 p->n_cells, take_cell, why);
    if (!e)
        e = each(p, db,
                 "select t.tid, c.position, t.iteration, exists (select 1 from "
                 "attempt a where a.trial = t.id), b.superseded, n.name from "
                 "trial t join cell c on c.id = t.cell join block b on b.id = "
                 "t.block join bench n on n.id = b.bench where t.experiment = "
                 "? order by t.tid",
                 p->n_trials, take_trial, why);
    if (!e)
        e = each(p, db,
                 "select a.id, t.tid, a.n, a.state, a.outcome, exists (select "
                 "1 from invalid i where i.attempt = a.id), a.spool_bytes, "
                 "a.error from attempt a join trial t on t.id = a.trial "
                 "where t.experiment = ? order by a.id",
                 p->n_attempts, take_attempt, why);
    return e ? e
             : each(p, db,
                    "select d.link, d.load, n.name from driver_ceiling d left "
                    "join bench n on n.id = d.bench where d.experiment = ? "
                    "and d.error is null",
                    p->n_ceilings, take_ceiling, why);
}

/* Those with an error were counted too. */
static void count_ceilings(struct past *p)
{
    size_t n = 0;
    while (n < p->n_ceilings && p->ceilings[n].link)
        n++;
    p->n_ceilings = n;
}

enum err past_open(struct past **out, struct store *store, int64_t experiment,
                   struct why *why)
{
    *out = NULL;
    struct past *p = calloc(1, sizeof *p);
    if (!p)
        return no_memory(why);
    p->experiment = experiment;
    enum err e = db_begin(store->db, false, why);
    if (!e)
        e = db_end(store->db, read_all(p, store->db, why), why);
    if (e) {
        past_close(p);
        return err_wrap(why, e, "experiment %lld", (long long)experiment);
    }
    count_ceilings(p);
    *out = p;
    return ERR_OK;
}

void past_close(struct past *p)
{
    if (!p)
        return;
    for (size_t i = 0; p->cells && i < p->n_cells; i++)
        free(p->cells[i].label);
    for (size_t i = 0; p->ceilings && i < p->n_ceilings; i++) {
        free(p->ceilings[i].link);
        free(p->ceilings[i].load);
    }
    free(p->cells);
    free(p->order);
    free(p->ends);
    free(p->blocks);
    free(p->attempts);
    free(p->ceilings);
    free(p->uuid);
    free(p->name);
    free(p->state);
    free(p->json);
    free(p->conduct);
    free(p->folder);
    free(p);
}
