#include "results/effect_advice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "results/effect_level.h"
#include "results/effect_reads.h"
#include "results/stat_best.h"

/* What stands beside the metric: less waste decides between equals. */
struct beside {
    struct db *db;
    struct effect_field waste, read;
};

static enum err nomem(struct why *why)
{
    return err_set(why, ERR_NOMEM, "effects");
}

static const struct matrix_factor *factor_of(const struct effects *x, size_t f)
{
    return &x->matrix.factors[x->field.factor[f]];
}

static size_t level_of(const struct effects *x, size_t cell, size_t f)
{
    return x->matrix.cells[cell].levels[x->field.factor[f]];
}

/* Whether a cell of the level ended, "heap=2g,link=l0 oom 1/5" of the first. */
static bool ended_at(const struct effects *x, size_t f, size_t level,
                     char *where, size_t size)
{
    size_t n = 0, len = 0;
    *where = '\0';
    for (size_t c = 0; c < x->matrix.n_cells; c++) {
        if (x->matrix.cells[c].purpose != PURPOSE_MEASURE ||
            !x->field.ended[c] || level_of(x, c, f) != level)
            continue;
        if (n++ < 2 && len < size)
            len += (size_t)snprintf(where + len, size - len, "%s%s",
                                    n > 1 ? " and " : "",
                                    x->matrix.cells[c].label);
    }
    if (n > 2)
        (void)snprintf(where, size, "%zu cells", n);
    return n > 0;
}

static enum err against(const struct effect_field *field, size_t f,
                        size_t level, size_t reference, struct finding *out,
                        struct why *why)
{
    struct stat_matched matched;
    enum err e =
        effect_contrast(field,
                        &(struct stat_contrast){.factor = f,
                                                .level = level,
                                                .reference = reference,
                                                .by = STAT_NO_FACTOR,
                                                .by_reference = STAT_NO_FACTOR},
                        out, &matched, why);
    return e ? e : finding_family(out, 1, FINDING_HOLM, why);
}

/* Among equals the level that wastes clearly less than the preferred one, by
 * the margin or more; else that itself. */
static enum err least_waste(const struct beside *beside,
                            struct effect_advice *a, const bool *stays,
                            size_t n_levels, struct finding *saves,
                            struct why *why)
{
    size_t from = a->level;
    double best = 0;
    enum err e = ERR_OK;
    for (size_t l = 0; !e && l < n_levels; l++) {
        struct finding f_l;
        if (!stays[l] || l == from || !beside->waste.y)
            continue;
        e = against(&beside->waste, a->factor, l, from, &f_l, why);
        if (e || f_l.verdict.outcome != STAT_IMPROVED ||
            f_l.test.mean < f_l.rule.margin || f_l.test.mean <= best)
            continue;
        best = f_l.test.mean;
        a->level = l;
        *saves = f_l;
    }
    return e;
}

static void add_beside(const struct beside *beside, size_t f, size_t level,
                       char *text, size_t size)
{
    size_t len = strlen(text);
    char number[32];
    const double read =
        beside->read.y ? effect_level_centre(&beside->read, f, level) : NAN;
    const double waste =
        beside->waste.y ? effect_level_centre(&beside->waste, f, level) : NAN;
    if (!isnan(read))
        len +=
            (size_t)snprintf(text + len, size - len, "; %s bytes per read",
                             metric_show(round(read), number, sizeof number));
    if (!isnan(waste) && len < size)
        (void)snprintf(text + len, size - len,
                       ", %.3g buffer bytes per byte read", waste);
}

/* The reads' own sizes, from histograms. */
static enum err add_reads(const struct effects *x, const struct beside *beside,
                          struct effect_advice *a, struct why *why)
{
    struct effect_reads reads;
    char low[24], high[24];
    size_t len = strlen(a->reason);
    enum err e = effect_reads(&reads, x, beside->db, a->factor, a->level, why);
    if (e || isnan(reads.p50))
        return e;
    (void)units_show_size(low, sizeof low, reads.p10);
    (void)units_show_size(high, sizeof high, reads.p90);
    bool alike = !strcmp(low, high);
    (void)snprintf(a->reason + len, sizeof a->reason - len,
                   "; 8 in 10 reads of %s%s%s", low, alike ? "" : " to ",
                   alike ? "" : high);
    return ERR_OK;
}

