/* The command check. */
#include "controller/command.h"
#include "controller/command_data.h"
#include "controller/show.h"
#include "results/answer.h"
#include "results/check.h"

#define STATUS_FAULTS 3

enum { KEY_DB = 256, KEY_JSON, KEY_FAULTS };

struct words {
    const char *db, *experiment;
    bool json, faults;
};

static const struct argp_option options[] = {
    {"db", KEY_DB, "FILE", 0, "file of results (default: lab.db)", 0},
    {"faults", KEY_FAULTS, NULL, 0, "print only what is not in order", 0},
    {"json", KEY_JSON, NULL, 0, "print the table as JSON", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct words *w = state->input;
    switch (key) {
    case KEY_DB:
        w->db = arg;
        return 0;
    case KEY_FAULTS:
        w->faults = true;
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

enum err check_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[EXPERIMENT]",
        .doc = "Say whether an experiment's figures can be believed. The "
               "store's checksums are verified; each trial's validity, its "
               "steady state, and every figure that several sources tell is "
               "shown, a column per source: documents (driver, target, index), "
               "bytes (driver, target, interface), collections and pauses "
               "(collector, its log, a waiting thread, the driver's longest "
               "answer), of a JVM its log, counters, recording and statistics, "
               "service time (driver, target). Above them: what the "
               "order of the trials did. EXPERIMENT is a number or a name; "
               "without it, the newest.\v"
               "Exit status: 0 all in order, 1 a checksum does not agree, 3 "
               "figures differ or a trial is invalid."};
    struct words w = {.db = "lab.db"};
    struct store *store = NULL;
    struct check_counts counts = {.trials = 0};
    struct grid grid;
    int64_t experiment = 0;
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    if (e)
        return e;
    grid_init(&grid);
    e = store_open(&store, w.db, STORE_READ, why);
    if (!e)
        e = answer_find(store, w.experiment, &experiment, why);
    if (!e)
        e = answer_check(store, experiment, w.faults, &grid, &counts, why);
    if (!e)
        e = show_grid(&grid, w.json ? TABLE_JSON : TABLE_TEXT, NULL, why);
    store_close(store);
    grid_fini(&grid);
    *status = counts.differ || counts.invalid ? STATUS_FAULTS : 0;
    return e ? err_wrap(why, e, "check") : ERR_OK;
}
