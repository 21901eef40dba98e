/* The commands that make experiments: run, plan, demo. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/place.h"
#include "controller/command.h"
#include "controller/describe.h"
#include "controller/factor.h"
#include "controller/interrupt.h"
#include "controller/launch.h"
#include "controller/needs.h"
#include "controller/prospect.h"
#include "controller/show.h"

#define KEY_OUT 1024 /* of demo alone; above the keys of options.c */

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = o;
        state->child_inputs[1] = o;
        return 0;
    case KEY_OUT:
        o->page = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "one EXPERIMENT.json, not \"%s\" too", arg);
        o->file = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&options_experiment_argp, 0, "What is run:", 1},
    {&options_lab_argp, 0, "Where it runs and where results go:", 2},
    {0}};

/* Everything that a command of this file opens. */
struct work {
    struct options options;
    struct conduct conduct;
    struct experiment *ex;
    struct trials *trials;
    struct labs labs;
    int interrupt_fd;
    struct launch_end end;
};

static void close_work(struct work *w)
{
    const struct lab *first = w->labs.n ? w->labs.items[0] : NULL;
    if (w->end.keep_state && first && first->agents[0]->local)
        (void)fprintf(stderr,
                      "pitwall: results that are not stored were kept in %s\n",
                      local_folder(first->agents[0]->local));
    labs_close(&w->labs, w->end.keep_state);
    trials_free(w->trials);
    free(w->ex);
    if (w->interrupt_fd >= 0)
        (void)close(w->interrupt_fd);
}

/* Options that need no agent to be judged. */
static enum err take_options(struct work *w, struct why *why)
{
    enum err e = conduct_take(&w->options, &w->conduct, why);
    return e ? e : options_tags(&w->options, why);
}

static enum err launch(struct work *w, int *status, struct why *why)
{
    struct launch in = {.options = &w->options,
                        .conduct = &w->conduct,
                        .trials = w->trials,
                        .labs = &w->labs,
                        .interrupt_fd = w->interrupt_fd};
    enum err e = launch_run(&in, &w->end, why);
    if (!e)
        *status = w->end.status;
    return e;
}

/* A command's help: what it does, then the factors and how it exits. */
static const char *make_doc(const char *what, char *buf, size_t size)
{
    char factors[1536];
    (void)snprintf(buf, size,
                   "%s\vAn option overrides what the file says. Factors and "
                   "their levels:\n\n%s\n"
                   "Exit status: 0 done, 1 failed, 2 usage or bad input, 3 "
                   "done but a trial failed or was invalid, 130 interrupted.",
                   what, factor_help(factors, sizeof factors));
    return buf;
}

enum err run_main(int argc, char **argv, int *status, struct why *why)
{
    char doc[2560];
    const struct argp argp = {
        .parser = parse,
        .args_doc = "EXPERIMENT.json\n--track TRACK -m NAME=LEVEL,...",
        .doc = make_doc("Run an experiment: every cell of the matrix, several "
                        "times, in random order, and store what is measured.",
                        doc, sizeof doc),
        .children = children};
    struct work w = {.interrupt_fd = -1};
    enum err e =
        command_parse(&argp, argc, argv, &w.options, &w.options.why, why);
    if (!e)
        e = take_options(&w, why);
    if (!e)
        e = options_experiment(&w.options, &w.ex, why);
    if (!e)
        e = trials_make(&w.trials, w.ex, w.options.test_mode, why);
    if (!e)
        e = interrupt_open(&w.interrupt_fd, why);
    if (!e)
        e = launch_labs(&w.conduct, NULL, &w.labs, why);
    if (!e)
        e = launch(&w, status, why);
    close_work(&w);
    return e;
}

static enum err print_plan(const struct work *w, struct why *why)
{
    struct grid grid;
    struct ceiling_plans ceilings = {.n = 0};
    struct stopping stopping;
    enum err e = ERR_OK;
    grid_init(&grid);
    if (!w->options.no_ceiling)
        e = ceiling_plans_make(&ceilings, w->trials, w->options.test_mode, why);
    if (!e)
        describe_trials(w->trials, &w->labs, &ceilings, &grid);
    ceiling_plans_fini(&ceilings);
    if (!e)
        e = stopping_take(&w->options.stopping, &stopping, why);
    if (!e)
        stopping_note(&stopping, &grid);
    if (!e)
        prospect_note(&(struct prospect){.trials = w->trials,
                                         .bench = w->labs.n
                                                      ? w->labs.items[0]->name
                                                      : NULL,
                                         .db = options_db(&w->options),
                                         .metric = "throughput"},
                      &grid);
    for (unsigned i = 0; !e && i < w->labs.n; i++)
        describe_targets(&grid, lab_hellos(w->labs.items[i]).hello[0]);
    if (!e)
        e = show_grid(&grid, w->options.json ? TABLE_JSON : TABLE_TEXT, NULL,
                      why);
    grid_fini(&grid);
    return e;
}

