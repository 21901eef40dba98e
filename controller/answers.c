#include "controller/answers.h"

#include <errno.h>
#include <stdbool.h>

#include "controller/command.h"
#include "controller/show.h"
#include "results/answer.h"

enum { KEY_DB = 256, KEY_JSON, KEY_CSV, KEY_TRACK, KEY_TAG };

#define OPTION_DB                                                              \
    {                                                                          \
        "db", KEY_DB, "FILE", 0, "file of results (default: lab.db)", 0        \
    }
#define OPTION_JSON                                                            \
    {                                                                          \
        "json", KEY_JSON, NULL, 0, "print the table as JSON", 0                \
    }

struct words {
    const char *db, *arg;
    const char *track, *tag;
    bool json, csv;
    int args_min, args_max;
};

static error_t parse_word(int key, char *arg, struct words *w)
{
    switch (key) {
    case KEY_DB:
        w->db = arg;
        return 0;
    case KEY_TRACK:
        w->track = arg;
        return 0;
    case KEY_TAG:
        w->tag = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct words *w = state->input;
    switch (key) {
    case KEY_JSON:
        w->json = true;
        return 0;
    case KEY_CSV:
        w->csv = true;
        return 0;
    case ARGP_KEY_ARG:
        if ((int)state->arg_num >= w->args_max)
            return ARGP_ERR_UNKNOWN; /* "Too many arguments" */
        w->arg = arg;
        return 0;
    case ARGP_KEY_END:
        if ((int)state->arg_num < w->args_min)
            argp_error(state, "an argument is missing");
        return 0;
    default:
        return parse_word(key, arg, w);
    }
}

/* Fill grid from the store, or from nothing but the program. */
typedef enum err (*answer)(struct store *store, const struct words *w,
                           struct grid *grid, struct why *why);

static enum err print_answer(const struct words *w, answer fill,
                             struct why *why)
{
    struct store *store = NULL;
    struct grid grid;
    enum table_form form = w->json  ? TABLE_JSON
                           : w->csv ? TABLE_CSV
                                    : TABLE_TEXT;
    grid_init(&grid);
    enum err e = store_open(&store, w->db ? w->db : "lab.db", STORE_READ, why);
    if (!e)
        e = fill(store, w, &grid, why);
    if (!e)
        e = show_grid(&grid, form, NULL, why);
    store_close(store);
    grid_fini(&grid);
    return e;
}

static enum err fill_list(struct store *store, const struct words *w,
                          struct grid *grid, struct why *why)
{
    return answer_list(store, w->track, w->tag, grid, why);
}

enum err list_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp_option options[] = {
        OPTION_DB,
        {"track", KEY_TRACK, "TRACK", 0, "only those of this track", 0},
        {"tag", KEY_TAG, "NAME=VALUE", 0, "only those with this tag", 0},
        OPTION_JSON,
        {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "List the experiments in the store, newest first."};
    struct words w = {0};
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    *status = 0;
    return e ? e : print_answer(&w, fill_list, why);
}

static enum err fill_show(struct store *store, const struct words *w,
                          struct grid *grid, struct why *why)
{
    return answer_show(store, w->arg, grid, why);
}

enum err show_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp_option options[] = {OPTION_DB, OPTION_JSON, {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "TRIAL",
        .doc = "Show one trial's summary. TRIAL is EXPERIMENT:NUMBER, such as "
               "3:17, or a trial's id."};
    struct words w = {.args_min = 1, .args_max = 1};
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    *status = 0;
    return e ? e : print_answer(&w, fill_show, why);
}

static enum err fill_query(struct store *store, const struct words *w,
                           struct grid *grid, struct why *why)
{
    return answer_query(store, w->arg, grid, why);
}

enum err query_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp_option options[] = {
        OPTION_DB,
        OPTION_JSON,
        {"csv", KEY_CSV, NULL, 0, "print the table as CSV", 0},
        {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "'SELECT ...'",
        .doc = "Run one read-only SQL statement on the store. Documented views "
               "are v_trial, v_trial_all, v_cell and v_sample."};
    struct words w = {.args_min = 1, .args_max = 1};
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    *status = 0;
    return e ? e : print_answer(&w, fill_query, why);
}

enum err metrics_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp_option options[] = {OPTION_JSON, {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "Every metric: its unit, direction, source and definition."};
    struct words w = {0};
    struct grid grid;
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    if (e)
        return e;
    grid_init(&grid);
    answer_metrics(&grid);
    e = show_grid(&grid, w.json ? TABLE_JSON : TABLE_TEXT, NULL, why);
    grid_fini(&grid);
    *status = 0;
    return e;
}
