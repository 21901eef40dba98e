/* resume: the next sitting at an experiment that was cut short. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "controller/command.h"
#include "controller/command_course.h"
#include "controller/guard.h"
#include "controller/interrupt.h"
#include "controller/launch.h"
#include "controller/sequel.h"
#include "results/answer.h"

struct work {
    struct options options;
    struct conduct conduct;
    struct past *past;
    struct experiment *ex;
    struct trials *trials;
    struct lab *lab;
    int guard, interrupt_fd;
    struct launch_end end;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = o;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "one EXPERIMENT, not \"%s\" too", arg);
        o->file = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum err find(const struct options *o, struct past **past,
                     struct why *why)
{
    struct store *store = NULL;
    int64_t id = 0;
    /* An older store is migrated here, before anybody sits at it. */
    enum err e =
        access(options_db(o), F_OK)
            ? err_set(why, ERR_NOTFOUND, "%s: no such file", options_db(o))
            : store_open(&store, options_db(o), STORE_WRITE, why);
    if (!e)
        e = o->file ? answer_find(store, o->file, &id, why)
                    : answer_unfinished(store, &id, why);
    if (!e)
        e = past_open(past, store, id, why);
    store_close(store);
    return e;
}

/* The experiment, its trials and how it is run, as the store has them. What
 * another controller writes meanwhile is read after its guard is ours. */
static enum err recall(struct work *w, struct why *why)
{
    int64_t id = w->past->experiment;
    char number[24];
    enum err e = guard_take(options_db(&w->options), id, &w->guard, why);
    if (e)
        return e;
    past_close(w->past);
    w->past = NULL;
    (void)snprintf(number, sizeof number, "%lld", (long long)id);
    w->options.file = number;
    e = find(&w->options, &w->past, why);
    if (!e)
        e = conduct_parse(&w->conduct, w->past->conduct, why);
    if (!e)
        e = conduct_change(&w->conduct, &w->options, why);
    if (!e)
        e = sequel_experiment(w->past, &w->conduct, &w->ex, why);
    if (!e)
        e = trials_make(&w->trials, w->ex, w->conduct.test_mode, why);
    if (!e)
        e = sequel_trials(w->past, &w->conduct, w->trials, why);
    return e ? err_wrap(why, e, "resume experiment %s", number) : ERR_OK;
}

static enum err go_on(struct work *w, int *status, struct why *why)
{
    const char *folder = w->past->folder[0] ? w->past->folder : NULL;
    struct launch in = {.options = &w->options,
                        .conduct = &w->conduct,
                        .trials = w->trials,
                        .past = w->past};
    enum err e = interrupt_open(&w->interrupt_fd, why);
    if (!e)
        e = launch_lab(&w->conduct, folder, &w->lab, why);
    in.lab = w->lab;
    in.interrupt_fd = w->interrupt_fd;
    if (!e)
        e = launch_run(&in, &w->end, why);
    if (!e)
        *status = w->end.status;
    return e;
}

static void close_work(struct work *w)
{
    /* Before its sitting began, what an earlier one left is still there. */
    lab_close(w->lab, w->end.keep_state || !w->end.experiment);
    trials_free(w->trials);
    free(w->ex);
    past_close(w->past);
    if (w->interrupt_fd >= 0)
        (void)close(w->interrupt_fd);
    if (w->guard >= 0)
        (void)close(w->guard);
}

enum err resume_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp_child children[] = {
        {&options_lab_argp, 0, "Other than when it began:", 1}, {0}};
    static const struct argp argp = {
        .parser = parse,
        .args_doc = "[EXPERIMENT]",
        .doc = "Go on with an experiment that was cut short: by Ctrl-C, a "
               "crash, a reboot, a full disk, an agent that was lost. What "
               "agents still have of it is collected first; then the trials "
               "that are not stored are run, in the order that it began with, "
               "where and how it began.\vEXPERIMENT is a number or a name; "
               "without it, the newest that is not finished. The options' "
               "defaults are those of its beginning.\n"
               "Exit status: as run's.",
        .children = children};
    struct work w = {.interrupt_fd = -1, .guard = -1};
    enum err e =
        command_parse(&argp, argc, argv, &w.options, &w.options.why, why);
    if (!e && w.options.tags.n)
        e = err_set(why, ERR_USAGE, "--tag \"%s\": only when it begins",
                    w.options.tags.items[0]);
    if (!e)
        e = find(&w.options, &w.past, why);
    if (!e)
        e = recall(&w, why);
    if (!e)
        e = go_on(&w, status, why);
    close_work(&w);
    return e;
}
