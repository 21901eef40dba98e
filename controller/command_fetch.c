/* The command fetch. */
#include "controller/command.h"
#include "controller/fetch.h"
#include "controller/show.h"

enum { KEY_DB = 256, KEY_JSON, KEY_LIST };

struct words {
    const char *db, *folder, *trial, *name;
    bool json, list;
};

static const struct argp_option options[] = {
    {"db", KEY_DB, "FILE", 0, "file of results (default: lab.db)", 0},
    {"output", 'o', "DIR", 0,
     "folder for the files, made if it is not there (default: the working "
     "directory); files of these names are replaced",
     0},
    {"list", KEY_LIST, NULL, 0, "only list them, write no file", 0},
    {"json", KEY_JSON, NULL, 0, "print the list of files as JSON", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct words *w = state->input;
    switch (key) {
    case KEY_DB:
        w->db = arg;
        return 0;
    case 'o':
        w->folder = arg;
        return 0;
    case KEY_JSON:
        w->json = true;
        return 0;
    case KEY_LIST:
        w->list = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1)
            return ARGP_ERR_UNKNOWN; /* "Too many arguments" */
        *(state->arg_num ? &w->name : &w->trial) = arg;
        return 0;
    case ARGP_KEY_END:
        if (!state->arg_num)
            argp_error(state, "an argument is missing");
        if (w->list && w->folder)
            argp_error(state, "--list writes no file: leave -o out");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

enum err fetch_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "TRIAL [NAME]",
        .doc = "Write one trial's artifacts to files: the collector's log "
               "(gc.log), the target's last word, the settings and command "
               "lines that were in force, what the programs said, of extra "
               "trials the stacks and a flame graph; or list them with their "
               "sizes and SHA-256. TRIAL is EXPERIMENT:NUMBER, such as 3:17, "
               "or a trial's id; NAME is one artifact's."};
    struct words w = {.db = "lab.db"};
    struct store *store = NULL;
    struct grid grid;
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    if (e)
        return e;
    const char *folder = w.folder ? w.folder : ".";
    if (w.list)
        folder = NULL;
    *status = 0;
    grid_init(&grid);
    e = store_open(&store, w.db, STORE_READ, why);
    if (!e)
        e = fetch(store, w.trial, w.name, folder, &grid, why);
    if (!e)
        e = show_grid(&grid, w.json ? TABLE_JSON : TABLE_TEXT, NULL, why);
    store_close(store);
    grid_fini(&grid);
    return e;
}
