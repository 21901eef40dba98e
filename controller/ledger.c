/* A bench's attempts in the store: added or taken up, ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "controller/needs.h"
#include "controller/runner.h"
#include "controller/sequel.h"
#include "results/answer.h"
#include "results/ceiling.h"

uint32_t runner_cell(const struct runner *r)
{
    return r->in->trials->order[r->bench.trial];
}

const struct ceiling_plan *runner_ceiling(const struct runner *r)
{
    return bench_is_extra(&r->bench)
               ? &r->in->ceilings->items[r->bench.trial - BENCH_EXTRA_TID]
               : NULL;
}

/* The store's id of an old attempt. */
static int64_t find_attempt(const struct past *past,
                            const struct bench_left *left)
{
    for (size_t i = past->n_attempts; i-- > 0;)
        if (past->attempts[i].tid == left->trial + 1 &&
            past->attempts[i].n == left->att)
            return past->attempts[i].id;
    return 0;
}

enum err ledger_add(struct runner *r, const struct bench_action *a,
                    struct bench_event *ev, struct why *why)
{
    const struct run_setup *in = r->in;
    const struct ceiling_plan *ceiling = runner_ceiling(r);
    r->begun_ns = clock_mono_ns();
    if (ceiling)
        ceiling_plan_setup(ceiling, in->trials, &r->setup);
    else
        trials_setup(in->trials, runner_cell(r), &r->setup);
    enum err e = ERR_OK;
    r->attempt = 0;
    ev->att = (in->sitting->n - 1) % RUN_ATTEMPTS_MAX + 1;
    if (a->left)
        ev->att = a->left->att;
    if (!ceiling && a->left)
        r->attempt = find_attempt(in->past, a->left);
    else if (!ceiling)
        e = store_attempt_add(in->store, in->sitting->experiment,
                              r->bench.trial + 1, &r->attempt, &ev->att, why);
    ev->what = BENCH_STORED;
    ev->apart = needs_apart(&r->setup.spec);
    return e;
}

/* broken: rules, "" for none. */
static void say_end(struct runner *r, const struct bench_action *a,
                    const char *broken)
{
    const struct bench *b = &r->bench;
    char took[24], attempt[32] = "", prefix[80];
    uint64_t length = clock_mono_ns() - r->begun_ns;
    bool plain = a->outcome == OUTCOME_OK && !broken[0];
    (void)runner_prefix(r, prefix, sizeof prefix);
    if (b->att > 1)
        (void)snprintf(attempt, sizeof attempt, ", attempt %u", b->att);
    if (b->left) {
        progress_say(r->in->progress,
                     "%strial %u of %u%s  %s  %s%s%s, of the "
                     "last sitting",
                     prefix, b->trial + 1, bench_trials(b), attempt,
                     r->setup.spec.cell, outcome_name(a->outcome),
                     a->error ? ": " : "", a->error ? a->error : "");
        return;
    }
    if (r->in->progress->terminal && plain)
        return;
    progress_say(r->in->progress, "%strial %u of %u%s  %s  %s%s%s%s%s  (%s)",
                 prefix, b->trial + 1, bench_trials(b), attempt,
                 r->setup.spec.cell, outcome_name(a->outcome),
                 broken[0] ? ", invalid: " : "", broken, a->error ? ": " : "",
                 a->error ? a->error : "",
                 units_show_ns(took, sizeof took, (double)length));
}

/* What each agent that took part had to say; their number. */
static size_t fill_parts(const struct runner *r, struct store_part *parts)
{
    size_t n = 0;
    for (unsigned i = 0; i < r->bench.n_seats; i++) {
        const struct seat *s = &r->bench.seats[i];
        if (!s->takes_part)
            continue;
        parts[n++] =
            (struct store_part){.agent = lab_agent(r->lab, i),
                                .role = !r->bench.apart ? "both"
                                        : i             ? "load"
                                                        : "target",
                                .spool = s->collected ? s->spool : NULL,
                                .spool_len = s->collected ? s->spool_len : 0,
                                .started = s->start.t0_ns > 0,
                                .t0_ns = s->start.t0_ns,
                                .offset_ns = s->start.offset_ns,
                                .uncertain_ns = s->start.uncertain_ns};
    }
    return n;
}

