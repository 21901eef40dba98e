/* The commands note and invalidate. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "controller/command.h"
#include "controller/command_data.h"
#include "controller/show.h"
#include "results/remark.h"

enum { KEY_DB = 256, KEY_JSON, KEY_REASON };

struct words {
    const char *db, *whose, *text;
    bool json, reasons; /* reasons: the text is an option */
};

#define OPTION_DB                                                              \
    {                                                                          \
        "db", KEY_DB, "FILE", 0, "file of results (default: lab.db)", 0        \
    }
#define OPTION_JSON                                                            \
    {                                                                          \
        "json", KEY_JSON, NULL, 0, "print what was kept as JSON", 0            \
    }

static void check_words(const struct words *w, struct argp_state *state)
{
    if (!w->whose)
        argp_error(state, w->reasons ? "name the trial" : "note on what?");
    else if (!w->text)
        argp_error(state, w->reasons
                              ? "--reason is missing: it stays with the trial"
                              : "the note's text is missing (quote it)");
}

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
    case KEY_REASON:
        w->text = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > (w->reasons ? 0 : 1))
            return ARGP_ERR_UNKNOWN; /* "Too many arguments" */
        *(state->arg_num ? &w->text : &w->whose) = arg;
        return 0;
    case ARGP_KEY_END:
        check_words(w, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum err tell(const struct words *w, int64_t experiment, int64_t tid,
                     struct why *why)
{
    struct grid grid;
    char number[24];
    grid_init(&grid);
    grid_column(&grid, "experiment", "", true);
    grid_column(&grid, "trial", "", true);
    grid_column(&grid, w->reasons ? "invalid" : "note", "", false);
    (void)grid_row(&grid);
    (void)snprintf(number, sizeof number, "%lld", (long long)experiment);
    grid_value(&grid, 0, 0, (double)experiment, number);
    (void)snprintf(number, sizeof number, "%lld", (long long)tid);
    if (tid)
        grid_value(&grid, 0, 1, (double)tid, number);
    grid_text(&grid, 0, 2, w->text);
    enum err e = show_grid(&grid, w->json ? TABLE_JSON : TABLE_TEXT, NULL, why);
    grid_fini(&grid);
    return e;
}

static enum err keep(const struct words *w, struct why *why)
{
    struct store *store = NULL;
    int64_t experiment = 0, tid = 0;
    if (access(w->db, F_OK)) /* a store is not made for a note */
        return err_errno(why, errno, "%s", w->db);
    enum err e = store_open(&store, w->db, STORE_WRITE, why);
    if (!e)
        e = (w->reasons ? remark_invalidate : remark_note)(
            store, w->whose, w->text, &experiment, &tid, why);
    store_close(store);
    return e ? e : tell(w, experiment, tid, why);
}

enum err note_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp_option options[] = {OPTION_DB, OPTION_JSON, {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "EXPERIMENT|TRIAL TEXT",
        .doc = "Keep a note with an experiment (a number or a name) or a trial "
               "(EXPERIMENT:NUMBER); it stands above every answer about it."};
    struct words w = {.db = "lab.db"};
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    *status = 0;
    if (e)
        return e;
    e = keep(&w, why);
    return e ? err_wrap(why, e, "note") : ERR_OK;
}

enum err invalidate_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp_option options[] = {
        OPTION_DB,
        {"reason", KEY_REASON, "TEXT", 0,
         "why it does not count; kept and shown", 0},
        OPTION_JSON,
        {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "TRIAL",
        .doc = "Take a trial (EXPERIMENT:NUMBER, or a trial's id) out of every "
               "figure. Nothing is deleted: it is counted as invalid by the "
               "rule `operator', with the reason, above every answer. Do so "
               "for what you saw happen to the lab, not for a value that you "
               "do not like."};
    struct words w = {.db = "lab.db", .reasons = true};
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    *status = 0;
    if (e)
        return e;
    e = keep(&w, why);
    return e ? err_wrap(why, e, "invalidate") : ERR_OK;
}
