/* The command reproduce: runs published experiments and holds what was
 * published against what came out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "common/place.h"
#include "controller/command.h"
#include "controller/command_course.h"
#include "controller/file.h"
#include "controller/launch.h"
#include "controller/published.h"
#include "controller/show.h"
#include "results/claim.h"
#include "results/compare.h"
#include "results/foreign_read.h"
#include "results/metric.h"

#define SELECTOR_MAX 256u

enum { KEY_ALL = 256, KEY_DB, KEY_TEST, KEY_NO_RUN, KEY_AGENTS, KEY_BENCH };

struct words {
    const char *name, *db, *output, *agents, *bench;
    bool all, test_mode, no_run;
};

static const struct argp_option options[] = {
    {"all", KEY_ALL, NULL, 0, "every experiment that something is known of", 0},
    {"test-mode", KEY_TEST, NULL, 0,
     "try out: small corpora, one measured second, two blocks", 0},
    {"no-run", KEY_NO_RUN, NULL, 0,
     "judge by the newest experiments of these names in the store", 0},
    {"db", KEY_DB, "FILE", 0, "file of results (default: lab.db)", 0},
    {"agents", KEY_AGENTS, "FILE", 0,
     "run on a bench of this lab file (default: on this machine, where link "
     "ethernet is emulated)",
     0},
    {"bench", KEY_BENCH, "NAME", 0, "which bench of the lab file", 0},
    {"output", 'o', "FILE", 0, "write the table to FILE, as Markdown", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct words *w = state->input;
    const char **texts[] = {&w->db, &w->agents, &w->bench, &w->output};
    static const int keys[] = {KEY_DB, KEY_AGENTS, KEY_BENCH, 'o'};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (key == keys[i]) {
            *texts[i] = arg;
            return 0;
        }
    switch (key) {
    case KEY_ALL:
        w->all = true;
        return 0;
    case KEY_TEST:
        w->test_mode = true;
        return 0;
    case KEY_NO_RUN:
        w->no_run = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num)
            return ARGP_ERR_UNKNOWN; /* "Too many arguments" */
        w->name = arg;
        return 0;
    case ARGP_KEY_END:
        if (w->all == (w->name != NULL))
            argp_error(state, "name one experiment, or --all");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool is_wanted(const struct words *w, const struct published *p)
{
    return w->all || !strcmp(w->name, p->experiment);
}

/* Whether p is the first of its experiment. */
static bool is_first(size_t i)
{
    return i == 0 || strcmp(published_at(i)->experiment,
                            published_at(i - 1)->experiment) != 0;
}

static enum err check_name(const struct words *w, struct why *why)
{
    char names[512];
    size_t used = 0;
    const struct published *p;
    for (size_t i = 0; (p = published_at(i)); i++) {
        if (is_wanted(w, p))
            return ERR_OK;
        if (is_first(i) && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     used ? ", " : "", p->experiment);
    }
    return err_set(why, ERR_USAGE, "\"%.60s\": accepted are %s", w->name,
                   names);
}

/* As `pitwall run' with the experiment's file. */
static enum err run_one(const struct words *w, const char *name, int *status,
                        struct why *why)
{
    char file[160], path[4096];
    char *argv[16] = {"pitwall run", path, "--quiet", "--db", (char *)w->db};
    int argc = 5, ended = 0;
    (void)snprintf(file, sizeof file, "tracks/experiments/%s.json", name);
    enum err e = place_data(file, path, sizeof path, why);
    if (e)
        return e;
    if (w->test_mode) {
        argv[argc++] = "--test-mode";
        argv[argc++] = "-n2";
    }
    if (w->agents) {
        argv[argc++] = "--agents";
        argv[argc++] = (char *)w->agents;
    } else {
        argv[argc++] = "--emulate-ethernet";
    }
    if (w->bench) {
        argv[argc++] = "--bench";
        argv[argc++] = (char *)w->bench;
    }
    e = run_main(argc, argv, &ended, why);
    if (ended)
        *status = ended;
    return e ? err_wrap(why, e, "%s", name) : ERR_OK;
}

