/* Effects as a table: what to choose and the best cells in words above, a row
 * for each effect below. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/effect_advice.h"
#include "results/effects_best.h"
#include "results/effects_odd.h"
#include "results/handle.h"
#include "results/heading.h"
#include "results/look.h"

#define SHOWN_ALPHA 0.01 /* terms of three factors and more are shown below */

static const struct matrix_factor *factor_of(const struct effects *x, size_t f)
{
    return &x->matrix.factors[x->field.factor[f]];
}

const char *effects_label(const struct effects *x, const struct effect *e,
                          char *buf, size_t size)
{
    const struct stat_contrast *c = &e->contrast;
    const struct matrix_factor *f = factor_of(x, c->factor);
    const struct matrix_factor *by =
        c->by == STAT_NO_FACTOR ? NULL : factor_of(x, c->by);
    if (!by)
        (void)snprintf(buf, size, "%s %s : %s", f->name, f->labels[c->level],
                       f->labels[c->reference]);
    else if (e->kind == EFFECT_SIMPLE)
        (void)snprintf(buf, size, "  at %s %s", by->name,
                       by->labels[c->by_level]);
    else
        (void)snprintf(buf, size, "%s x %s (%s : %s by %s : %s)", f->name,
                       by->name, f->labels[c->level], f->labels[c->reference],
                       by->labels[c->by_level], by->labels[c->by_reference]);
    return buf;
}

static const char *sense_word(enum effect_sense sense)
{
    static const char *const words[] = {[EFFECT_MATTERS] = "they interact",
                                        [EFFECT_NONE] =
                                            "no interaction that matters",
                                        [EFFECT_UNCLEAR] = "unclear"};
    return words[sense];
}

static void verdict_of(const struct effects *x, const struct effect *e,
                       char *buf, size_t size)
{
    size_t n = 0;
    if (!e->matched.groups || !e->matched.used) {
        (void)snprintf(buf, size, "%s",
                       e->matched.groups ? "no pair of cells ended well"
                                         : "never varied alone");
        return;
    }
    if (e->breaks != STAT_NO_FACTOR) {
        n = (size_t)snprintf(buf, size, "depends on %s",
                             factor_of(x, e->breaks)->name);
    } else if (e->kind != EFFECT_INTERACTION) {
        (void)finding_words(&e->finding, buf, size);
        n = strlen(buf);
    } else {
        n = (size_t)snprintf(buf, size, "%s", sense_word(e->sense));
        if (e->sense == EFFECT_UNCLEAR && e->finding.more)
            n += (size_t)snprintf(buf + n, size - n, ": about %zu more blocks",
                                  e->finding.more);
    }
    if (e->matched.used < e->matched.groups && n < size)
        (void)snprintf(buf + n, size - n, ", over %zu of %zu pairs",
                       e->matched.used, e->matched.groups);
}

static void add_effect(const struct effects *x, const struct effect *e,
                       struct grid *grid)
{
    double factor = 1;
    char text[200], change[40];
    size_t row = grid_row(grid);
    (void)metric_unit(x->metric, &factor);
    grid_text(grid, row, 0, effects_label(x, e, text, sizeof text));
    (void)finding_show_change(&e->finding, factor, change, sizeof change);
    (void)snprintf(text, sizeof text,
                   e->breaks != STAT_NO_FACTOR ? "(%s)" : "%s", change);
    grid_text(grid, row, 1, text);
    grid_text(grid, row, 2,
              finding_show_interval(&e->finding, factor, text, sizeof text));
    grid_text(grid, row, 3,
              finding_show_p(e->finding.p_adjusted, text, sizeof text));
    verdict_of(x, e, text, sizeof text);
    grid_text(grid, row, 4, text);
}

/* "heap x predictor x link" */
static void term_name(const struct effects *x, unsigned factors, char *buf,
                      size_t size)
{
    size_t n = 0;
    for (size_t f = 0; f < x->field.grid.n_factors && n < size; f++)
        if (factors >> f & 1)
            n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " x " : "",
                                  factor_of(x, f)->name);
}

static bool is_high(unsigned factors)
{
    return __builtin_popcount(factors) > 2;
}