/* The other equals' names. */
static void name_equals(const struct effects *x, size_t f, const bool *stays,
                        size_t level, char *text, size_t size)
{
    const struct matrix_factor *factor = factor_of(x, f);
    size_t len = 0, n = 0;
    *text = '\0';
    for (size_t l = 0; l < factor->n_levels; l++)
        if (stays[l] && l != level && len < size)
            len += (size_t)snprintf(text + len, size - len, "%s%s",
                                    n++ ? ", " : "", factor->labels[l]);
}

/* The better level against the next one, which it beats. */
static enum err tell_winner(const struct effects *x, size_t f,
                            const double *sums, struct effect_advice *a,
                            struct why *why)
{
    const struct matrix_factor *factor = factor_of(x, f);
    size_t next = SIZE_MAX;
    char change[40], interval[80];
    struct finding found;
    for (size_t l = 0; l < factor->n_levels; l++)
        if (l != a->level && !isnan(sums[l]) &&
            (next == SIZE_MAX || sums[l] > sums[next]))
            next = l;
    if (next == SIZE_MAX) {
        (void)snprintf(a->reason, sizeof a->reason,
                       "the only level that never ended early");
        return ERR_OK;
    }
    enum err e = against(&x->field, f, a->level, next, &found, why);
    if (!e)
        (void)snprintf(
            a->reason, sizeof a->reason, "%s %s %s against %s", x->metric->name,
            finding_show_change(&found, 1, change, sizeof change),
            finding_show_interval(&found, 1, interval, sizeof interval),
            factor->labels[next]);
    return e;
}

static enum err tell_equals(const struct effects *x, size_t f,
                            const bool *stays, const struct beside *beside,
                            struct effect_advice *a, struct why *why)
{
    const struct matrix_factor *factor = factor_of(x, f);
    char equals[160], change[40];
    struct finding saves;
    size_t first = a->level;
    enum err e = least_waste(beside, a, stays, factor->n_levels, &saves, why);
    if (e)
        return e;
    a->shown = a->level != first;
    name_equals(x, f, stays, a->level, equals, sizeof equals);
    if (a->level != first)
        (void)snprintf(a->reason, sizeof a->reason,
                       "in %s not to be told from %s; waste %s against %s",
                       x->metric->name, equals,
                       finding_show_change(&saves, 1, change, sizeof change),
                       factor->labels[first]);
    else
        (void)snprintf(a->reason, sizeof a->reason,
                       "in %s not to be told from %s with %zu blocks: %s",
                       x->metric->name, equals, x->field.grid.n_blocks,
                       strcmp(factor->name, "heap") ? "the first of them"
                                                    : "the smallest");
    return ERR_OK;
}

/* "32k: +0.4% where it ran, heap=2g,...: oom or failed". */
static enum err tell_refused(const struct effects *x, struct effect_advice *a,
                             const bool *out, struct why *why)
{
    const struct matrix_factor *factor = factor_of(x, a->factor);
    size_t len = 0;
    FILE *text = open_memstream(&a->refused, &len);
    if (!text)
        return nomem(why);
    enum err e = ERR_OK;
    for (size_t l = 0; !e && l < factor->n_levels; l++) {
        char where[200], change[40] = "-";
        struct finding found;
        if (!out[l])
            continue;
        (void)ended_at(x, a->factor, l, where, sizeof where);
        if (a->level != SIZE_MAX)
            e = against(&x->field, a->factor, l, a->level, &found, why);
        if (!e && a->level != SIZE_MAX)
            (void)finding_show_change(&found, 1, change, sizeof change);
        (void)fprintf(text,
                      "%s%s=%s not recommended: ", ftell(text) ? "\n" : "",
                      factor->name, factor->labels[l]);
        if (strcmp(change, "-") != 0)
            (void)fprintf(text, "%s against %s where it ran, ", change,
                          factor->labels[a->level]);
        (void)fprintf(text, "out of memory or failed at %s", where);
    }
    if (fclose(text))
        e = e ? e : nomem(why);
    return e;
}

/* The factor that another's effect depends on most, by its main effects. */
static size_t breaks_of(const struct effects *x, size_t f)
{
    for (size_t i = 0; i < x->n; i++)
        if (x->list[i].kind == EFFECT_MAIN && x->list[i].contrast.factor == f)
            return x->list[i].breaks;
    return STAT_NO_FACTOR;
}

/* A level that is better than the chosen one somewhere; SIZE_MAX: none. */
struct exception {
    size_t level;
    struct finding gain;
};

