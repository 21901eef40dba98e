/* Writing a whole experiment as it was planned. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/handle.h"

/* Row ids that later rows refer to. */
struct ids {
    int64_t experiment;
    int64_t *factors; /* [n_factors] */
    int64_t **levels; /* [n_factors][n_levels of it] */
    int64_t *cells;   /* [n_cells] */
};

static void *ids_of(size_t n, size_t size)
{
    return calloc(n ? n : 1, size);
}

static void ids_fini(struct ids *ids, const struct store_plan *plan)
{
    for (size_t f = 0; ids->levels && f < plan->n_factors; f++)
        free(ids->levels[f]);
    free(ids->levels);
    free(ids->factors);
    free(ids->cells);
}

static enum err ids_init(struct ids *ids, const struct store_plan *plan,
                         struct why *why)
{
    ids->factors = ids_of(plan->n_factors, sizeof *ids->factors);
    ids->levels = ids_of(plan->n_factors, sizeof *ids->levels);
    ids->cells = ids_of(plan->n_cells, sizeof *ids->cells);
    bool all = ids->factors && ids->levels && ids->cells;
    for (size_t f = 0; all && f < plan->n_factors; f++) {
        ids->levels[f] =
            ids_of(plan->factors[f].n_levels, sizeof **ids->levels);
        all = ids->levels[f] != NULL;
    }
    return all ? ERR_OK : err_set(why, ERR_NOMEM, "plan");
}

static enum err put_experiment(struct db *db, const struct store_plan *p,
                               struct ids *ids, struct why *why)
{
    char seed[24];
    (void)snprintf(seed, sizeof seed, "%llu", (unsigned long long)p->seed);
    enum err e = db_run(
        db,
        "insert into experiment (uuid, name, track, challenge, target, json, "
        "version, seed, order_kind, warmup_ns, measure_ns, iterations, "
        "conduct) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "returning id",
        DB_VALUES(DB_T(p->uuid), DB_T(p->name), DB_T(p->track),
                  DB_T(p->challenge), DB_T(p->target), DB_T(p->json),
                  DB_T(p->version), DB_T(seed), DB_T(p->order_kind),
                  DB_I(p->warmup_ns), DB_I(p->measure_ns), DB_I(p->n_blocks),
                  DB_T(p->conduct ? p->conduct : "")),
        &ids->experiment, why);
    for (size_t i = 0; !e && i < p->n_benches; i++)
        e = db_run(db, "insert or ignore into bench (name) values (?)",
                   DB_VALUES(DB_T(p->benches[i])), NULL, why);
    return e;
}

/* Before any trial: nobody fits the rules to the figures. */
static enum err put_accepted(struct db *db, const struct store_plan *plan,
                             const struct ids *ids, struct why *why)
{
    enum err e = ERR_OK;
    for (size_t i = 0; plan->accept && !e && i < ACCEPT_LAST; i++) {
        double limit = plan->accept->limit[i];
        struct db_value none = {.type = DB_NULL};
        e = db_run(db,
                   "insert into accepted (experiment, rule, value) "
                   "values (?, ?, ?)",
                   DB_VALUES(DB_I(ids->experiment),
                             DB_T(accept_name((enum accept_rule)i)),
                             isinf(limit) ? none : DB_F(limit)),
                   NULL, why);
    }
    return e;
}

static enum err put_tags(struct db *db, const struct store_plan *plan,
                         const struct ids *ids, struct why *why)
{
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < plan->n_tags; i++) {
        const char *tag = plan->tags[i], *equals = strchr(tag, '=');
        if (!equals || equals == tag)
            return err_set(why, ERR_INVALID, "tag \"%s\" is not name=value",
                           tag);
        char *name = strndup(tag, (size_t)(equals - tag));
        if (!name)
            return err_set(why, ERR_NOMEM, "tag");
        e = db_run(
            db,
            "insert or replace into tag (experiment, name, value) "
            "values (?, ?, ?)",
            DB_VALUES(DB_I(ids->experiment), DB_T(name), DB_T(equals + 1)),
            NULL, why);
        free(name);
    }
    return e;
}

static enum err put_factors(struct db *db, const struct store_plan *plan,
                            struct ids *ids, struct why *why)
{
    enum err e = ERR_OK;
    for (size_t f = 0; !e && f < plan->n_factors; f++) {
        const struct store_factor *factor = &plan->factors[f];
        e = db_run(db,
                   "insert into factor (experiment, position, name, kind) "
                   "values (?, ?, ?, ?) returning id",
                   DB_VALUES(DB_I(ids->experiment), DB_I(f), DB_T(factor->name),
                             DB_T(factor->kind)),
                   &ids->factors[f], why);
        for (size_t l = 0; !e && l < factor->n_levels; l++)
            e = db_run(db,
                       "insert into level (factor, position, label, value) "
                       "values (?, ?, ?, ?) returning id",
                       DB_VALUES(DB_I(ids->factors[f]), DB_I(l),
                                 DB_T(factor->levels[l].label),
                                 DB_T(factor->levels[l].value)),
                       &ids->levels[f][l], why);
    }
    return e;
}

