/* The command merge. */
#include "controller/command.h"
#include "controller/command_data.h"
#include "controller/show.h"
#include "results/adopt.h"

enum { KEY_DB = 256, KEY_JSON };

struct words {
    const char *db, *other;
    bool json;
};

static const struct argp_option options[] = {
    {"db", KEY_DB, "FILE", 0,
     "file of results that takes them in (default: lab.db)", 0},
    {"json", KEY_JSON, NULL, 0, "print what was taken in as JSON", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct words *w = state->input;
    switch (key) {
    case KEY_DB:
        w->db = arg;
        return 0;
    case KEY_JSON:
        w->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num)
            return ARGP_ERR_UNKNOWN; /* "Too many arguments" */
        w->other = arg;
        return 0;
    case ARGP_KEY_END:
        if (!state->arg_num)
            argp_error(state, "name the other store");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

enum err merge_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "OTHER.db",
        .doc = "Take the experiments of another store in, with their trials, "
               "samples, histograms, artifacts and notes. An experiment that "
               "is there already, by its uuid, is skipped and told. Stores of "
               "older schemas are accepted; OTHER.db is not changed. Checksums "
               "are verified on the way; all is taken in or nothing."};
    struct words w = {.db = "lab.db"};
    struct store *store = NULL;
    struct grid grid;
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    *status = 0;
    if (e)
        return e;
    grid_init(&grid);
    e = store_open(&store, w.db, STORE_WRITE, why);
    if (!e)
        e = adopt_store(store, w.other, &grid, why);
    if (!e)
        e = show_grid(&grid, w.json ? TABLE_JSON : TABLE_TEXT, NULL, why);
    store_close(store);
    grid_fini(&grid);
    return e ? err_wrap(why, e, "merge") : ERR_OK;
}