static enum err read_published(const struct published *p, double *base,
                               double *contender, struct why *why)
{
    struct foreign table;
    char file[160], path[4096], *text = NULL;
    size_t len = 0;
    *base = *contender = 1;
    if (!p->table)
        return ERR_OK;
    (void)snprintf(file, sizeof file, "tracks/published/%s.csv", p->table);
    enum err e = place_data(file, path, sizeof path, why);
    if (!e)
        e = file_read(path, FOREIGN_FILE_MAX, &text, &len, why);
    if (e)
        return e;
    e = foreign_read(&table, path, text, len, NULL, why);
    if (!e) {
        *base = published_value(&table, p->base, p->metric);
        *contender = published_value(&table, p->contender, p->metric);
    }
    foreign_fini(&table);
    free(text);
    return e;
}

/* "ID:" and levels; emulated links have a label of their own. */
static void select_cells(int64_t experiment, const char *levels, bool emulated,
                         char buf[SELECTOR_MAX])
{
    const char *at = emulated ? strstr(levels, "link=ethernet") : NULL;
    int before = at ? (int)(at - levels) : (int)strlen(levels);
    (void)snprintf(buf, SELECTOR_MAX, "%lld:%.*s%s%s", (long long)experiment,
                   before, levels, at ? "link=emulated" : "",
                   at ? at + strlen("link=ethernet") : "");
}

static double cell(const struct grid *grid, size_t row, const char *name)
{
    for (size_t c = 0; c < grid->n_columns; c++)
        if (!strcmp(grid->columns[c].name, name)) {
            const struct grid_cell *at =
                &grid->cells[row * grid->n_columns + c];
            return at->has_value ? at->value : NAN;
        }
    return NAN;
}

/* What compare finds of p; all NAN where it finds no figures. */
static enum err read_ours(struct store *store, const struct published *p,
                          bool emulated, struct claim_ours *ours,
                          struct why *why)
{
    char base[SELECTOR_MAX], contender[SELECTOR_MAX];
    const char *contenders[] = {contender};
    const struct metric *metric = metric_find(p->our_metric);
    struct compare_found found;
    struct grid grid;
    int64_t id = 0;
    *ours = (struct claim_ours){NAN, NAN, NAN};
    enum err e = answer_find(store, p->experiment, &id, why);
    if (e)
        return e;
    select_cells(id, p->our_base, emulated, base);
    select_cells(id, p->our_contender, emulated, contender);
    const struct compare_options how = {.base = base,
                                        .contenders = contenders,
                                        .n_contenders = 1,
                                        .metrics = p->our_metric,
                                        .margin_ratio = COMPARE_MARGIN,
                                        .alpha = COMPARE_ALPHA,
                                        .machine = true};
    grid_init(&grid);
    e = answer_compare(store, &how, &grid, &found, why);
    if (!e && grid.n_rows) {
        /* Differences of what is no ratio are plain, of the base's size. */
        double unit =
            metric && metric->kind == METRIC_RATIO ? 1 : cell(&grid, 0, "base");
        ours->ratio = cell(&grid, 0, "value") / cell(&grid, 0, "base");
        ours->low = 1 + cell(&grid, 0, "low") / unit;
        ours->high = 1 + cell(&grid, 0, "high") / unit;
    }
    grid_fini(&grid);
    return e;
}

