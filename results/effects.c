#include "results/effects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/stat_best.h"

#define F_ALPHA    0.01     /* of an interaction's analysis of variance */
#define ANOVA_MAX  5000000u /* pairs of cells times terms: 0.3 s */
#define BEST_CELLS 2000u    /* each is held against each other */

static enum err nomem(struct why *why)
{
    return err_set(why, ERR_NOMEM, "effects");
}

static size_t n_levels(const struct effects *x, size_t factor)
{
    return x->field.levels[factor];
}

bool effects_analysable(const struct effects *x)
{
    const struct stat_grid *g = &x->field.grid;
    return (g->n_cells << g->n_factors) <= ANOVA_MAX / g->n_cells;
}

/* Most effects that there can be: for the list's room. */
static size_t most(const struct effects *x)
{
    size_t n = 0, factors = x->field.grid.n_factors;
    for (size_t f = 0; f < factors; f++) {
        size_t of_one = 1;
        for (size_t g = 0; g < factors; g++)
            of_one += g == f ? 0 : n_levels(x, g);
        n += (n_levels(x, f) - 1) * of_one + factors;
    }
    return n;
}

static enum err add(struct effects *x, const struct effect *effect,
                    struct why *why)
{
    struct effect *e = &x->list[x->n++];
    *e = *effect;
    return effect_contrast(&x->field, &e->contrast, &e->finding, &e->matched,
                           why);
}

/* Adjust the effects from..x->n - 1 together. */
static enum err family(struct effects *x, size_t from, struct why *why)
{
    size_t n = x->n - from;
    struct finding *f = calloc(n + 1, sizeof *f);
    if (!f)
        return nomem(why);
    for (size_t i = 0; i < n; i++)
        f[i] = x->list[from + i].finding;
    enum err e = finding_family(f, n, FINDING_HOLM, why);
    for (size_t i = 0; !e && i < n; i++)
        x->list[from + i].finding = f[i];
    free(f);
    return e;
}

static bool differs(const struct finding *f)
{
    return f->verdict.outcome == STAT_IMPROVED ||
           f->verdict.outcome == STAT_REGRESSED;
}

/* What the differences of differences of a pair, already judged, come to; the
 * largest of them that is measured. */
static size_t sum_up(const struct effect *list, size_t n, double f_p,
                     double margin, enum effect_sense *sense)
{
    size_t largest = 0;
    bool all = true, shows = false;
    for (size_t i = 0; i < n; i++) {
        const struct finding *f = &list[i].finding;
        double size = fabs(f->test.mean);
        all &= f->verdict.outcome == STAT_EQUIVALENT;
        shows |= differs(f) && size > margin;
        if (!(size <= fabs(list[largest].finding.test.mean)))
            largest = i;
    }
    *sense = shows && !(f_p >= F_ALPHA) ? EFFECT_MATTERS
             : all                      ? EFFECT_NONE
                                        : EFFECT_UNCLEAR;
    return largest;
}

/* All differences of differences of factors f and g become one effect. */
static enum err add_interaction(struct effects *x, size_t f, size_t g,
                                struct why *why)
{
    size_t from = x->n;
    enum err e = ERR_OK;
    for (size_t l = 1; !e && l < n_levels(x, f); l++)
        for (size_t k = 1; !e && k < n_levels(x, g); k++)
            e = add(x,
                    &(struct effect){.kind = EFFECT_INTERACTION,
                                     .contrast = {f, l, 0, g, k, 0},
                                     .breaks = STAT_NO_FACTOR},
                    why);
    if (!e)
        e = family(x, from, why);
    if (e)
        return e;
    double f_p = x->analysed ? x->anova.term[(1u << f | 1u << g) - 1].p : NAN;
    enum effect_sense sense;
    size_t largest =
        sum_up(x->list + from, x->n - from, f_p, x->field.rule.margin, &sense);
    x->list[from] = x->list[from + largest];
    x->list[from].sense = sense;
    x->list[from].f_p = f_p;
    x->n = from + 1;
    return ERR_OK;
}

static enum err add_interactions(struct effects *x, struct why *why)
{
    enum err e = ERR_OK;
    for (size_t f = 0; !e && f < x->field.grid.n_factors; f++)
        for (size_t g = f + 1; !e && g < x->field.grid.n_factors; g++)
            e = add_interaction(x, f, g, why);
    return e;
}

/* The factor that a factor's effect depends on most. */
static size_t breaks_of(const struct effect *interactions, size_t n,
                        size_t factor)
{
    size_t by = STAT_NO_FACTOR;
    double size = 0;
    for (size_t i = 0; i < n; i++) {
        const struct stat_contrast *c = &interactions[i].contrast;
        double mean = fabs(interactions[i].finding.test.mean);
        if (interactions[i].sense != EFFECT_MATTERS || mean <= size)
            continue;
        if (c->factor == factor)
            by = c->by;
        else if (c->by == factor)
            by = c->factor;
        else
            continue;
        size = mean;
    }
    return by;
}

static enum err add_simple(struct effects *x, const struct stat_contrast *of,
                           size_t by, struct why *why)
{
    size_t from = x->n;
    enum err e = ERR_OK;
    for (size_t k = 0; !e && k < n_levels(x, by); k++)
        e = add(
            x,
            &(struct effect){.kind = EFFECT_SIMPLE,
                             .contrast = {of->factor, of->level, of->reference,
                                          by, k, STAT_NO_FACTOR},
                             .breaks = STAT_NO_FACTOR},
            why);
    return e ? e : family(x, from, why);
}