/* The best gain of another level over the chosen one where at's other factor
 * has its level, judged among its likes. */
static enum err better_at(const struct effects *x,
                          const struct effect_advice *a, const bool *out,
                          const struct stat_contrast *at,
                          struct exception *best, struct why *why)
{
    size_t n_levels = x->field.grid.levels[a->factor];
    struct finding *found = calloc(n_levels + 1, sizeof *found);
    if (!found)
        return nomem(why);
    enum err e = ERR_OK;
    for (size_t l = 0; !e && l < n_levels; l++) {
        struct stat_contrast c = *at;
        struct stat_matched matched;
        c.level = l;
        if (out[l] || l == a->level) /* of no family */
            e = finding_blocks(&found[l], &x->field.rule, NULL, 0, why);
        else
            e = effect_contrast(&x->field, &c, &found[l], &matched, why);
    }
    if (!e)
        e = finding_family(found, n_levels, FINDING_HOLM, why);
    best->level = SIZE_MAX;
    for (size_t l = 0; !e && l < n_levels; l++) {
        const struct finding *f = &found[l];
        if (f->verdict.outcome != STAT_IMPROVED ||
            f->test.mean < f->rule.margin ||
            (best->level != SIZE_MAX && f->test.mean <= best->gain.test.mean))
            continue;
        *best = (struct exception){l, *f};
    }
    free(found);
    return e;
}

/* Where the factor depends on another: at which of its levels another choice is
 * better. */
static enum err tell_exceptions(const struct effects *x, const bool *out,
                                struct effect_advice *a, struct why *why)
{
    size_t by = breaks_of(x, a->factor);
    enum err e = ERR_OK;
    if (by == STAT_NO_FACTOR || a->level == SIZE_MAX)
        return ERR_OK;
    for (size_t k = 0; !e && k < x->field.grid.levels[by]; k++) {
        struct exception better = {.level = SIZE_MAX};
        size_t len = strlen(a->reason);
        char change[40];
        const struct stat_contrast at = {a->factor, 0, a->level,
                                         by,        k, STAT_NO_FACTOR};
        e = better_at(x, a, out, &at, &better, why);
        if (!e && better.level != SIZE_MAX)
            (void)snprintf(
                a->reason + len, sizeof a->reason - len,
                "; but %s at %s=%s (%s)",
                factor_of(x, a->factor)->labels[better.level],
                factor_of(x, by)->name, factor_of(x, by)->labels[k],
                finding_show_change(&better.gain, 1, change, sizeof change));
    }
    return e;
}

static void sum_levels(const double *mean, size_t n_blocks, size_t n_levels,
                       double *sums)
{
    for (size_t l = 0; l < n_levels; l++) {
        sums[l] = 0;
        for (size_t b = 0; b < n_blocks; b++)
            sums[l] += mean[b * n_levels + l];
    }
}

/* What stat_best works on, of a factor's levels. */
struct choice {
    bool *out, *stays;
    double *mean, *p, *room, *sums;
};

static void choice_fini(struct choice *c)
{
    free(c->out);
    free(c->stays);
    free(c->mean);
    free(c->p);
    free(c->room);
    free(c->sums);
}

static bool choice_init(struct choice *c, size_t n_levels, size_t n_blocks)
{
    *c = (struct choice){.out = calloc(n_levels, sizeof *c->out),
                         .stays = calloc(n_levels, sizeof *c->stays),
                         .mean =
                             calloc(n_levels * n_blocks + 1, sizeof *c->mean),
                         .p = calloc(n_levels, sizeof *c->p),
                         .room = calloc(n_blocks + 1, sizeof *c->room),
                         .sums = calloc(n_levels, sizeof *c->sums)};
    return c->out && c->stays && c->mean && c->p && c->room && c->sums;
}

