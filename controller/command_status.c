/* status: where an experiment stands, asked from outside; stop: its end in good
 * order. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "controller/command.h"
#include "controller/command_course.h"
#include "controller/progress.h"
#include "controller/show.h"
#include "controller/standing.h"
#include "results/sitting.h"

#define LOOK_MS 1000

enum { KEY_DB = 256, KEY_JSON, KEY_WATCH, KEY_NOW };

struct words {
    const char *db, *experiment;
    bool json, watch, now;
};

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
    case KEY_WATCH:
        w->watch = true;
        return 0;
    case KEY_NOW:
        w->now = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "one EXPERIMENT, not \"%s\" too", arg);
        w->experiment = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Tell what changes until nobody sits there any more. */
static enum err watch(const struct words *w, struct standing *s,
                      struct why *why)
{
    bool terminal = isatty(STDERR_FILENO) == 1;
    char line[512], said[512] = "", id[24];
    enum err e = ERR_OK;
    (void)snprintf(id, sizeof id, "%lld", (long long)s->experiment);
    while (!e && s->running) {
        (void)standing_line(s, line, sizeof line);
        if (terminal)
            (void)fprintf(stderr, "\r%.79s\033[K", line);
        else if (strcmp(line, said) != 0)
            (void)fprintf(stderr, "%s\n", line);
        (void)fflush(stderr);
        memcpy(said, line, sizeof said);
        (void)poll(NULL, 0, LOOK_MS);
        e = standing_read(s, w->db, id, why);
    }
    if (terminal)
        (void)fprintf(stderr, "\r\033[K");
    return e;
}

enum err status_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp_option options[] = {
        {"db", KEY_DB, "FILE", 0, "file of results (default: lab.db)", 0},
        {"watch", KEY_WATCH, NULL, 0,
         "tell each change until it is over, then how it ended", 0},
        {"json", KEY_JSON, NULL, 0, "print the table as JSON", 0},
        {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[EXPERIMENT]",
        .doc = "Tell where an experiment stands, with the time left by what "
               "its trials took so far. EXPERIMENT is a number or a name; "
               "without it, the newest."};
    struct words w = {.db = "lab.db"};
    struct standing s;
    struct grid grid;
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    if (!e)
        e = standing_read(&s, w.db, w.experiment, why);
    if (!e && w.watch)
        e = watch(&w, &s, why);
    if (e)
        return e;
    grid_init(&grid);
    standing_grid(&s, &grid);
    e = show_grid(&grid, w.json ? TABLE_JSON : TABLE_TEXT, NULL, why);
    grid_fini(&grid);
    *status = 0;
    return e;
}

/* Who sits there sees the wish within a second; without anybody it is over. */
static enum err wish(const struct words *w, const struct standing *s,
                     struct why *why)
{
    struct store *store = NULL;
    enum err e = store_open(&store, w->db, STORE_WRITE, why);
    if (!e && s->running)
        e = sitting_wish(store, s->experiment, w->now ? WISH_NOW : WISH_STOP,
                         why);
    else if (!e && s->n_left)
        e = store_experiment_end(store, s->experiment, "stopped", why);
    store_close(store);
    return e;
}

static void say(const struct words *w, const struct standing *s)
{
    long long id = (long long)s->experiment;
    if (!s->running && !s->n_left)
        (void)printf("experiment %lld: nothing to stop, it is %s\n", id,
                     s->state);
    else if (!s->running)
        (void)printf("experiment %lld: nobody runs it; it counts as stopped, "
                     "%u of %u trials were left%s\n",
                     id, s->n_left, s->n_trials,
                     s->tid ? " (pitwall resume collects what its agents "
                              "still have)"
                            : "");
    else if (!s->tid)
        (void)printf("experiment %lld: it ends before its next trial\n", id);
    else if (w->now)
        (void)printf("experiment %lld: trial %u is stopped, then it ends\n", id,
                     s->tid);
    else
        (void)printf("experiment %lld: it ends after trial %u\n", id, s->tid);
}

enum err stop_main(int argc, char **argv, int *status, struct why *why)
{
    static const struct argp_option options[] = {
        {"db", KEY_DB, "FILE", 0, "file of results (default: lab.db)", 0},
        {"now", KEY_NOW, NULL, 0,
         "do not let the trial under way go on to its end", 0},
        {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "EXPERIMENT",
        .doc = "End an experiment in good order: the trial under way is "
               "measured to its end, what is measured is kept, nothing more is "
               "begun. Its own pitwall prints the report and exits with 130. "
               "pitwall resume EXPERIMENT goes on with it all the same."};
    struct words w = {.db = "lab.db"};
    struct standing s;
    enum err e = command_parse(&argp, argc, argv, &w, NULL, why);
    if (!e && !w.experiment)
        e = err_set(why, ERR_USAGE, "stop: which EXPERIMENT?");
    if (!e)
        e = standing_read(&s, w.db, w.experiment, why);
    if (!e)
        e = wish(&w, &s, why);
    if (!e)
        say(&w, &s);
    *status = 0;
    return e;
}