/* Terms of three factors and more: the analysis' word, no verdict. */
static void add_terms(const struct effects *x, struct grid *grid)
{
    char text[200];
    for (size_t i = 0; x->analysed && i < x->anova.n_terms; i++) {
        const struct stat_term *t = &x->anova.term[i];
        if (!is_high(t->factors) || !(t->p < SHOWN_ALPHA))
            continue;
        size_t row = grid_row(grid);
        term_name(x, t->factors, text, sizeof text);
        grid_text(grid, row, 0, text);
        grid_text(grid, row, 3, finding_show_p(t->p, text, sizeof text));
        (void)snprintf(text, sizeof text,
                       "they interact: F %.3g, %.2g%% of "
                       "the variation",
                       t->f, 100 * t->share);
        grid_text(grid, row, 4, text);
    }
}

/* Two digits, and never an exponent for what is nearly all. */
static const char *show_share(double share, char buf[16])
{
    (void)snprintf(buf, 16, share >= 0.1 ? "%.0f%%" : "%.2g%%", 100 * share);
    return buf;
}

/* "heap 52%, blocks 30%, noise 3%" */
static void note_shares(const struct effects *x, struct grid *grid)
{
    char line[400] = "", name[200], share[16], noise[16];
    size_t n = 0;
    double rest = 0;
    if (!x->analysed) {
        grid_note(grid, "no analysis of variance: %s",
                  effects_analysable(x)
                      ? "not every cell has a value in every block"
                      : "too many cells");
        return;
    }
    for (size_t i = 0; i < x->anova.n_terms; i++) {
        const struct stat_term *t = &x->anova.term[i];
        if (is_high(t->factors)) {
            rest += t->share;
            continue;
        }
        term_name(x, t->factors, name, sizeof name);
        if (n < sizeof line)
            n += (size_t)snprintf(line + n, sizeof line - n, "%s %s, ", name,
                                  show_share(t->share, share));
    }
    if (rest > 0 && n < sizeof line)
        n += (size_t)snprintf(line + n, sizeof line - n,
                              "more than two together %s, ",
                              show_share(rest, share));
    if (n < sizeof line)
        (void)snprintf(line + n, sizeof line - n, "blocks %s, noise %s",
                       show_share(x->anova.blocks.share, share),
                       show_share(x->anova.residual.share, noise));
    grid_note(grid, "variation explained by: %s", line);
}

static void note_rules(const struct effects *x, struct grid *grid)
{
    const struct finding_rule *r = &x->field.rule;
    grid_note(grid,
              "%s, %s is better; %zu block%s%s; margin %.3g%%, alpha %.3g%%, "
              "p adjusted by Holm",
              x->metric->name, metric_direction_name(x->metric->direction),
              x->field.grid.n_blocks, x->field.grid.n_blocks == 1 ? "" : "s",
              x->field.n_dropped ? " (those that are whole)" : "",
              100 * r->margin_ratio, 100 * r->alpha);
}

static void note_more(const struct effects *x, struct grid *grid)
{
    size_t more = 0;
    bool beyond = false; /* an effect that no number of blocks settles */
    for (size_t i = 0; i < x->n; i++) {
        const struct finding *f = &x->list[i].finding;
        if (x->list[i].kind != EFFECT_MAIN ||
            x->list[i].breaks != STAT_NO_FACTOR ||
            f->verdict.outcome != STAT_INCONCLUSIVE)
            continue;
        beyond |= !f->more;
        more = f->more > more ? f->more : more;
    }
    if (more)
        grid_note(grid, "to settle %s: `pitwall extend %lld -n +%zu`",
                  beyond ? "some of it" : "every factor",
                  (long long)x->matrix.experiment, more);
}

static void note_marks(const struct effects *x, struct grid *grid)
{
    for (int m = 0; m < FINDING_MARKS; m++) {
        bool any = false;
        for (size_t i = 0; i < x->n; i++)
            any |= x->list[i].kind != EFFECT_INTERACTION &&
                   x->list[i].breaks == STAT_NO_FACTOR &&
                   finding_marked(&x->list[i].finding, (enum finding_mark)m);
        if (any)
            grid_note(grid, "%s", finding_legend((enum finding_mark)m));
    }
}