static enum err choose(const struct effects *x, const struct beside *beside,
                       const struct choice *c, struct effect_advice *a,
                       struct why *why)
{
    const struct stat_grid *g = &x->field.grid;
    size_t n_levels = g->levels[a->factor];
    const struct stat_field field = {c->mean, g->n_blocks, n_levels};
    size_t n_stay = 0;
    bool whole = effect_level_means(&x->field, a->factor, c->out, c->mean);
    size_t top =
        whole ? stat_best(&field, x->field.rule.alpha, c->stays, c->p, c->room)
              : n_levels;
    if (top == n_levels || g->n_blocks < STAT_BLOCKS_MIN) {
        (void)snprintf(a->reason, sizeof a->reason, "%s",
                       g->n_blocks < STAT_BLOCKS_MIN
                           ? "too few blocks"
                           : "its levels never ran with all else alike");
        return ERR_OK;
    }
    sum_levels(c->mean, g->n_blocks, n_levels, c->sums);
    for (size_t l = 0; l < n_levels; l++)
        n_stay += c->stays[l];
    a->shown = n_stay == 1;
    a->level = n_stay == 1
                   ? top
                   : effect_level_preferred(factor_of(x, a->factor), c->stays);
    enum err e = n_stay == 1
                     ? tell_winner(x, a->factor, c->sums, a, why)
                     : tell_equals(x, a->factor, c->stays, beside, a, why);
    if (!e)
        add_beside(beside, a->factor, a->level, a->reason, sizeof a->reason);
    if (!e)
        e = add_reads(x, beside, a, why);
    return e ? e : tell_exceptions(x, c->out, a, why);
}

static enum err advise(const struct effects *x, const struct beside *beside,
                       struct effect_advice *a, struct why *why)
{
    size_t n_levels = x->field.grid.levels[a->factor];
    struct choice c;
    char where[200];
    bool any_out = false;
    enum err e =
        choice_init(&c, n_levels, x->field.grid.n_blocks) ? ERR_OK : nomem(why);
    for (size_t l = 0; !e && l < n_levels; l++) {
        c.out[l] = ended_at(x, a->factor, l, where, sizeof where);
        any_out |= c.out[l];
    }
    if (!e)
        e = choose(x, beside, &c, a, why);
    if (!e && any_out)
        e = tell_refused(x, a, c.out, why);
    choice_fini(&c);
    return e;
}

/* A field of another metric over the same matrix; left empty where no trial has
 * it. */
static enum err read_beside(const struct effects *x, struct db *db,
                            const char *name, struct effect_field *out,
                            struct why *why)
{
    const struct metric *metric = metric_find(name);
    double *values = calloc(x->matrix.n_trials + 1, sizeof *values);
    bool any = false;
    if (!values)
        return nomem(why);
    enum err e = matrix_values(&x->matrix, db, metric, values, why);
    for (size_t t = 0; !e && t < x->matrix.n_trials; t++)
        any |= isfinite(values[t]);
    if (!e && any)
        e = effect_field_make(out, &x->matrix,
                              &(struct effect_question){
                                  metric, values, x->field.rule.margin_ratio,
                                  x->field.rule.alpha},
                              why);
    free(values);
    return e;
}

/* Which factors are settings: of the target or the kernel. */
static enum err read_kinds(const struct effects *x, struct db *db,
                           bool *setting, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(db, &stmt,
                            "select position, kind in ('target', 'kernel') "
                            "from factor where experiment = ?",
                            DB_VALUES(DB_I(x->matrix.experiment)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        size_t at = (size_t)db_column(stmt, 0).i;
        if (at < x->matrix.n_factors)
            setting[at] = db_column(stmt, 1).i != 0;
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

enum err effect_advices_make(struct effect_advices *out,
                             const struct effects *x, struct db *db,
                             struct why *why)
{
    struct beside beside = {.db = db, .waste = {.y = NULL}};
    bool *setting = calloc(x->matrix.n_factors + 1, sizeof *setting);
    *out = (struct effect_advices){
        .list = calloc(x->field.grid.n_factors + 1, sizeof *out->list)};
    enum err e = setting && out->list ? ERR_OK : nomem(why);
    if (!e)
        e = read_kinds(x, db, setting, why);
    if (!e)
        e = read_beside(x, db, "waste", &beside.waste, why);
    if (!e)
        e = read_beside(x, db, "bytes_per_read", &beside.read, why);
    for (size_t f = 0; !e && f < x->field.grid.n_factors; f++) {
        if (!setting[x->field.factor[f]] || !x->field.rule.judged)
            continue;
        struct effect_advice *a = &out->list[out->n++];
        *a = (struct effect_advice){.factor = f, .level = SIZE_MAX};
        e = advise(x, &beside, a, why);
    }
    effect_field_fini(&beside.waste);
    effect_field_fini(&beside.read);
    free(setting);
    if (e)
        effect_advices_fini(out);
    return e;
}

void effect_advices_fini(struct effect_advices *advices)
{
    for (size_t i = 0; i < advices->n; i++)
        free(advices->list[i].refused);
    free(advices->list);
    *advices = (struct effect_advices){.list = NULL};
}