enum err plan_main(int argc, char **argv, int *status, struct why *why)
{
    char doc[2560];
    const struct argp argp = {
        .parser = parse,
        .args_doc = "EXPERIMENT.json\n--track TRACK -m NAME=LEVEL,...",
        .doc = make_doc("Show an experiment's trials in the order in which "
                        "they would run, and how long it would take. Takes "
                        "the options of run and touches nothing; with --agent, "
                        "--agents or --local the agents are asked whether "
                        "they can run them.",
                        doc, sizeof doc),
        .children = children};
    struct work w = {.interrupt_fd = -1};
    enum err e =
        command_parse(&argp, argc, argv, &w.options, &w.options.why, why);
    if (!e)
        e = take_options(&w, why);
    if (!e)
        e = options_experiment(&w.options, &w.ex, why);
    if (!e)
        e = trials_make(&w.trials, w.ex, w.options.test_mode, why);
    bool ask = w.options.agents.n > 0 || w.options.local || w.options.lab_file;
    if (!e && ask)
        e = interrupt_open(&w.interrupt_fd, why);
    if (!e && ask)
        e = launch_labs(&w.conduct, NULL, &w.labs, why);
    if (!e)
        e = w.labs.n ? launch_check(&w.labs, w.trials, why)
                     : needs_check_index(w.trials, why);
    if (!e)
        e = print_plan(&w, why);
    *status = 0;
    close_work(&w);
    return e;
}

/* Leave out the levels that this machine does not allow, and say so. */
static void drop_impossible(struct work *w)
{
    char said[512];
    for (unsigned i = 0; i < w->labs.n; i++) {
        const struct needs_agents agents = lab_hellos(w->labs.items[i]);
        while (needs_drop(&agents, w->ex, said, sizeof said))
            (void)fprintf(stderr, "pitwall: left out %s\n", said);
    }
}

static void say_next(const struct work *w)
{
    const char *db = options_db(&w->options);
    if (w->options.json || w->options.quiet)
        return;
    (void)printf("\nEverything that was measured is in %s. Try next:\n"
                 "  pitwall show %lld:1 --db %s\n"
                 "  pitwall report --rows heap,predictor,rmem --cols link "
                 "--db %s\n"
                 "  pitwall report --format html -o report.html --db %s\n"
                 "  pitwall query 'select * from v_trial limit 5' --db %s\n"
                 "  pitwall run --track geonames -m heap=512m,2g "
                 "-m predictor=fixed:16k,adaptive:1k-512k -n 5\n",
                 db, (long long)w->end.experiment, db, db, db, db);
}

/* The report as a page, where --out wants it. */
static enum err write_page(const struct work *w, struct why *why)
{
    const struct answer_report options = {.rows = NULL};
    struct store *store = NULL;
    if (!w->options.page)
        return ERR_OK;
    enum err e = store_open(&store, options_db(&w->options), STORE_READ, why);
    if (!e)
        e = show_page(store, w->end.experiment, &options, w->options.page, why);
    store_close(store);
    return e;
}

enum err demo_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp_child lab_only[] = {{&options_lab_argp, 0, 0, 0},
                                                 {0}};
    static const struct argp_option options[] = {
        {"out", KEY_OUT, "FILE", 0,
         "write the report as a page of HTML with charts, too", 0},
        {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "A small matrix on this machine: heap x predictor x link, with "
               "an agent that is started for it, in under two minutes. Then "
               "the report.",
        .children = lab_only};
    struct work w = {.interrupt_fd = -1};
    char path[4096];
    enum err e =
        command_parse(&argp, argc, argv, &w.options, &w.options.why, why);
    if (!e && w.options.file)
        e = err_set(why, ERR_USAGE, "demo takes no argument, such as \"%s\"",
                    w.options.file);
    if (!e)
        e = take_options(&w, why);
    if (!e)
        e = place_data("tracks/experiments/demo.json", path, sizeof path, why);
    if (!e) {
        w.options.file = path;
        e = options_experiment(&w.options, &w.ex, why);
    }
    if (!e)
        e = interrupt_open(&w.interrupt_fd, why);
    if (!e)
        e = launch_labs(&w.conduct, NULL, &w.labs, why);
    if (!e) {
        drop_impossible(&w);
        e = trials_make(&w.trials, w.ex, false, why);
    }
    if (!e)
        e = launch(&w, status, why);
    if (!e && *status != LAUNCH_EXIT_INTERRUPTED)
        e = write_page(&w, why);
    if (!e && *status != LAUNCH_EXIT_INTERRUPTED)
        say_next(&w);
    close_work(&w);
    return e;
}
