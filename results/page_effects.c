#include "results/page_effects.h"

#include <math.h>

#include "results/effects.h"
#include "results/look.h"
#include "results/page_charts.h"
#include "results/page_write.h"

#define MARGIN 0.02 /* a change that does not matter; `pitwall effects` has */
#define ALPHA  0.05 /* the same defaults */

static const struct page_chart chart = {
    "effects", "Effects",
    "The change that a level makes against the first one, with its 95 % "
    "interval. One that reaches over 0 may be no change at all."};

/* Main effects and, where they depend on another factor, those at its
 * levels. */
static void add_interval(const struct effects *x, const struct effect *e,
                         double factor, struct jv *list)
{
    char label[200], whole[440];
    static const char none[] = "";
    const struct stat_contrast *c = &e->contrast;
    const struct matrix_factor *f =
        &x->matrix.factors[x->field.factor[c->factor]];
    struct finding_change change = finding_change(&e->finding);
    if (e->kind == EFFECT_INTERACTION || !isfinite(change.low) ||
        !isfinite(change.high))
        return;
    (void)effects_label(x, e, label, sizeof label);
    (void)snprintf(whole, sizeof whole, "%s%s%s%s%s",
                   e->kind == EFFECT_SIMPLE ? f->name : none,
                   e->kind == EFFECT_SIMPLE ? " " : none,
                   e->kind == EFFECT_SIMPLE ? f->labels[c->level] : none,
                   e->kind == EFFECT_SIMPLE ? " " : none,
                   label + (e->kind == EFFECT_SIMPLE ? 2 : 0));
    struct jv *one = jv_add(list, NULL, JV_OBJECT);
    jv_add_text(one, "label", whole);
    jv_add_number(one, "change", factor * change.change);
    jv_add_number(one, "low", factor * change.low);
    jv_add_number(one, "high", factor * change.high);
}

static void add_data(const struct effects *x, struct jv *root)
{
    double factor = 1;
    const char *unit = metric_unit(x->metric, &factor);
    struct jv *list = jv_add(root, "effects", JV_ARRAY);
    bool ratio = x->field.rule.ratio;
    jv_add_text(root, "effectsUnit", ratio ? "%" : unit);
    for (size_t i = 0; i < x->n; i++)
        add_interval(x, &x->list[i], ratio ? 100 : factor, list);
}

static enum err put(FILE *out, const struct effects *x, struct db *db,
                    struct jv *root, struct why *why)
{
    struct grid grid;
    grid_init(&grid);
    enum err e = effects_grid(x, db, false, &grid, why);
    if (!e) {
        (void)fputs("<h3>What to choose, by the whole experiment</h3>\n", out);
        page_notes(out, &grid);
        add_data(x, root);
        page_chart(out, &chart);
        page_grid(out,
                  "effects, each as a change of the level against the "
                  "first one",
                  &grid, 1);
    }
    grid_fini(&grid);
    return e;
}

enum err page_effects(FILE *out, const struct report *report, struct db *db,
                      struct jv *root, struct why *why)
{
    struct effects_options options = {.metric = report->metrics[0]->name,
                                      .margin_ratio = MARGIN,
                                      .alpha = ALPHA};
    struct effects x = {.list = NULL};
    struct why none = {""};
    enum err e =
        look_alpha(db, report->matrix.experiment, ALPHA, &options.alpha, why);
    if (e)
        return e;
    e = effects_load(&x, db, report->matrix.experiment, &options, &none);
    if (e == ERR_NOTFOUND || e == ERR_RANGE) {
        (void)fputs("<p>No effects: ", out);
        page_text(out, none.text);
        (void)fputs(".</p>\n", out);
        e = ERR_OK;
    } else if (e) {
        e = err_set(why, e, "%s", none.text);
    } else {
        e = put(out, &x, db, root, why);
    }
    effects_fini(&x);
    return e;
}
