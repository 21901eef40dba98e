/* pitwall compare: the answer to "is B better than A?" */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "controller/command.h"
#include "controller/show.h"
#include "results/compare.h"

#define EXIT_GATE 4 /* what --fail-on names was found */

enum {
    KEY_DB = 256,
    KEY_METRIC,
    KEY_MARGIN,
    KEY_ALPHA,
    KEY_ADJUST,
    KEY_FAIL_ON,
    KEY_FORMAT,
    KEY_JSON
};

struct words {
    const char *db, *format, *fail_on;
    const char *margin, *alpha;
    bool json, crowded;
    const char *sides[1 + COMPARE_CONTENDERS_MAX];
    size_t n_sides;
    struct compare_options compare;
};

static error_t parse_word(int key, char *arg, struct words *w)
{
    switch (key) {
    case KEY_DB:
        w->db = arg;
        return 0;
    case KEY_METRIC:
        w->compare.metrics = arg;
        return 0;
    case KEY_MARGIN:
        w->margin = arg;
        return 0;
    case KEY_ALPHA:
        w->alpha = arg;
        return 0;
    case KEY_ADJUST:
        w->compare.adjust = arg;
        return 0;
    case KEY_FAIL_ON:
        w->fail_on = arg;
        return 0;
    case KEY_FORMAT:
        w->format = arg;
        return 0;
    case KEY_JSON:
        w->json = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct words *w = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (w->n_sides < 1 + COMPARE_CONTENDERS_MAX)
            w->sides[w->n_sides++] = arg;
        else
            w->crowded = true;
        return 0;
    case ARGP_KEY_END:
        if (w->n_sides < 2)
            argp_error(state, "BASE and at least one CONTENDER are needed");
        return 0;
    default:
        return parse_word(key, arg, w);
    }
}

static enum err share(const char *option, const char *text, double *out,
                      struct why *why)
{
    enum err e = text ? units_ratio(text, out, why) : ERR_OK;
    return e ? err_wrap(why, e, "%s", option) : ERR_OK;
}

/* The options' values; the form of the table. */
static enum err check(struct words *w, enum table_form *form, struct why *why)
{
    struct compare_options *c = &w->compare;
    c->base = w->sides[0];
    c->contenders = w->sides + 1;
    c->n_contenders = w->n_sides - 1;
    c->margin_ratio = COMPARE_MARGIN;
    c->alpha = COMPARE_ALPHA;
    c->gated = w->fail_on != NULL;
    if (w->crowded)
        return err_set(why, ERR_USAGE, "more than %u contenders",
                       COMPARE_CONTENDERS_MAX);
    enum err e = share("--margin", w->margin, &c->margin_ratio, why);
    if (!e)
        e = share("--alpha", w->alpha, &c->alpha, why);
    if (!e && (c->alpha <= 0 || c->alpha > 0.5))
        e = err_set(why, ERR_USAGE, "--alpha \"%s\": above 0 and up to 50%%",
                    w->alpha);
    *form = w->json ? TABLE_JSON : TABLE_TEXT;
    if (!e && w->json && w->format)
        e = err_set(why, ERR_USAGE, "--json and --format exclude each other");
    if (!e && w->format)
        e = table_form_parse(w->format, form, why);
    c->machine = *form == TABLE_JSON || *form == TABLE_CSV;
    return e;
}

/* Whether what one of the words of --fail-on stands for was found. */
static enum err judge_word(const char *word, size_t len,
                           const struct compare_found *found, bool *met,
                           struct why *why)
{
    const struct {
        const char *word;
        bool met;
    } words[] = {{"regressed", found->regressed},
                 {"oom", found->oom},
                 {"failed", found->failed},
                 {"invalid", found->invalid}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i].word) != len || strncmp(words[i].word, word, len))
            continue;
        if (words[i].met)
            (void)fprintf(stderr, "pitwall compare: --fail-on %s is met\n",
                          words[i].word);
        *met |= words[i].met;
        return ERR_OK;
    }
    return err_set(why, ERR_USAGE,
                   "--fail-on \"%.*s\": it is regressed, oom, failed or "
                   "invalid",
                   (int)len, word);
}

static enum err judge(const char *words, const struct compare_found *found,
                      bool *met, struct why *why)
{
    enum err e = ERR_OK;
    *met = false;
    while (!e && words && *words) {
        size_t len = strcspn(words, ",");
        e = judge_word(words, len, found, met, why);
        words += len + (words[len] == ',');
    }
    return e;
}

static enum err compare(struct words *w, enum table_form form, bool *met,
                        struct why *why)
{
    struct store *store = NULL;
    struct compare_found found = {.regressed = false};
    struct grid grid;
    grid_init(&grid);
    /* A word that is wrong is told before anything is read. */
    enum err e = judge(w->fail_on, &found, met, why);
    if (!e)
        e = store_open(&store, w->db ? w->db : "lab.db", STORE_READ, why);
    if (!e)
        e = answer_compare(store, &w->compare, &grid, &found, why);
    if (!e)
        e = show_grid(&grid, form, NULL, why);
    if (!e)
        e = judge(w->fail_on, &found, met, why);
    store_close(store);
    grid_fini(&grid);
    return e;
}

enum err compare_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp_option options[] = {
        {"db", KEY_DB, "FILE", 0, "file of results (default: lab.db)", 0},
        {"metric", KEY_METRIC, "NAME,...", 0,
         "what is compared (see pitwall metrics; default: the rows of show, "
         "Rally's first)",
         0},
        {"margin", KEY_MARGIN, "SHARE", 0,
         "a difference that does not matter (default: 2%; of plain counts, of "
         "the base's own)",
         0},
        {"alpha", KEY_ALPHA, "SHARE", 0,
         "how often a difference may be claimed where there is none (default: "
         "5%)",
         0},
        {"adjust", KEY_ADJUST, "HOW", 0,
         "for several contenders: holm (no false difference) or bh (a share of "
         "them); default: holm for the metrics of --metric and throughput, bh "
         "for others",
         0},
        {"fail-on", KEY_FAIL_ON, "WHAT,...", 0,
         "exit with 4 when a contender regressed by the margin or more (in "
         "throughput, or what --metric names; also where it alone failed or "
         "ran out of memory), or has trials that ended oom, failed or invalid; "
         "cells of one experiment only",
         0},
        {"format", KEY_FORMAT, "FORM", 0, "text (default), md, csv or json", 0},
        {"json", KEY_JSON, NULL, 0, "every number, unrounded, as JSON", 0},
        {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "BASE CONTENDER...",
        .doc =
            "Tell what is improved, regressed, equivalent within the margin, "
            "or not settled and by how many more blocks it would be. BASE and "
            "CONTENDER are cells of an experiment, ID:FACTOR=LEVEL,..., such "
            "as 3:target=pitwall and 3:target=netty (the ID, a number or a "
            "name, may be left out for the newest): cells alike in all other "
            "factors are compared within each block. Or they are of two "
            "experiments, which have no common blocks: whatever changed "
            "between the two sittings is in the difference."};
    struct words w = {0};
    enum table_form form = TABLE_TEXT;
    bool met = false;
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    if (!e)
        e = check(&w, &form, why);
    if (!e)
        e = compare(&w, form, &met, why);
    *status = met ? EXIT_GATE : 0;
    return e;
}
