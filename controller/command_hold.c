/* hold: one cell of an experiment, set up to be looked at. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/units.h"
#include "controller/command.h"
#include "controller/command_course.h"
#include "controller/entry.h"
#include "controller/hold.h"
#include "controller/interrupt.h"
#include "controller/launch.h"
#include "controller/needs.h"
#include "controller/seat.h"
#include "controller/sequel.h"
#include "results/answer.h"

#define FOR_NS (24 * 3600 * NS_PER_S)

struct work {
    struct options options;
    const char *time;
    struct conduct conduct;
    struct past *past;
    struct experiment *ex;
    struct trials *trials;
    struct labs labs;
    struct hold hold;
    char uuid[37]; /* its own: the experiment's lease is not taken */
};

enum { KEY_FOR = 2048 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct work *w = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &w->options;
        return 0;
    case KEY_FOR:
        w->time = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "one EXPERIMENT:CELL, not \"%s\" too", arg);
        w->options.file = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The experiment of "EXPERIMENT:CELL"; *cell is what follows the colon. */
static enum err find(struct work *w, const char **cell, struct why *why)
{
    char name[EXPERIMENT_NAME_MAX + 1];
    struct store *store = NULL;
    int64_t id = 0;
    const char *word = w->options.file, *colon = word ? strchr(word, ':') : "";
    if (!word || !colon || colon == word || !colon[1])
        return err_set(why, ERR_USAGE,
                       "hold: \"%s\" is not EXPERIMENT:CELL, such as "
                       "3:heap=1g",
                       word ? word : "");
    (void)snprintf(name, sizeof name, "%.*s", (int)(colon - word), word);
    *cell = colon + 1;
    enum err e = store_open(&store, options_db(&w->options), STORE_READ, why);
    if (!e)
        e = answer_find(store, name, &id, why);
    if (!e)
        e = past_open(&w->past, store, id, why);
    store_close(store);
    if (!e)
        e = conduct_parse(&w->conduct, w->past->conduct, why);
    if (!e)
        e = conduct_change(&w->conduct, &w->options, why);
    if (!e)
        e = sequel_experiment(w->past, &w->conduct, &w->ex, why);
    return e ? e : trials_make(&w->trials, w->ex, w->conduct.test_mode, why);
}

/* By its label, as reports have it. */
static enum err find_cell(struct work *w, const char *word, struct why *why)
{
    char label[TRIALS_LABEL_MAX + 1];
    const struct trials *t = w->trials;
    for (uint32_t c = 0; c < t->matrix.n_cells; c++)
        if (!strcmp(word, trials_label(t, c, label, sizeof label))) {
            w->hold.cell = c;
            return ERR_OK;
        }
    return err_set(why, ERR_NOTFOUND,
                   "the experiment has no cell \"%s\"; the first of its %zu "
                   "is \"%s\"",
                   word, t->matrix.n_cells,
                   trials_label(t, 0, label, sizeof label));
}

static enum err run(struct work *w, struct why *why)
{
    struct setup setup;
    trials_setup(w->trials, w->hold.cell, &setup);
    w->conduct.places.n = 1; /* one bench suffices, the first */
    enum err e = interrupt_open(&w->hold.interrupt_fd, why);
    if (!e)
        e = launch_labs(&w->conduct, NULL, &w->labs, why);
    if (e)
        return e;
    w->hold.lab = w->labs.items[0];
    const struct needs_agents agents = lab_hellos(w->hold.lab);
    e = needs_check(&agents, &setup.spec, why);
    if (!e)
        e = entry_uuid(w->uuid, why);
    if (!e)
        e = lab_acquire(w->hold.lab, w->uuid, SEAT_TTL_NS, why);
    w->hold.trials = w->trials;
    w->hold.uuid = w->uuid;
    return e ? e : hold_run(&w->hold, why);
}

enum err hold_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp_child children[] = {
        {&options_lab_argp, 0, "Other than where it ran:", 1}, {0}};
    static const struct argp_option options[] = {
        {"for", KEY_FOR, "TIME", 0, "keep it so long (default: a day)", 0},
        {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "EXPERIMENT:CELL",
        .doc = "Set one cell of an experiment up as its trials do, print where "
               "its target listens, keep it until Ctrl-C and tear it down. No "
               "load is driven and nothing is stored.\vCELL is called as "
               "reports call it, such as 3:heap=1g,link=eth200.",
        .children = children};
    const char *cell = NULL;
    struct work *w = calloc(1, sizeof *w);
    if (!w)
        return err_set(why, ERR_NOMEM, "hold");
    w->hold.interrupt_fd = -1;
    w->hold.for_ns = FOR_NS;
    enum err e = command_parse(&argp, argc, argv, w, &w->options.why, why);
    if (!e && w->time && (e = units_duration(w->time, &w->hold.for_ns, why)))
        e = err_wrap(why, e, "--for");
    if (!e)
        e = find(w, &cell, why);
    if (!e)
        e = find_cell(w, cell, why);
    if (!e)
        e = run(w, why);
    labs_close(&w->labs, false);
    if (w->hold.interrupt_fd >= 0)
        (void)close(w->hold.interrupt_fd);
    trials_free(w->trials);
    free(w->ex);
    past_close(w->past);
    free(w);
    *status = 0;
    return e;
}
