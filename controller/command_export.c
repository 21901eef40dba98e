/* The command export. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "controller/command.h"
#include "controller/command_data.h"
#include "controller/file.h"
#include "results/answer.h"
#include "results/export.h"

enum { KEY_DB = 256, KEY_FORMAT };

enum form { CSV, JSON, HDR, NONE };

struct words {
    const char *db, *experiment, *folder;
    enum form form;
};

static const char *const names[] = {"csv", "json", "hdr"};

static const struct argp_option options[] = {
    {"db", KEY_DB, "FILE", 0, "file of results (default: lab.db)", 0},
    {"format", KEY_FORMAT, "csv|json|hdr", 0,
     "csv: a row per figure, which `pitwall import' reads; json: plan, trials, "
     "figures, seconds; hdr: a log of HdrHistogram for each trial and task",
     0},
    {"output", 'o', "DIR", 0,
     "folder for the files, made if it is not there; files of these names are "
     "replaced (default: standard output; of hdr the working directory)",
     0},
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
    case KEY_FORMAT:
        for (w->form = CSV; w->form < NONE; w->form++)
            if (!strcmp(arg, names[w->form]))
                return 0;
        argp_error(state, "--format %s; accepted: csv, json, hdr", arg);
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num)
            return ARGP_ERR_UNKNOWN; /* "Too many arguments" */
        w->experiment = arg;
        return 0;
    case ARGP_KEY_END:
        if (w->form == NONE)
            argp_error(state, "say --format csv, json or hdr");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum err make_folder(const char *folder, struct why *why)
{
    if (mkdir(folder, 0777) && errno != EEXIST)
        return err_errno(why, errno, "make folder %s", folder);
    return ERR_OK;
}

static enum err write_file(void *ctx, const char *name, const char *data,
                           size_t len, struct why *why)
{
    const struct words *w = ctx;
    const char *folder = w->folder ? w->folder : ".";
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (n < 0 || (size_t)n >= sizeof path)
        return err_set(why, ERR_RANGE, "path \"%.60s...\" is too long", path);
    enum err e = make_folder(folder, why);
    return e ? e : file_write(path, data, len, why);
}

/* One document, whole in memory before a file or standard output sees it. */
static enum err write_one(struct words *w, struct store *store,
                          int64_t experiment, struct why *why)
{
    char *text = NULL, name[64];
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    if (!out)
        return err_set(why, ERR_NOMEM, "export");
    enum err e = w->form == CSV ? export_csv(store, experiment, out, why)
                                : export_json(store, experiment, out, why);
    if (fclose(out) && !e)
        e = err_set(why, ERR_NOMEM, "export");
    (void)snprintf(name, sizeof name, "%lld.%s", (long long)experiment,
                   names[w->form]);
    if (!e && w->folder)
        e = write_file(w, name, text, len, why);
    else if (!e && (fwrite(text, 1, len, stdout) != len || fflush(stdout)))
        e = err_errno(why, errno, "write to standard output");
    free(text);
    return e;
}

static enum err write_hdr(struct words *w, struct store *store,
                          int64_t experiment, struct why *why)
{
    size_t files = 0;
    enum err e = export_hdr(store, experiment, write_file, w, &files, why);
    if (!e && !files)
        e = err_set(why, ERR_NOTFOUND,
                    "experiment %lld has no histograms of latency",
                    (long long)experiment);
    if (!e)
        (void)printf("%zu files in %s\n", files, w->folder ? w->folder : ".");
    return e;
}

enum err export_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[EXPERIMENT]",
        .doc = "Give an experiment out in a form that others read. EXPERIMENT "
               "is a number or a name; without it, the newest. Canaries, extra "
               "trials and superseded blocks are left out."};
    struct words w = {.db = "lab.db", .form = NONE};
    struct store *store = NULL;
    int64_t experiment = 0;
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    if (e)
        return e;
    *status = 0;
    e = store_open(&store, w.db, STORE_READ, why);
    if (!e)
        e = answer_find(store, w.experiment, &experiment, why);
    if (!e)
        e = w.form == HDR ? write_hdr(&w, store, experiment, why)
                          : write_one(&w, store, experiment, why);
    store_close(store);
    return e ? err_wrap(why, e, "export") : ERR_OK;
}