static bool any_spool(const struct store_result *result)
{
    for (size_t i = 0; i < result->n_parts; i++)
        if (result->parts[i].spool)
            return true;
    return false;
}

/* A calibration is no trial: what it came to is stored, and said. */
static enum err store_ceiling(struct runner *r, const struct bench_action *a,
                              const struct ceiling_plan *p,
                              const uint32_t *cells, struct why *why)
{
    char prefix[80];
    struct store_part parts[BENCH_AGENTS_MAX];
    struct ceiling_figures f;
    (void)runner_prefix(r, prefix, sizeof prefix);
    const struct ceiling_run run = {.bench = r->lab->name,
                                    .link = p->link,
                                    .load = p->load,
                                    .cells = cells,
                                    .n_cells = p->n_cells,
                                    .error = a->outcome == OUTCOME_OK ? NULL
                                             : a->error
                                                 ? a->error
                                                 : outcome_name(a->outcome),
                                    .parts = parts,
                                    .n_parts = fill_parts(r, parts)};
    enum err e =
        ceiling_add(r->in->store, r->in->sitting->experiment, &run, &f, why);
    if (!e && f.window_ns)
        progress_say(r->in->progress,
                     "%sceiling of the driver over %s, %s: %.0f docs/s, %.0f "
                     "requests/s, %.1f MB/s",
                     prefix, p->link, p->load, f.docs_s, f.ops_s, f.mb_s);
    else if (!e)
        progress_say(r->in->progress,
                     "%sceiling of the driver over %s, %s: not measured%s%s",
                     prefix, p->link, p->load, run.error ? ": " : "",
                     run.error ? run.error : "");
    return e;
}

static enum err finish_ceiling(struct runner *r, const struct bench_action *a,
                               struct bench_event *ev, struct why *why)
{
    const struct ceiling_plan *p = runner_ceiling(r);
    ev->what = BENCH_STORED;
    if (r->bench.interrupted || r->bench.left) /* of no use to anybody */
        return ERR_OK;
    uint32_t *cells = calloc(p->n_cells + 1, sizeof *cells);
    if (!cells)
        return err_set(why, ERR_NOMEM, "a calibration's cells");
    for (size_t i = 0; i < p->n_cells; i++)
        cells[i] = sequel_position(r->in->trials, p->cells[i]);
    enum err e = store_ceiling(r, a, p, cells, why);
    free(cells);
    return e;
}

static enum err finish_trial(struct runner *r, const struct bench_action *a,
                             struct bench_event *ev, struct why *why)
{
    char broken[200] = "";
    struct store_part parts[BENCH_AGENTS_MAX];
    struct store_result result = {.outcome = a->outcome,
                                  .error = a->error,
                                  .parts = parts,
                                  .n_parts = fill_parts(r, parts)};
    enum err e =
        store_attempt_end(r->in->store, r->attempt, &result, &r->heard);
    if (e == ERR_CORRUPT && any_spool(&result)) {
        ev->what = BENCH_CORRUPT;
        ev->text = r->heard.text;
        return ERR_OK;
    }
    if (e) {
        *why = r->heard;
        return err_wrap(why, e, "store trial %u", r->bench.trial + 1);
    }
    e = answer_broken(r->in->store, r->attempt, broken, sizeof broken, why);
    ev->what = BENCH_STORED;
    ev->invalid = broken[0] != '\0';
    if (!r->bench.left)
        estimate_add(&r->run->estimate, clock_mono_ns() - r->begun_ns);
    say_end(r, a, broken);
    return e;
}

enum err ledger_finish(struct runner *r, const struct bench_action *a,
                       struct bench_event *ev, struct why *why)
{
    return runner_ceiling(r) ? finish_ceiling(r, a, ev, why)
                             : finish_trial(r, a, ev, why);
}