static enum err add_mains(struct effects *x, const struct effect *interactions,
                          size_t n, struct why *why)
{
    enum err e = ERR_OK;
    for (size_t f = 0; !e && f < x->field.grid.n_factors; f++)
        for (size_t l = 1; !e && l < n_levels(x, f); l++)
            e = add(x,
                    &(struct effect){.kind = EFFECT_MAIN,
                                     .contrast = {f, l, 0, STAT_NO_FACTOR, 0,
                                                  STAT_NO_FACTOR},
                                     .breaks = breaks_of(interactions, n, f)},
                    why);
    return e ? e : family(x, 0, why);
}

/* Put the simple effects behind their main ones. */
static enum err add_simples(struct effects *x, struct why *why)
{
    size_t n = x->n;
    struct effect *mains = calloc(n + 1, sizeof *mains);
    if (!mains)
        return nomem(why);
    memcpy(mains, x->list, n * sizeof *mains);
    enum err e = ERR_OK;
    x->n = 0;
    for (size_t i = 0; !e && i < n; i++) {
        x->list[x->n++] = mains[i];
        if (mains[i].breaks != STAT_NO_FACTOR)
            e = add_simple(x, &mains[i].contrast, mains[i].breaks, why);
    }
    free(mains);
    return e;
}

static enum err judge(struct effects *x, struct why *why)
{
    size_t most_pairs = 0, n = 0;
    for (size_t f = 0; f < x->field.grid.n_factors; f++)
        for (size_t g = f + 1; g < x->field.grid.n_factors; g++)
            most_pairs += n_levels(x, f) * n_levels(x, g) + 1;
    x->list = calloc(most(x) + most_pairs + 1, sizeof *x->list);
    if (!x->list)
        return nomem(why);
    x->analysed =
        effects_analysable(x) && stat_anova_of(&x->anova, &x->field.grid, true);
    enum err e = add_interactions(x, why);
    struct effect *interactions = calloc(x->n + 1, sizeof *interactions);
    if (!interactions)
        return nomem(why);
    n = x->n;
    memcpy(interactions, x->list, n * sizeof *interactions);
    x->n = 0;
    if (!e)
        e = add_mains(x, interactions, n, why);
    if (!e)
        e = add_simples(x, why);
    if (!e) {
        memcpy(x->list + x->n, interactions, n * sizeof *interactions);
        x->n += n;
    }
    free(interactions);
    return e;
}

/* The cells that no other beats. */
static enum err find_best(struct effects *x, struct why *why)
{
    const struct stat_grid *g = &x->field.grid;
    const struct stat_field field = {g->y, g->n_blocks, g->n_cells};
    bool *stays = calloc(g->n_cells + 1, sizeof *stays);
    double *p = calloc(g->n_cells + 1, sizeof *p);
    double *room = calloc(g->n_blocks + 1, sizeof *room);
    x->best = calloc(x->matrix.n_cells + 1, sizeof *x->best);
    x->top = SIZE_MAX;
    enum err e = stays && p && room && x->best ? ERR_OK : nomem(why);
    size_t n = 0;
    for (size_t c = 0; c < g->n_cells; c++)
        n += g->n_blocks && !isnan(g->y[c]) ? 1 : 0;
    if (!e && n <= BEST_CELLS) {
        size_t top = stat_best(&field, x->field.rule.alpha, stays, p, room);
        x->top = top < g->n_cells ? x->field.cell[top] : SIZE_MAX;
        for (size_t c = 0; c < g->n_cells; c++) {
            x->n_eligible += isnan(p[c]) ? 0 : 1;
            if (stays[c])
                x->best[x->field.cell[c]] = true;
        }
    }
    free(stays);
    free(p);
    free(room);
    return e;
}

enum err effects_load(struct effects *out, struct db *db, int64_t experiment,
                      const struct effects_options *options, struct why *why)
{
    const char *name = options->metric ? options->metric : "throughput";
    double *values = NULL;
    *out = (struct effects){.metric = metric_find(name), .top = SIZE_MAX};
    if (!out->metric)
        return err_set(why, ERR_NOTFOUND,
                       "there is no metric \"%s\" (`pitwall metrics` lists "
                       "them)",
                       name);
    enum err e = matrix_load(&out->matrix, db, experiment, why);
    if (!e && out->matrix.loose)
        e = err_set(why, ERR_NOTFOUND,
                    "experiment %lld: its file names no blocks, in which "
                    "effects would be told (compare works on its cells)",
                    (long long)experiment);
    if (!e && !(values = calloc(out->matrix.n_trials + 1, sizeof *values)))
        e = nomem(why);
    if (!e)
        e = matrix_values(&out->matrix, db, out->metric, values, why);
    if (!e)
        e = effect_field_make(
            &out->field, &out->matrix,
            &(struct effect_question){.metric = out->metric,
                                      .values = values,
                                      .margin_ratio = options->margin_ratio,
                                      .alpha = options->alpha},
            why);
    if (!e)
        e = judge(out, why);
    if (!e)
        e = find_best(out, why);
    free(values);
    if (e)
        effects_fini(out);
    return e;
}

void effects_fini(struct effects *x)
{
    free(x->best);
    free(x->list);
    effect_field_fini(&x->field);
    matrix_fini(&x->matrix);
    x->best = NULL;
    x->list = NULL;
}
