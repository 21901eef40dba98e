/* The command import. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/command.h"
#include "controller/command_data.h"
#include "controller/file.h"
#include "controller/show.h"
#include "results/digest.h"
#include "results/foreign_read.h"
#include "results/import.h"

#define TAGS_MAX 32u

enum { KEY_DB = 256, KEY_JSON, KEY_NAME, KEY_TAG, KEY_FACTORS };

struct words {
    const char *db, *file, *name, *factors;
    const char *tags[TAGS_MAX];
    size_t n_tags;
    bool json;
};

static const struct argp_option options[] = {
    {"db", KEY_DB, "FILE", 0, "file of results (default: lab.db)", 0},
    {"name", KEY_NAME, "TEXT", 0,
     "the experiment's name (default: the race's id, or the file's name)", 0},
    {"tag", KEY_TAG, "NAME=VALUE", 0, "a tag; may be repeated", 0},
    {"factors", KEY_FACTORS, "NAME,...", 0,
     "of a table with a column per figure: which columns are factors; the "
     "others are figures",
     0},
    {"json", KEY_JSON, NULL, 0, "print what was taken in as JSON", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct words *w = state->input;
    switch (key) {
    case KEY_DB:
        w->db = arg;
        return 0;
    case KEY_NAME:
        w->name = arg;
        return 0;
    case KEY_FACTORS:
        w->factors = arg;
        return 0;
    case KEY_JSON:
        w->json = true;
        return 0;
    case KEY_TAG:
        if (w->n_tags == TAGS_MAX)
            argp_error(state, "--tag: at most %u", TAGS_MAX);
        else
            w->tags[w->n_tags++] = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num)
            return ARGP_ERR_UNKNOWN; /* "Too many arguments" */
        w->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (!state->arg_num)
            argp_error(state, "name the file to read");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void add_number(struct grid *grid, size_t column, double value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%.0f", value);
    grid_value(grid, 0, column, value, text);
}

static void tell(struct grid *grid, const struct foreign *f, int64_t id,
                 const char *name)
{
    static const char *const columns[] = {"experiment", "name",   "form",
                                          "cells",      "trials", "values"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        grid_column(grid, columns[i], "", i != 1 && i != 2);
    (void)grid_row(grid);
    add_number(grid, 0, (double)id);
    grid_text(grid, 0, 1, name);
    grid_text(grid, 0, 2, f->form);
    add_number(grid, 3, (double)f->cells.n);
    add_number(grid, 4, (double)f->n_trials);
    add_number(grid, 5, (double)f->n_values);
    if (f->note)
        grid_note(grid, "%s", f->note);
    grid_note(grid, "imported, to be read: nothing is gated on it");
}

static enum err take(const struct words *w, const char *text, size_t len,
                     struct grid *grid, struct why *why)
{
    struct foreign f;
    struct store *store = NULL;
    char sha256[DIGEST_HEX_SIZE];
    int64_t id = 0;
    struct import_words words = {.file = w->file,
                                 .sha256 = sha256,
                                 .name = w->name,
                                 .version = PITWALL_VERSION,
                                 .tags = w->tags,
                                 .n_tags = w->n_tags};
    enum err e = foreign_read(&f, w->file, text, len, w->factors, why);
    if (!e)
        e = digest(text, len, sha256, why);
    /* Nothing is made for a file that cannot be read. */
    if (!e)
        e = store_open(&store, w->db, STORE_WRITE, why);
    if (!e)
        e = import_store(store, &f, &words, &id, why);
    if (!e)
        tell(grid, &f, id, import_name(&f, &words));
    store_close(store);
    foreign_fini(&f);
    return e;
}

enum err import_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "FILE",
        .doc = "Take in figures that others measured, as an experiment to be "
               "read: it is marked as imported and nothing is gated on it. "
               "FILE is CSV in long form, as `pitwall export' writes it "
               "(columns metric and value; block, outcome, invalid, task, unit "
               "where they are there; each other column is a factor; an empty "
               "block is paired with nothing), a published table (a column per "
               "factor and figure, see --factors), or the race.json of Rally "
               "or OpenSearch Benchmark. Values are in the units that "
               "`pitwall metrics' prints, or have their unit behind them."};
    struct words w = {.db = "lab.db"};
    struct grid grid;
    char *text = NULL;
    size_t len = 0;
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    if (e)
        return e;
    *status = 0;
    grid_init(&grid);
    e = file_read(w.file, FOREIGN_FILE_MAX, &text, &len, why);
    if (!e)
        e = take(&w, text, len, &grid, why);
    if (!e)
        e = show_grid(&grid, w.json ? TABLE_JSON : TABLE_TEXT, NULL, why);
    free(text);
    grid_fini(&grid);
    return e ? err_wrap(why, e, "import") : ERR_OK;
}
