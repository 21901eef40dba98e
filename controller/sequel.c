#include "controller/sequel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/experiment_file.h"
#include "results/ceiling.h"

enum err sequel_experiment(const struct past *past, const struct conduct *c,
                           struct experiment **out, struct why *why)
{
    char name[64];
    struct jv *doc = NULL;
    *out = NULL;
    struct experiment *ex = malloc(sizeof *ex);
    if (!ex)
        return err_set(why, ERR_NOMEM, "experiment");
    experiment_init(ex);
    (void)snprintf(name, sizeof name, "experiment %lld",
                   (long long)past->experiment);
    enum err e = jv_parse(&doc, name, past->json, strlen(past->json), why);
    if (!e)
        e = experiment_file_read(ex, doc, name, why);
    if (!e)
        e = experiment_file_conditions(ex, doc, why);
    jv_free(doc);
    (void)snprintf(ex->folder, sizeof ex->folder, "%s", c->folder);
    if (e) {
        free(ex);
        return e;
    }
    *out = ex;
    return ERR_OK;
}

static enum purpose purpose_of(enum trials_kind kind)
{
    return kind == TRIALS_PLAIN    ? PURPOSE_MEASURE
           : kind == TRIALS_CANARY ? PURPOSE_CANARY
                                   : PURPOSE_PROFILE;
}

static bool is_cell(const struct past_cell *c, const struct trials *t,
                    uint32_t cell)
{
    char label[TRIALS_LABEL_MAX + 1];
    return c->purpose == purpose_of(trials_kind(t, cell)) &&
           !strcmp(c->label, trials_label(t, cell, label, sizeof label));
}

/* The cell of each position in the store; most often they are the same. */
static enum err map_cells(const struct past *past, const struct trials *t,
                          uint32_t *cells, struct why *why)
{
    for (uint32_t p = 0; p < past->n_cells; p++) {
        uint32_t at = p;
        if (p >= t->n_cells || !is_cell(&past->cells[p], t, p))
            for (at = 0; at < t->n_cells; at++)
                if (is_cell(&past->cells[p], t, at))
                    break;
        if (at == t->n_cells)
            return err_set(why, ERR_INVALID,
                           "its cell \"%s\" is none of those that its "
                           "description now gives",
                           past->cells[p].label);
        cells[p] = at;
    }
    return ERR_OK;
}

static enum err take_order(const struct past *past, struct trials *t,
                           const uint32_t *cells, struct why *why)
{
    uint32_t *order = calloc(past->n_trials, sizeof *order);
    uint32_t *ends = calloc(past->n_blocks, sizeof *ends);
    uint32_t *positions = calloc(t->n_cells, sizeof *positions);
    if (!order || !ends || !positions) {
        free(positions);
        free(order);
        free(ends);
        return err_set(why, ERR_NOMEM, "%u trials", past->n_trials);
    }
    for (uint32_t i = 0; i < past->n_trials; i++)
        order[i] = cells[past->order[i]];
    for (uint32_t p = 0; p < past->n_cells; p++)
        positions[cells[p]] = p;
    memcpy(ends, past->ends, past->n_blocks * sizeof *ends);
    free(t->order);
    free(t->ends);
    free(t->positions);
    t->positions = positions;
    t->order = order;
    t->ends = ends;
    t->n_blocks = past->n_blocks;
    return ERR_OK;
}

enum err sequel_trials(const struct past *past, const struct conduct *c,
                       struct trials *t, struct why *why)
{
    char plans[DIGEST_HEX_SIZE];
    if (!past->n_trials)
        return err_set(why, ERR_CORRUPT, "it has no trials");
    enum err e = conduct_digest(t, plans, why);
    if (!e && c->plans[0] && strcmp(c->plans, plans) != 0)
        e = err_set(why, ERR_INVALID,
                    "the files of track \"%s\" have changed since it began; "
                    "put them back, or begin another experiment",
                    t->ex->track);
    uint32_t *cells = calloc(past->n_cells + 1, sizeof *cells);
    if (!e && !cells)
        e = err_set(why, ERR_NOMEM, "cells");
    if (!e)
        e = map_cells(past, t, cells, why);
    if (!e)
        e = take_order(past, t, cells, why);
    free(cells);
    return e;
}

static bool measured_on(const struct past *past,
                        const struct ceiling_plan *plan, const char *bench)
{
    for (size_t i = 0; i < past->n_ceilings; i++) {
        const struct past_ceiling *c = &past->ceilings[i];
        if (!strcmp(c->link, plan->link) && !strcmp(c->load, plan->load) &&
            (!bench || !c->bench[0] || !strcmp(c->bench, bench)))
            return true;
    }
    return false;
}

static bool measured(const struct past *past, const struct ceiling_plan *plan,
                     const struct labs *labs)
{
    if (labs->n == 1)
        return measured_on(past, plan, NULL);
    for (unsigned i = 0; i < labs->n; i++)
        if (!measured_on(past, plan, labs->items[i]->name))
            return false;
    return true;
}

uint32_t sequel_position(const struct trials *t, uint32_t cell)
{
    return t->positions ? t->positions[cell] : cell;
}

/* What was measured holds for cells that were added since, too. */
static enum err share(struct store *store, const struct past *past,
                      const struct trials *t, const struct ceiling_plan *plan,
                      struct why *why)
{
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < plan->n_cells; i++) {
        uint32_t cell = sequel_position(t, plan->cells[i]);
        const struct ceiling_run run = {.link = plan->link,
                                        .load = plan->load,
                                        .cells = &cell,
                                        .n_cells = 1};
        e = ceiling_share(store, past->experiment, &run, why);
    }
    return e;
}

enum err sequel_ceilings(struct store *store, const struct past *past,
                         const struct trials *t, const struct labs *labs,
                         struct ceiling_plans *plans, struct why *why)
{
    uint32_t kept = 0;
    enum err e = ERR_OK;
    for (uint32_t i = 0; i < plans->n; i++) {
        struct ceiling_plan plan = plans->items[i];
        bool known = measured(past, &plan, labs);
        if (known && !e)
            e = share(store, past, t, &plan, why);
        if (known) {
            free(plan.cells);
            free(plan.json);
        } else {
            plans->items[kept++] = plan;
        }
    }
    plans->n = kept;
    return e;
}