static void note_advice(const struct effects *x,
                        const struct effect_advices *advices, struct grid *grid)
{
    for (size_t i = 0; i < advices->n; i++) {
        const struct effect_advice *a = &advices->list[i];
        const struct matrix_factor *f = factor_of(x, a->factor);
        if (a->level == SIZE_MAX)
            grid_note(grid, "%s: no level to choose: %s", f->name, a->reason);
        else
            grid_note(grid, "%s %s=%s: %s", a->shown ? "choose" : "keep",
                      f->name, f->labels[a->level], a->reason);
        for (char *line = a->refused, *end; line; line = end) {
            end = strchr(line, '\n');
            int n = end ? (int)(end - line) : (int)strlen(line);
            grid_note(grid, "  %.*s", n, line);
            end += end != NULL;
        }
    }
}

static void add_rows(const struct effects *x, struct grid *grid)
{
    char interval[40];
    (void)snprintf(interval, sizeof interval, "%.3g%% interval",
                   100 * x->field.rule.confidence);
    double factor = 1;
    const char *unit = metric_unit(x->metric, &factor);
    grid_column(grid, "effect", "", false);
    grid_column(grid, "change", x->field.rule.ratio ? "" : unit, true);
    grid_column(grid, interval, "", true);
    grid_column(grid, "adj.p", "", true);
    grid_column(grid, "verdict", "", false);
    for (size_t i = 0; i < x->n; i++)
        add_effect(x, &x->list[i], grid);
    add_terms(x, grid);
}

/* For programs ---------------------------------------------------------- */

static const char *const machine_columns[] = {
    "kind",          "factor",  "level",
    "reference",     "by",      "by_level",
    "by_reference",  "change",  "low",
    "high",          "p",       "adjusted_p",
    "equal_p",       "n",       "pairs",
    "pairs_planned", "verdict", "more_blocks",
    "f_p",           "reason"};
enum { COLUMN_VERDICT = 16, COLUMN_REASON = 19 };

static void put(struct grid *grid, size_t row, size_t *at, double v)
{
    char text[40];
    (void)snprintf(text, sizeof text, "%.17g", v);
    if (isfinite(v))
        grid_value(grid, row, *at, v, text);
    ++*at;
}

