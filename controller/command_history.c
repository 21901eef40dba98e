/* The command history. */
#include <stdlib.h>

#include "controller/command.h"
#include "controller/command_data.h"
#include "controller/show.h"
#include "results/history.h"

#define MARGIN_MAX 1.0

enum { KEY_DB = 256, KEY_JSON, KEY_METRIC, KEY_WHERE, KEY_MARGIN };

struct words {
    const char *db;
    struct history_options options;
    bool json;
};

static const struct argp_option options[] = {
    {"db", KEY_DB, "FILE", 0, "file of results (default: lab.db)", 0},
    {"metric", KEY_METRIC, "NAME", 0,
     "whose history (default: throughput; see pitwall metrics)", 0},
    {"where", KEY_WHERE, "NAME=LEVEL,...", 0,
     "only cells with these levels; track, challenge and target too", 0},
    {"margin", KEY_MARGIN, "SHARE", 0,
     "a change below it does not matter (default: 2%)", 0},
    {"json", KEY_JSON, NULL, 0, "print the table as JSON", 0},
    {0}};

/* "2%" or "0.02". */
static bool margin_of(const char *text, double *out)
{
    char *end = NULL;
    *out = strtod(text, &end);
    if (end != text && *end == '%') {
        *out /= 100;
        end++;
    }
    return end != text && !*end && *out > 0 && *out < MARGIN_MAX;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct words *w = state->input;
    switch (key) {
    case KEY_DB:
        w->db = arg;
        return 0;
    case KEY_METRIC:
        w->options.metric = arg;
        return 0;
    case KEY_WHERE:
        w->options.where = arg;
        return 0;
    case KEY_MARGIN:
        if (!margin_of(arg, &w->options.margin_ratio))
            argp_error(state,
                       "--margin %s; accepted: above 0 and below 100%%, such "
                       "as 2%% or 0.02",
                       arg);
        return 0;
    case KEY_JSON:
        w->json = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

enum err history_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "Follow cells across experiments: a point per finished "
               "experiment and cell, the geometric mean of its valid trials. "
               "Change points are marked; a suspect is a jump at the end that "
               "has too few points yet. Another machine, kernel, target or "
               "corpus begins a new series. Imported experiments are left "
               "out."};
    struct words w = {.db = "lab.db", .options = {.margin_ratio = 0.02}};
    struct store *store = NULL;
    struct grid grid;
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    *status = 0;
    if (e)
        return e;
    grid_init(&grid);
    e = store_open(&store, w.db, STORE_READ, why);
    if (!e)
        e = answer_history(store, &w.options, &grid, why);
    if (!e)
        e = show_grid(&grid, w.json ? TABLE_JSON : TABLE_TEXT, NULL, why);
    store_close(store);
    grid_fini(&grid);
    return e ? err_wrap(why, e, "history") : ERR_OK;
}
