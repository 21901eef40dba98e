/* report: an experiment's matrix, in the form that its reader needs. */
#include "controller/command_report.h"

#include <stdbool.h>
#include <string.h>

#include "controller/command.h"
#include "controller/show.h"
#include "results/answer.h"

enum {
    KEY_DB = 256,
    KEY_JSON,
    KEY_ROWS,
    KEY_COLS,
    KEY_METRIC,
    KEY_WHERE,
    KEY_FORMAT
};

struct words {
    const char *db, *experiment, *format, *output;
    struct answer_report report;
    bool json;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct words *w = state->input;
    const char **const places[] = {[KEY_DB - KEY_DB] = &w->db,
                                   [KEY_ROWS - KEY_DB] = &w->report.rows,
                                   [KEY_COLS - KEY_DB] = &w->report.cols,
                                   [KEY_METRIC - KEY_DB] = &w->report.metrics,
                                   [KEY_WHERE - KEY_DB] = &w->report.where,
                                   [KEY_FORMAT - KEY_DB] = &w->format};
    switch (key) {
    case KEY_JSON:
        w->json = true;
        return 0;
    case 'o':
        w->output = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            return ARGP_ERR_UNKNOWN; /* "Too many arguments" */
        w->experiment = arg;
        return 0;
    default:
        if (key < KEY_DB || key > KEY_FORMAT)
            return ARGP_ERR_UNKNOWN;
        *places[key - KEY_DB] = arg;
        return 0;
    }
}

/* html: not a form of tables, but a page. */
static enum err form_of(const struct words *w, enum table_form *form,
                        bool *html, struct why *why)
{
    *form = w->json ? TABLE_JSON : TABLE_TEXT;
    *html = w->format && !strcmp(w->format, "html");
    if (w->json && w->format)
        return err_set(why, ERR_USAGE,
                       "--json and --format exclude each other");
    if (!w->format || *html)
        return ERR_OK;
    return table_form_parse(w->format, form, why);
}

static enum err print(const struct words *w, struct why *why)
{
    struct store *store = NULL;
    struct show_as as = {.path = w->output};
    int64_t experiment = 0;
    bool html = false;
    enum err e = form_of(w, &as.form, &html, why);
    if (!e)
        e = store_open(&store, w->db ? w->db : "lab.db", STORE_READ, why);
    if (!e)
        e = answer_find(store, w->experiment, &experiment, why);
    if (!e && html)
        e = show_page(store, experiment, &w->report, w->output, why);
    else if (!e)
        e = show_report(store, experiment, &w->report, &as, why);
    store_close(store);
    return e;
}

enum err report_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp_option options[] = {
        {"db", KEY_DB, "FILE", 0, "file of results (default: lab.db)", 0},
        {"rows", KEY_ROWS, "NAME,...", 0,
         "factors that make the rows (default: all others); metric among them "
         "makes a row of each metric",
         0},
        {"cols", KEY_COLS, "NAME,...", 0,
         "factors that make the columns (default: link); \"\": none", 0},
        {"metric", KEY_METRIC, "NAME,...", 0,
         "what is shown: metrics (see pitwall metrics) or sets of them: "
         "summary (default), allocation (the table of TLABs and of objects "
         "outside of them), rally (its summary), gc",
         0},
        {"where", KEY_WHERE, "NAME=LEVEL,...", 0, "only these cells", 0},
        {"format", KEY_FORMAT, "FORM", 0,
         "text (default), md, csv, json, or html: one page with charts", 0},
        {"output", 'o', "FILE", 0, "write to FILE", 0},
        {"json", KEY_JSON, NULL, 0, "the same as --format json", 0},
        {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[EXPERIMENT]",
        .doc = "Print an experiment's matrix of results. EXPERIMENT is a "
               "number or a name; without it, the newest."};
    struct words w = {.db = NULL};
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    *status = 0;
    return e ? e : print(&w, why);
}