static void put_names(const struct effects *x, const struct effect *e,
                      struct grid *grid, size_t row, size_t *at)
{
    static const char *const kinds[] = {"main", "simple", "interaction"};
    const struct stat_contrast *c = &e->contrast;
    const struct matrix_factor *f = factor_of(x, c->factor);
    const struct matrix_factor *by =
        c->by == STAT_NO_FACTOR ? NULL : factor_of(x, c->by);
    const char *const names[] = {kinds[e->kind],
                                 f->name,
                                 f->labels[c->level],
                                 f->labels[c->reference],
                                 by ? by->name : "",
                                 by ? by->labels[c->by_level] : "",
                                 by && c->by_reference != STAT_NO_FACTOR
                                     ? by->labels[c->by_reference]
                                     : ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        grid_text(grid, row, (*at)++, names[i]);
}

static void add_numbers(const struct effects *x, const struct effect *e,
                        struct grid *grid)
{
    const struct finding *f = &e->finding;
    struct finding_change change = finding_change(f);
    double factor = 1;
    size_t row = grid_row(grid), at = 0;
    (void)metric_unit(x->metric, &factor);
    factor = f->rule.ratio ? 1 : factor;
    put_names(x, e, grid, row, &at);
    put(grid, row, &at, factor * change.change);
    put(grid, row, &at, factor * change.low);
    put(grid, row, &at, factor * change.high);
    put(grid, row, &at, f->test.p_diff);
    put(grid, row, &at, f->p_adjusted);
    put(grid, row, &at, f->test.p_equal);
    put(grid, row, &at, (double)f->test.n);
    put(grid, row, &at, (double)e->matched.used);
    put(grid, row, &at, (double)e->matched.groups);
    grid_text(grid, row, at++,
              e->kind == EFFECT_INTERACTION ? sense_word(e->sense)
                                            : finding_word(f));
    put(grid, row, &at, f->more ? (double)f->more : NAN);
    put(grid, row, &at, e->kind == EFFECT_INTERACTION ? e->f_p : NAN);
}

static void add_machine(const struct effects *x,
                        const struct effect_advices *advices, struct grid *grid)
{
    for (size_t i = 0; i < sizeof machine_columns / sizeof *machine_columns;
         i++)
        grid_column(grid, machine_columns[i], "", true);
    for (size_t i = 0; i < x->n; i++)
        add_numbers(x, &x->list[i], grid);
    for (size_t c = 0; c < x->matrix.n_cells; c++) {
        if (!x->best[c])
            continue;
        size_t row = grid_row(grid);
        grid_text(grid, row, 0, "best");
        grid_text(grid, row, 2, x->matrix.cells[c].label);
        grid_text(grid, row, COLUMN_VERDICT, c == x->top ? "top" : "tied");
    }
    for (size_t i = 0; i < advices->n; i++) {
        const struct effect_advice *a = &advices->list[i];
        const struct matrix_factor *f = factor_of(x, a->factor);
        size_t row = grid_row(grid);
        grid_text(grid, row, 0, "recommended");
        grid_text(grid, row, 1, f->name);
        if (a->level != SIZE_MAX)
            grid_text(grid, row, 2, f->labels[a->level]);
        grid_text(grid, row, COLUMN_REASON, a->reason);
    }
}

enum err effects_grid(const struct effects *effects, struct db *db,
                      bool machine, struct grid *grid, struct why *why)
{
    struct effect_advices advices = {.list = NULL};
    enum err e = effect_advices_make(&advices, effects, db, why);
    if (!e) {
        note_rules(effects, grid);
        note_advice(effects, &advices, grid);
        e = effects_best_note(effects, grid, why);
    }
    if (!e)
        e = effects_odd_note(effects, grid, why);
    if (!e) {
        note_shares(effects, grid);
        note_marks(effects, grid);
        note_more(effects, grid);
        if (machine)
            add_machine(effects, &advices, grid);
        else
            add_rows(effects, grid);
    }
    effect_advices_fini(&advices);
    return e;
}

/* What the verdicts rest on; alpha as it was asked for, and what looks have
 * left of it. */
static enum err add_facts(const struct effects *x, struct db *db,
                          const struct effects_options *options,
                          struct grid *grid, struct why *why)
{
    const struct finding_rule *r = &x->field.rule;
    int64_t looks = 0;
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = look_count(db, x->matrix.experiment, &looks, why);
    if (!e)
        e = db_prepare(db, &stmt, "select seed from experiment where id = ?",
                       DB_VALUES(DB_I(x->matrix.experiment)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && row && db_column(stmt, 0).type == DB_TEXT)
        grid_fact_text(grid, "seed", db_column(stmt, 0).data);
    db_finish(stmt);
    grid_fact(grid, "margin", r->margin_ratio);
    grid_fact(grid, "alpha", options->alpha);
    grid_fact(grid, "alpha_left", r->alpha);
    grid_fact(grid, "looks", (double)looks);
    return e;
}

static enum err show(const struct effects *x, struct db *db,
                     const struct effects_options *options, struct grid *grid,
                     struct why *why)
{
    enum err e = heading_title(&x->matrix, db, grid, why);
    if (!e)
        e = heading_plan(&x->matrix, db, grid, why);
    if (!e)
        e = heading_trust(&x->matrix, db, grid, why);
    if (!e)
        e = effects_grid(x, db, options->machine, grid, why);
    return e ? e : add_facts(x, db, options, grid, why);
}

enum err answer_effects(struct store *store, int64_t experiment,
                        const struct effects_options *options,
                        struct grid *grid, struct why *why)
{
    struct effects x = {.list = NULL};
    struct effects_options spent = *options;
    enum err e = db_begin(store->db, false, why);
    if (e)
        return e;
    e = look_alpha(store->db, experiment, options->alpha, &spent.alpha, why);
    if (!e)
        e = effects_load(&x, store->db, experiment, &spent, why);
    if (!e)
        e = show(&x, store->db, options, grid, why);
    e = db_end(store->db, e, why);
    effects_fini(&x);
    return e;
}