static void add_row(struct grid *grid, const struct published *p,
                    double published, const struct claim_ours *ours)
{
    char text[96], low[32], high[32];
    enum claim_word way = claim_direction(published, ours);
    size_t row = grid_row(grid);
    grid_text(grid, row, 0, p->experiment);
    grid_text(grid, row, 1, p->says);
    grid_value(grid, row, 2, published,
               p->table ? claim_show_ratio(published, text, sizeof text)
                        : "identical");
    grid_value(grid, row, 3, ours->ratio,
               claim_show_ratio(ours->ratio, text, sizeof text));
    (void)snprintf(text, sizeof text, "%s to %s",
                   claim_show_ratio(ours->low, low, sizeof low),
                   claim_show_ratio(ours->high, high, sizeof high));
    grid_text(grid, row, 4, isnan(ours->low) ? "-" : text);
    grid_text(grid, row, 5, claim_show(way));
    grid_text(grid, row, 6,
              p->no_size ? "-" : claim_show(claim_size(published, ours)));
    grid_text(grid, row, 7,
              isnan(ours->ratio) ? "no figures of both cells here"
              : isnan(ours->low) ? "no interval: too few blocks"
              : p->no_size       ? p->no_size
                                 : "a single published run: no interval");
}

/* With what and where, for who keeps the table. */
static void note_command(const struct words *w, struct grid *grid)
{
    struct utsname machine;
    grid_note(grid, "pitwall reproduce %s%s%s%s", w->all ? "--all" : w->name,
              w->test_mode ? " --test-mode" : "", w->agents ? " --agents " : "",
              w->agents ? w->agents : "");
    if (!w->agents && !w->no_run && !uname(&machine))
        grid_note(grid,
                  "on one machine: %s %s %s, %d processors; ethernet is "
                  "emulated",
                  machine.sysname, machine.release, machine.machine,
                  get_nprocs());
}

static enum err judge(const struct words *w, struct store *store,
                      struct grid *grid, struct why *why)
{
    static const char *const columns[] = {
        "experiment", "published says", "published", "ours",
        "interval",   "direction",      "size",      "of sizes"};
    const struct published *p;
    enum err e = ERR_OK;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        grid_column(grid, columns[i], "", i >= 2 && i <= 3);
    grid_note(grid,
              "pitwall %s: ratios of what is told of to what it is "
              "compared with; ours with its interval of 95%%",
              PITWALL_VERSION);
    grid_note(grid,
              "direction: whether ours differs the same way; within "
              "%.0f%% is published as no difference",
              100 * CLAIM_SAME);
    note_command(w, grid);
    if (w->test_mode)
        grid_note(grid, "test mode: these figures mean nothing");
    for (size_t i = 0; !e && (p = published_at(i)); i++) {
        double base = 1, contender = 1;
        struct claim_ours ours;
        if (!is_wanted(w, p))
            continue;
        e = read_published(p, &base, &contender, why);
        if (!e)
            e = read_ours(store, p, !w->agents, &ours, why);
        if (!e)
            add_row(grid, p, contender / base, &ours);
        else
            e = err_wrap(why, e, "%s", p->experiment);
    }
    return e;
}

enum err reproduce_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "NAME\n--all",
        .doc = "Run a published experiment (tracks/experiments/NAME.json) and "
               "hold what was published of it (tracks/published) against what "
               "came out: whether ours differs in the same direction, and, "
               "where sizes can be compared, whether our interval holds the "
               "published one.\vExit status: as of run."};
    struct words w = {.db = "lab.db"};
    struct store *store = NULL;
    struct grid grid;
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    if (!e)
        e = check_name(&w, why);
    *status = 0;
    for (size_t i = 0; !e && !w.no_run && published_at(i); i++)
        if (is_wanted(&w, published_at(i)) && is_first(i) &&
            *status != LAUNCH_EXIT_INTERRUPTED)
            e = run_one(&w, published_at(i)->experiment, status, why);
    if (e || *status == LAUNCH_EXIT_INTERRUPTED)
        return e;
    grid_init(&grid);
    e = store_open(&store, w.db, STORE_READ, why);
    if (!e)
        e = judge(&w, store, &grid, why);
    store_close(store);
    if (!e)
        e = show_grid(&grid, w.output ? TABLE_MARKDOWN : TABLE_TEXT, w.output,
                      why);
    grid_fini(&grid);
    return e;
}
