#include "controller/standing.h"

#include <stdio.h>
#include <string.h>

#include "controller/conduct.h"
#include "controller/estimate.h"
#include "controller/guard.h"
#include "controller/progress.h"
#include "controller/remainder.h"

/* The newest attempt, if it is open. */
static void take_attempt(struct standing *s, const struct past *past)
{
    const struct past_attempt *a =
        past->n_attempts ? &past->attempts[past->n_attempts - 1] : NULL;
    if (!a || a->state == ATTEMPT_STORED)
        return;
    s->tid = a->tid;
    s->att = a->n;
    s->phase = state_name(a->state);
    (void)snprintf(s->cell, sizeof s->cell, "%s",
                   past->cells[past->order[a->tid - 1]].label);
}

static enum err count_left(struct standing *s, const struct past *past,
                           struct why *why)
{
    struct conduct conduct;
    s->n_trials = past->n_trials;
    if (!past->n_trials)
        return ERR_OK;
    enum err e = conduct_parse(&conduct, past->conduct, why);
    return e ? e : remainder_count(past, conduct.retries, &s->n_left, why);
}

static void judge(struct standing *s)
{
    const struct estimate e = {.total_ns = s->pace.trial_ns, .n = 1};
    bool busy = s->running && s->tid;
    if (!s->running && !strcmp(s->state, "running"))
        (void)snprintf(s->state, sizeof s->state, "cut off");
    if (!s->running)
        s->pace.spent_ns = 0;
    /* The trial under way is among those that are left. */
    if (s->pace.n && s->n_left)
        s->left_ns =
            estimate_left_ns(&e, s->n_left - busy, busy, s->pace.spent_ns);
}

enum err standing_read(struct standing *s, const char *path, const char *word,
                       struct why *why)
{
    struct store *store = NULL;
    struct past *past = NULL;
    *s = (struct standing){.phase = ""};
    enum err e = store_open(&store, path, STORE_READ, why);
    if (!e)
        e = answer_find(store, word, &s->experiment, why);
    if (!e)
        e = past_open(&past, store, s->experiment, why);
    if (!e)
        e = answer_counts(store, s->experiment, &s->counts, why);
    if (!e)
        e = pace_read(store, s->experiment, &s->pace, why);
    store_close(store);
    if (!e) {
        (void)snprintf(s->name, sizeof s->name, "%s", past->name);
        (void)snprintf(s->state, sizeof s->state, "%s", past->state);
        take_attempt(s, past);
        e = count_left(s, past, why);
    }
    past_close(past);
    if (e)
        return e;
    s->running = guard_held(path, s->experiment);
    judge(s);
    return ERR_OK;
}

static const char *time_left(const struct standing *s, char *buf, size_t size)
{
    if (s->pace.n || !s->n_left)
        return progress_time(s->left_ns, buf, size);
    (void)snprintf(buf, size, "not known");
    return buf;
}

void standing_grid(const struct standing *s, struct grid *grid)
{
    static const struct {
        const char *name;
        bool right;
    } columns[] = {{"bench", false},  {"state", false}, {"trial", true},
                   {"cell", false},   {"doing", false}, {"for", true},
                   {"trials", true},  {"stored", true}, {"failed", true},
                   {"invalid", true}, {"left", true},   {"time left", true}};
    char text[32];
    bool busy = s->running && s->tid;
    grid_note(grid, "experiment %lld, %s: %s", (long long)s->experiment,
              s->name, s->state);
    if (s->pace.n)
        grid_note(grid, "a trial took %.1f s, by %u of them",
                  (double)s->pace.trial_ns / 1e9, s->pace.n);
    if (!s->running && s->n_left)
        grid_note(grid, "to go on: pitwall resume %lld",
                  (long long)s->experiment);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        grid_column(grid, columns[i].name, "", columns[i].right);
    size_t row = grid_row(grid);
    grid_text(grid, row, 0, s->pace.benches);
    grid_text(grid, row, 1, s->state);
    if (busy) {
        (void)snprintf(text, sizeof text, "%u", s->tid);
        grid_value(grid, row, 2, s->tid, text);
        grid_text(grid, row, 3, s->cell);
        grid_text(grid, row, 4, s->phase);
        grid_value(grid, row, 5, (double)s->pace.spent_ns / 1e9,
                   progress_time(s->pace.spent_ns, text, sizeof text));
    }
    const uint64_t numbers[] = {s->n_trials, s->counts.ok + s->counts.oom,
                                s->counts.failed, s->counts.invalid, s->n_left};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        (void)snprintf(text, sizeof text, "%llu",
                       (unsigned long long)numbers[i]);
        grid_value(grid, row, 6 + i, (double)numbers[i], text);
    }
    if (s->pace.n || !s->n_left)
        grid_value(grid, row, 11, (double)s->left_ns / 1e9,
                   time_left(s, text, sizeof text));
    else
        grid_text(grid, row, 11, time_left(s, text, sizeof text));
}

const char *standing_line(const struct standing *s, char *buf, size_t size)
{
    char left[32], at[TRIALS_LABEL_MAX + 64] = "";
    if (s->running && s->tid)
        (void)snprintf(at, sizeof at, "trial %u of %u, %s, %s", s->tid,
                       s->n_trials, s->cell, s->phase);
    else
        (void)snprintf(at, sizeof at, "%s, between trials", s->state);
    (void)snprintf(buf, size, "%s, %llu stored, %s left", at,
                   (unsigned long long)(s->counts.ok + s->counts.oom),
                   time_left(s, left, sizeof left));
    return buf;
}
