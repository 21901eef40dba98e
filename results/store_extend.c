#include <assert.h>
#include <stdlib.h>

#include "results/extend.h"
#include "results/handle.h"

#define EXTEND_ALPHA 0.05

/* That results were at hand is a look that nobody had planned: the verdicts
 * from now on have half of the alpha that those of before had. */
static enum err put_look(struct db *db, const struct extend *x, struct why *why)
{
    return db_run(
        db,
        "insert or replace into look (experiment, blocks, rule, alpha, share, "
        "stop, words) select ?1, s.blocks, 'extend', ?2 * s.share, s.share, 0, "
        "'extended after ' || s.blocks || ' blocks with results at hand: "
        "verdicts from then on are at ' || s.share || ' of alpha' from (select "
        "(select max(t.iteration) from trial t where t.experiment = ?1 and "
        "t.attempt is not null) as blocks, 0.5 * coalesce((select l.share from "
        "look l where l.experiment = ?1 order by l.blocks desc limit 1), 1.0) "
        "as share) s where s.blocks is not null",
        DB_VALUES(DB_I(x->experiment), DB_F(EXTEND_ALPHA)), NULL, why);
}

static enum err put_experiment(struct db *db, const struct extend *x,
                               struct why *why)
{
    const struct store_plan *p = x->plan;
    enum err e = put_look(db, x, why);
    return e ? e
             : db_run(db,
                      "update experiment set json = ?, conduct = ?, "
                      "iterations = iterations + ? where id = ?",
                      DB_VALUES(DB_T(p->json),
                                DB_T(p->conduct ? p->conduct : ""),
                                DB_I(p->n_blocks), DB_I(x->experiment)),
                      NULL, why);
}

static enum err put_levels(struct db *db, const struct extend *x,
                           struct why *why)
{
    enum err e = ERR_OK;
    for (size_t f = 0; !e && f < x->plan->n_factors; f++) {
        const struct store_factor *factor = &x->plan->factors[f];
        for (size_t l = 0; !e && l < factor->n_levels; l++)
            e = db_run(db,
                       "insert into level (factor, position, label, value) "
                       "select f.id, ?3, ?4, ?5 from factor f where "
                       "f.experiment = ?1 and f.name = ?2 and not exists "
                       "(select 1 from level l where l.factor = f.id and "
                       "l.position = ?3)",
                       DB_VALUES(DB_I(x->experiment), DB_T(factor->name),
                                 DB_I(l), DB_T(factor->levels[l].label),
                                 DB_T(factor->levels[l].value)),
                       NULL, why);
    }
    return e;
}

/* A cell of before is called as it is to be called now. */
static enum err name_cell(struct db *db, const struct extend *x, size_t c,
                          struct why *why)
{
    return db_run(db,
                  "update cell set label = ? where experiment = ? and "
                  "position = ?",
                  DB_VALUES(DB_T(x->plan->cells[c].label), DB_I(x->experiment),
                            DB_I(x->positions[c])),
                  NULL, why);
}

/* A new one. */
static enum err put_cell(struct db *db, const struct extend *x, size_t c,
                         struct why *why)
{
    const struct store_cell *cell = &x->plan->cells[c];
    int64_t id = 0;
    enum err e =
        db_run(db,
               "insert into cell (experiment, position, label, purpose) "
               "values (?, ?, ?, ?) returning id",
               DB_VALUES(DB_I(x->experiment), DB_I(x->positions[c]),
                         DB_T(cell->label), DB_T(purpose_name(cell->purpose))),
               &id, why);
    for (size_t f = 0; !e && f < x->plan->n_factors; f++)
        e = db_run(db,
                   "insert into cell_level (cell, factor, level) select ?1, "
                   "f.id, l.id from factor f join level l on l.factor = f.id "
                   "and l.position = ?4 where f.experiment = ?2 and f.name = "
                   "?3",
                   DB_VALUES(DB_I(id), DB_I(x->experiment),
                             DB_T(x->plan->factors[f].name),
                             DB_I(cell->levels[f])),
                   NULL, why);
    return e;
}

/* Of what a new cell repeats, once all are there. */
static enum err link_cell(struct db *db, const struct extend *x, size_t c,
                          struct why *why)
{
    const struct store_cell *cell = &x->plan->cells[c];
    if (cell->purpose == PURPOSE_MEASURE)
        return ERR_OK;
    return db_run(db,
                  "update cell set canary_of = (select id from cell where "
                  "experiment = ?1 and position = ?2) where experiment = ?1 "
                  "and position = ?3",
                  DB_VALUES(DB_I(x->experiment),
                            DB_I(x->positions[cell->repeats]),
                            DB_I(x->positions[c])),
                  NULL, why);
}

static enum err put_cells(struct db *db, const struct extend *x,
                          struct why *why)
{
    enum err e = ERR_OK;
    for (size_t c = 0; !e && c < x->plan->n_cells; c++)
        e = x->positions[c] < x->n_old ? name_cell(db, x, c, why)
                                       : put_cell(db, x, c, why);
    for (size_t c = 0; !e && c < x->plan->n_cells; c++)
        if (x->positions[c] >= x->n_old)
            e = link_cell(db, x, c, why);
    return e;
}

static enum err put_block(struct db *db, const struct extend *x,
                          const uint32_t *order, struct why *why)
{
    int64_t block = 0, tid = 0;
    enum err e =
        db_run(db,
               "insert into block (experiment, iteration, bench) select ?1, "
               "max(b.iteration) + 1, (select bench from block where "
               "experiment = ?1 order by id desc limit 1) from block b where "
               "b.experiment = ?1 returning id",
               DB_VALUES(DB_I(x->experiment)), &block, why);
    if (!e)
        e = db_run(db, "select max(tid) from trial where experiment = ?",
                   DB_VALUES(DB_I(x->experiment)), &tid, why);
    for (size_t p = 0; !e && p < x->plan->n_cells; p++)
        e = db_run(db,
                   "insert into trial (experiment, tid, cell, iteration, "
                   "block, position) select ?1, ?2, c.id, b.iteration, b.id, "
                   "?3 from cell c, block b where c.experiment = ?1 and "
                   "c.position = ?4 and b.id = ?5",
                   DB_VALUES(DB_I(x->experiment), DB_I(tid + (int64_t)p + 1),
                             DB_I(p + 1), DB_I(x->positions[order[p]]),
                             DB_I(block)),
                   NULL, why);
    return e;
}

static enum err put_all(struct db *db, const struct extend *x, struct why *why)
{
    enum err e = put_experiment(db, x, why);
    if (!e)
        e = put_levels(db, x, why);
    if (!e)
        e = put_cells(db, x, why);
    for (size_t b = 0; !e && b < x->plan->n_blocks; b++)
        e = put_block(db, x, x->plan->order + b * x->plan->n_cells, why);
    return e;
}

enum err store_extend(struct store *store, const struct extend *x,
                      struct why *why)
{
    assert(store->mode == STORE_WRITE);
    enum err e = db_begin(store->db, true, why);
    if (!e)
        e = db_end(store->db, put_all(store->db, x, why), why);
    return e ? err_wrap(why, e, "extend experiment %lld",
                        (long long)x->experiment)
             : ERR_OK;
}