static enum err put_cell(struct db *db, const struct store_plan *plan,
                         struct ids *ids, size_t c, struct why *why)
{
    const struct store_cell *cell = &plan->cells[c];
    enum err e =
        db_run(db,
               "insert into cell (experiment, position, label, "
               "purpose) values (?, ?, ?, ?) returning id",
               DB_VALUES(DB_I(ids->experiment), DB_I(c), DB_T(cell->label),
                         DB_T(purpose_name(cell->purpose))),
               &ids->cells[c], why);
    for (size_t f = 0; !e && f < plan->n_factors; f++) {
        assert(cell->levels[f] < plan->factors[f].n_levels);
        e = db_run(db,
                   "insert into cell_level (cell, factor, level) "
                   "values (?, ?, ?)",
                   DB_VALUES(DB_I(ids->cells[c]), DB_I(ids->factors[f]),
                             DB_I(ids->levels[f][cell->levels[f]])),
                   NULL, why);
    }
    return e;
}

static enum err put_cells(struct db *db, const struct store_plan *plan,
                          struct ids *ids, struct why *why)
{
    enum err e = ERR_OK;
    for (size_t c = 0; !e && c < plan->n_cells; c++)
        e = put_cell(db, plan, ids, c, why);
    for (size_t c = 0; !e && c < plan->n_cells; c++) {
        if (plan->cells[c].purpose == PURPOSE_MEASURE)
            continue;
        assert(plan->cells[c].repeats < plan->n_cells);
        e = db_run(db, "update cell set canary_of = ? where id = ?",
                   DB_VALUES(DB_I(ids->cells[plan->cells[c].repeats]),
                             DB_I(ids->cells[c])),
                   NULL, why);
    }
    return e;
}

static enum err put_block(struct db *db, const struct store_plan *plan,
                          const struct ids *ids, size_t b, struct why *why)
{
    int64_t block = 0;
    struct db_stmt *insert = NULL;
    enum err e =
        db_run(db,
               "insert into block (experiment, iteration, bench) select "
               "?, ?, id from bench where name = ? returning id",
               DB_VALUES(DB_I(ids->experiment), DB_I(b + 1),
                         DB_T(plan->benches[b % plan->n_benches])),
               &block, why);
    if (!e)
        e = db_prepare(db, &insert,
                       "insert into trial (experiment, tid, cell, iteration, "
                       "block, position) values (?, ?, ?, ?, ?, ?)",
                       DB_NONE, why);
    for (size_t p = 0; !e && p < plan->n_cells; p++) {
        uint32_t cell = plan->order[b * plan->n_cells + p];
        assert(cell < plan->n_cells);
        const struct db_value row[] = {DB_I(ids->experiment),
                                       DB_I(b * plan->n_cells + p + 1),
                                       DB_I(ids->cells[cell]),
                                       DB_I(b + 1),
                                       DB_I(block),
                                       DB_I(p + 1)};
        bool any = false;
        db_bind(insert, row, sizeof row / sizeof *row);
        e = db_step(insert, &any, why);
    }
    db_finish(insert);
    return e;
}

enum err store_plan_add(struct store *store, const struct store_plan *plan,
                        int64_t *id, struct why *why)
{
    assert(store->mode == STORE_WRITE);
    struct db *db = store->db;
    struct ids ids = {0};
    enum err e = ids_init(&ids, plan, why);
    if (e)
        goto out;
    e = db_begin(db, true, why);
    if (e)
        goto out;
    e = put_experiment(db, plan, &ids, why);
    if (!e)
        e = put_tags(db, plan, &ids, why);
    if (!e)
        e = put_accepted(db, plan, &ids, why);
    if (!e)
        e = put_factors(db, plan, &ids, why);
    if (!e)
        e = put_cells(db, plan, &ids, why);
    for (size_t b = 0; !e && b < plan->n_blocks; b++)
        e = put_block(db, plan, &ids, b, why);
    e = db_end(db, e, why);
    if (!e) {
        *id = ids.experiment;
        store_settle(store);
    }
out:
    ids_fini(&ids, plan);
    return e ? err_wrap(why, e, "store the plan of \"%s\"", plan->name)
             : ERR_OK;
}
