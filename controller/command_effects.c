/* pitwall effects: what each factor of an experiment does. */
#include <stdbool.h>

#include "common/units.h"
#include "controller/command.h"
#include "controller/show.h"
#include "results/answer.h"
#include "results/compare.h"
#include "results/effects.h"

enum { KEY_DB = 256, KEY_METRIC, KEY_MARGIN, KEY_ALPHA, KEY_FORMAT, KEY_JSON };

struct words {
    const char *db, *format, *margin, *alpha, *experiment;
    bool json;
    struct effects_options effects;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct words *w = state->input;
    switch (key) {
    case KEY_DB:
        w->db = arg;
        return 0;
    case KEY_METRIC:
        w->effects.metric = arg;
        return 0;
    case KEY_MARGIN:
        w->margin = arg;
        return 0;
    case KEY_ALPHA:
        w->alpha = arg;
        return 0;
    case KEY_FORMAT:
        w->format = arg;
        return 0;
    case KEY_JSON:
        w->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num)
            return ARGP_ERR_UNKNOWN; /* "Too many arguments" */
        w->experiment = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum err share(const char *option, const char *text, double *out,
                      struct why *why)
{
    enum err e = text ? units_ratio(text, out, why) : ERR_OK;
    return e ? err_wrap(why, e, "%s", option) : ERR_OK;
}

static enum err check(struct words *w, enum table_form *form, struct why *why)
{
    struct effects_options *o = &w->effects;
    o->margin_ratio = COMPARE_MARGIN;
    o->alpha = COMPARE_ALPHA;
    enum err e = share("--margin", w->margin, &o->margin_ratio, why);
    if (!e)
        e = share("--alpha", w->alpha, &o->alpha, why);
    if (!e && (o->alpha <= 0 || o->alpha > 0.5))
        e = err_set(why, ERR_USAGE, "--alpha \"%s\": above 0 and up to 50%%",
                    w->alpha);
    *form = w->json ? TABLE_JSON : TABLE_TEXT;
    if (!e && w->json && w->format)
        e = err_set(why, ERR_USAGE, "--json and --format exclude each other");
    if (!e && w->format)
        e = table_form_parse(w->format, form, why);
    o->machine = *form == TABLE_JSON || *form == TABLE_CSV;
    return e;
}

static enum err effects(struct words *w, enum table_form form, struct why *why)
{
    struct store *store = NULL;
    int64_t experiment = 0;
    struct grid grid;
    grid_init(&grid);
    enum err e = store_open(&store, w->db ? w->db : "lab.db", STORE_READ, why);
    if (!e)
        e = answer_find(store, w->experiment, &experiment, why);
    if (!e)
        e = answer_effects(store, experiment, &w->effects, &grid, why);
    if (!e)
        e = show_grid(&grid, form, NULL, why);
    store_close(store);
    grid_fini(&grid);
    return e;
}

enum err effects_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp_option options[] = {
        {"db", KEY_DB, "FILE", 0, "file of results (default: lab.db)", 0},
        {"metric", KEY_METRIC, "NAME", 0,
         "of which the effects are told (default: throughput)", 0},
        {"margin", KEY_MARGIN, "SHARE", 0,
         "an effect that does not matter (default: 2%)", 0},
        {"alpha", KEY_ALPHA, "SHARE", 0,
         "how often an effect may be claimed where there is none (default: 5%)",
         0},
        {"format", KEY_FORMAT, "FORM", 0, "text (default), md, csv or json", 0},
        {"json", KEY_JSON, NULL, 0, "every number, unrounded, as JSON", 0},
        {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[EXPERIMENT]",
        .doc = "Tell what each factor does to a metric: a level against the "
               "first one, over all cells that differ in nothing else; which "
               "factors depend on each other, and what they do then; the cells "
               "that cannot be told from the best; the level to choose. "
               "EXPERIMENT is a number or a name; without it, the newest."};
    struct words w = {0};
    enum table_form form = TABLE_TEXT;
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    *status = 0;
    if (!e)
        e = check(&w, &form, why);
    return e ? e : effects(&w, form, why);
}
