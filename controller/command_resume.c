/* resume: the next sitting at an experiment that was cut short; extend: the
 * same, of more blocks or levels. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "controller/command.h"
#include "controller/command_course.h"
#include "controller/extension.h"
#include "controller/guard.h"
#include "controller/interrupt.h"
#include "controller/launch.h"
#include "controller/sequel.h"
#include "results/answer.h"

#define EXTEND_LEVELS_MAX 16u

struct work {
    struct options options;
    bool extends;
    struct extension extension;
    const char *levels[EXTEND_LEVELS_MAX];
    struct conduct conduct;
    struct past *past;
    struct experiment *ex;
    struct trials *trials;
    struct labs labs;
    int guard, interrupt_fd;
    struct launch_end end;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct work *w = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &w->options;
        return 0;
    case 'n':
        w->extension.blocks = arg;
        return 0;
    case 'm':
        if (w->extension.n_levels == EXTEND_LEVELS_MAX)
            argp_error(state, "-m: given more than %u times",
                       EXTEND_LEVELS_MAX);
        w->levels[w->extension.n_levels++] = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "one EXPERIMENT, not \"%s\" too", arg);
        w->options.file = arg;
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

/* The experiment and its trials as the store has them. */
static enum err rebuild(struct work *w, struct why *why)
{
    enum err e = conduct_parse(&w->conduct, w->past->conduct, why);
    if (!e)
        e = sequel_experiment(w->past, &w->conduct, &w->ex, why);
    if (!e)
        e = trials_make(&w->trials, w->ex, w->conduct.test_mode, why);
    return e ? e : sequel_trials(w->past, &w->conduct, w->trials, why);
}

/* Forget what was read, and read it again. */
static enum err reread(struct work *w, struct why *why)
{
    char number[24];
    (void)snprintf(number, sizeof number, "%lld",
                   (long long)w->past->experiment);
    trials_free(w->trials);
    free(w->ex);
    past_close(w->past);
    w->trials = NULL;
    w->ex = NULL;
    w->past = NULL;
    w->options.file = number;
    enum err e = find(&w->options, &w->past, why);
    w->options.file = NULL;
    return e ? e : rebuild(w, why);
}

/* Enter what is added: the experiment as it was, with more. */
static enum err extend(struct work *w, struct why *why)
{
    struct trials *after = NULL;
    struct store *store = NULL;
    uint32_t blocks = 0;
    struct experiment *ex = malloc(sizeof *ex);
    if (!ex)
        return err_set(why, ERR_NOMEM, "experiment");
    *ex = *w->ex;
    w->extension.levels = w->levels;
    enum err e = extension_apply(&w->extension, ex, &blocks, why);
    if (!e)
        e = trials_make(&after, ex, w->conduct.test_mode, why);
    if (!e)
        e = store_open(&store, options_db(&w->options), STORE_WRITE, why);
    const struct extension_entry entry = {.past = w->past,
                                          .before = w->trials,
                                          .after = after,
                                          .conduct = &w->conduct,
                                          .blocks = blocks};
    if (!e)
        e = extension_enter(store, &entry, why);
    store_close(store);
    trials_free(after);
    free(ex);
    return e;
}

/* What another controller wrote meanwhile is read once its guard is ours. */
static enum err recall(struct work *w, struct why *why)
{
    long long id = (long long)w->past->experiment;
    enum err e = guard_take(options_db(&w->options), id, &w->guard, why);
    if (e)
        return e;
    e = reread(w, why);
    if (!e && w->extends) {
        e = extend(w, why);
        if (!e)
            e = reread(w, why);
    }
    if (!e)
        e = conduct_change(&w->conduct, &w->options, why);
    return e ? err_wrap(why, e, "experiment %lld", id) : ERR_OK;
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
        e = launch_labs(&w->conduct, folder, &w->labs, why);
    in.labs = &w->labs;
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
    labs_close(&w->labs, w->end.keep_state || !w->end.experiment);
    trials_free(w->trials);
    free(w->ex);
    past_close(w->past);
    if (w->interrupt_fd >= 0)
        (void)close(w->interrupt_fd);
    if (w->guard >= 0)
        (void)close(w->guard);
}

static enum err sit(const struct argp *argp, int argc, char **argv,
                    bool extends, int *status, struct why *why)
{
    struct work *w = calloc(1, sizeof *w);
    if (!w)
        return err_set(why, ERR_NOMEM, "experiment");
    w->interrupt_fd = w->guard = -1;
    w->extends = extends;
    enum err e = command_parse(argp, argc, argv, w, &w->options.why, why);
    if (!e && w->options.tags.n)
        e = err_set(why, ERR_USAGE, "--tag \"%s\": only when it begins",
                    w->options.tags.items[0]);
    if (!e && extends && !w->options.file)
        e = err_set(why, ERR_USAGE, "extend: which EXPERIMENT?");
    if (!e)
        e = find(&w->options, &w->past, why);
    if (!e)
        e = recall(w, why);
    if (!e)
        e = go_on(w, status, why);
    close_work(w);
    free(w);
    return e;
}

static const struct argp_child children[] = {
    {&options_lab_argp, 0, "Other than when it began:", 1}, {0}};

enum err resume_main(int argc, char **argv, int *status, struct why *why)
{
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
    return sit(&argp, argc, argv, false, status, why);
}

enum err extend_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp_option options[] = {
        {"iterations", 'n', "+N", 0,
         "N blocks more, each of every cell (default: as many as it has)", 1},
        {"matrix", 'm', "NAME+=LEVEL,...", 0,
         "levels more of a factor that it has; once per factor", 1},
        {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "EXPERIMENT -n +N\nEXPERIMENT -m NAME+=LEVEL,...",
        .doc =
            "Add to an experiment and run what was added. Blocks of before "
            "stay as they are; the new ones hold all cells, those of new "
            "levels and those of before, so that they can be compared "
            "within blocks.\vWhere there are results, this is a look at them "
            "that was not planned: verdicts of the whole are at half of "
            "alpha from then on, as reports tell.\n"
            "Exit status: as run's.",
        .children = children};
    return sit(&argp, argc, argv, true, status, why);
}
