#include "controller/launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "controller/bench.h"
#include "controller/entry.h"
#include "controller/estimate.h"
#include "controller/guard.h"
#include "controller/needs.h"
#include "controller/remainder.h"
#include "controller/run.h"
#include "controller/sequel.h"
#include "controller/show.h"
#include "controller/trust.h"
#include "results/answer.h"
#include "results/remark.h"

enum err launch_labs(const struct conduct *c, const char *folder,
                     struct labs *labs, struct why *why)
{
    struct trust trust;
    *labs = (struct labs){.n = 0};
    enum err e = trust_load(&trust, NULL, &c->tls, why);
    if (e)
        return e;
    const struct agent_way way = {.targets = c->targets[0] ? c->targets : NULL,
                                  .folder = folder,
                                  .creds = trust_creds(&trust),
                                  .plain_ok = c->insecure_plain};
    e = labs_open(labs, &c->places, &way, why);
    trust_free(&trust);
    return e;
}

enum err launch_check(const struct labs *labs, const struct trials *trials,
                      struct why *why)
{
    for (unsigned i = 0; i < labs->n; i++) {
        const struct needs_agents agents = lab_hellos(labs->items[i]);
        enum err e = needs_check_all(&agents, trials, why);
        if (e)
            return labs->n > 1
                       ? err_wrap(why, e, "bench %s", labs->items[i]->name)
                       : e;
    }
    return ERR_OK;
}

/* "agent gen1", "bench rack1", "benches rack1, rack2". */
static const char *where(const struct launch *in, char *buf, size_t size)
{
    char names[400];
    (void)snprintf(buf, size, "%s %s",
                   in->labs->n > 1             ? "benches"
                   : in->labs->items[0]->n > 1 ? "bench"
                                               : "agent",
                   labs_names(in->labs, names, sizeof names));
    return buf;
}

static enum err say_start(const struct launch *in, struct run_setup *setup,
                          int64_t experiment, struct why *why)
{
    const struct trials *t = in->trials;
    const struct experiment *ex = t->ex;
    struct estimate estimate;
    char left[32], more[64], on[420];
    uint32_t n = trials_count(t);
    struct progress *progress = setup->progress;
    estimate_init(&estimate, ex->warmup_ns, ex->measure_ns);
    enum err e = in->past
                     ? remainder_count(in->past, in->conduct->retries, &n, why)
                     : ERR_OK;
    if (!e && in->past)
        e = pace_read(setup->store, experiment, &setup->pace, why);
    estimate_recall(&estimate, setup->pace.trial_ns, setup->pace.n);
    (void)progress_time(estimate_left_ns(&estimate, n, 0, 0) / in->labs->n,
                        left, sizeof left);
    if (!e && in->past)
        progress_say(progress,
                     "experiment %" PRId64 " \"%s\" goes on: %u of %u trials "
                     "are left, about %s, on %s",
                     experiment, ex->name, n, trials_count(t), left,
                     where(in, on, sizeof on));
    else if (!e)
        progress_say(progress,
                     "experiment %" PRId64
                     " \"%s\": %u cells%s x %u iterations = "
                     "%u trials, seed %" PRIu64 ", about %s, on %s",
                     experiment, ex->name, (uint32_t)t->matrix.n_cells,
                     trials_more(t, " + canary", more, sizeof more),
                     t->n_blocks, n, ex->seed, left, where(in, on, sizeof on));
    return e;
}

static enum err report(const struct launch *in, struct store *store,
                       int64_t experiment, struct why *why)
{
    const struct answer_report options = {0};
    const struct show_as as = {.form =
                                   in->options->json ? TABLE_JSON : TABLE_TEXT};
    enum err e = show_report(store, experiment, &options, &as, why);
    return e ? err_wrap(why, e, "report") : ERR_OK;
}

/* What goes on from here, where that is not simply over. */
static void say_more(const struct launch *in, int64_t experiment)
{
    (void)fprintf(stderr,
                  "pitwall: to go on: pitwall resume %" PRId64 " --db %s\n",
                  experiment, options_db(in->options));
}

/* The one line that says how it ended, on stderr, if it was not simply well. */
static void say_end(const struct launch *in, const struct run_end *end,
                    const struct answer_counts *c, int64_t experiment)
{
    const char *db = options_db(in->options);
    char open[32] = "";
    uint64_t stored = c->ok + c->oom;
    if (end->n_open)
        (void)snprintf(open, sizeof open, ", %u %s open", end->n_open,
                       end->n_open > 1 ? "are" : "is");
    if (end->interrupted || end->stopped)
        (void)fprintf(stderr,
                      "pitwall: %s: %" PRIu64 " of %" PRIu64
                      " trials are stored; see: pitwall report %" PRId64
                      " --db %s\n",
                      end->interrupted ? "interrupted" : "stopped", stored,
                      c->trials, experiment, db);
    else if (end->text[0])
        (void)fprintf(stderr,
                      "pitwall: %s; %" PRIu64 " of %" PRIu64
                      " trials are stored, %u were skipped%s\n",
                      end->text, stored, c->trials, end->n_left, open);
    else if (stored < c->trials || c->invalid)
        (void)fprintf(
            stderr,
            "pitwall: %" PRIu64 " of %" PRIu64 " trials failed, %" PRIu64
            " are invalid; see: pitwall query 'select * from "
            "v_trial_all where experiment=%" PRId64 "' --db %s\n",
            c->trials - stored, c->trials, c->invalid, experiment, db);
}

static const char *state_of(const struct run_end *run)
{
    return run->interrupted ? "interrupted"
           : run->stopped   ? "stopped"
           : run->text[0]   ? "failed"
                            : "finished";
}

static enum err close_experiment(const struct launch *in, struct store *store,
                                 const struct run_end *run,
                                 struct launch_end *end, struct why *why)
{
    struct answer_counts counts = {0};
    bool cut = run->interrupted || run->stopped;
    enum err e = answer_counts(store, end->experiment, &counts, why);
    if (!e && (!cut || counts.ok + counts.oom > 0))
        e = report(in, store, end->experiment, why);
    if (e)
        return e;
    say_end(in, run, &counts, end->experiment);
    if (end->resumable)
        say_more(in, end->experiment);
    if (cut)
        end->status = LAUNCH_EXIT_INTERRUPTED;
    else if (run->text[0] || counts.ok + counts.oom < counts.trials ||
             counts.invalid)
        end->status = LAUNCH_EXIT_FAILED_TRIALS;
    return ERR_OK;
}

/* What the experiment's file says of it, as a note that reports show. */
static enum err add_note(struct store *store, int64_t experiment,
                         const char *note, struct why *why)
{
    char word[24];
    int64_t noted = 0, trial = 0;
    if (!note[0])
        return ERR_OK;
    (void)snprintf(word, sizeof word, "%" PRId64, experiment);
    return remark_note(store, word, note, &noted, &trial, why);
}

/* Enter a new experiment's plan. */
static enum err enter(const struct launch *in, struct store *store,
                      const char *uuid, int64_t *experiment, struct why *why)
{
    const char *benches[LAB_FILE_BENCHES_MAX];
    for (unsigned i = 0; i < in->labs->n; i++)
        benches[i] = in->labs->items[i]->name;
    struct entry entry = {.trials = in->trials,
                          .uuid = uuid,
                          .benches = benches,
                          .n_benches = in->labs->n,
                          .tags = in->options->tags.items,
                          .n_tags = in->options->tags.n};
    enum err e = conduct_complete(in->conduct, in->trials, why);
    if (e)
        return e;
    char *conduct = conduct_print(in->conduct);
    entry.conduct = conduct;
    e = entry_add(store, &entry, experiment, why);
    free(conduct);
    return e ? e : add_note(store, *experiment, in->trials->ex->note, why);
}

static enum err make_ceilings(const struct launch *in, struct store *store,
                              struct ceiling_plans *out, struct why *why)
{
    enum err e = ERR_OK;
    if (!in->conduct->no_ceiling)
        e = ceiling_plans_make(out, in->trials, in->conduct->test_mode, why);
    if (!e && in->past)
        e = sequel_ceilings(store, in->past, in->trials, in->labs, out, why);
    return e;
}

/* The plan's end is its last look. When there was enough before, the rest is
 * taken off the plan. */
static enum err look_last(const struct launch *in, struct run_setup *setup,
                          int64_t experiment, const struct run_end *run,
                          struct why *why)
{
    const struct look_rule *rule = &in->conduct->stopping.rule;
    struct look look;
    if (run->enough)
        return look_settle(setup->store, experiment, run->enough, why);
    if (!look_due(rule, in->trials->n_blocks))
        return ERR_OK;
    enum err e = look_take(setup->store, experiment, rule, in->trials->n_blocks,
                           &look, why);
    if (!e)
        progress_say(setup->progress, "%s", look.words);
    return e;
}

/* What each agent says of its machine goes to the store. */
static enum err add_facts(const struct lab *lab, struct store *store,
                          int64_t experiment, struct why *why)
{
    enum err e = ERR_OK;
    for (unsigned i = 0; !e && i < lab->n; i++)
        e = store_facts_add(store, experiment, lab_agent(lab, i),
                            lab->agents[i]->hello.facts, why);
    return e;
}

/* The benches take the leases over, and release them. */
static void hand_over(struct labs *labs)
{
    for (unsigned i = 0; i < labs->n; i++)
        for (unsigned j = 0; j < labs->items[i]->n; j++)
            labs->items[i]->agents[j]->token = 0;
}

/* One sitting at an experiment that is in the store. */
static enum err sit(const struct launch *in, struct run_setup *setup,
                    struct launch_end *end, struct why *why)
{
    struct run_end run = {0};
    struct sitting sitting;
    struct ceiling_plans ceilings = {.n = 0};
    const struct local *local = in->labs->items[0]->agents[0]->local;
    end->keep_state = in->past != NULL; /* until that was taken up */
    enum err e = sitting_begin(setup->store, end->experiment,
                               local ? local_folder(local) : "", &sitting, why);
    for (unsigned i = 0; !e && i < in->labs->n; i++)
        e = add_facts(in->labs->items[i], setup->store, end->experiment, why);
    if (!e)
        e = make_ceilings(in, setup->store, &ceilings, why);
    if (!e)
        e = say_start(in, setup, end->experiment, why);
    if (e)
        return e;
    hand_over(in->labs);
    setup->sitting = &sitting;
    setup->ceilings = &ceilings;
    e = run_trials(setup, &run, why);
    ceiling_plans_fini(&ceilings);
    end->keep_state = run.unstored;
    if (!e && !run.interrupted && !run.stopped && !run.text[0])
        e = look_last(in, setup, end->experiment, &run, why);
    end->resumable = run.unstored || (run.n_left > 0 && !run.enough) || e;
    if (!e) {
        e = sitting_end(setup->store, &sitting, state_of(&run), why);
        return e ? e : close_experiment(in, setup->store, &run, end, why);
    }
    struct why second = {""}; /* the first error is the one to tell */
    enum err ended =
        sitting_end(setup->store, &sitting,
                    run.interrupted ? "interrupted" : "failed", &second);
    (void)ended;
    say_more(in, end->experiment);
    return e;
}

/* A new experiment is guarded from here on; an old one's guard is the
 * caller's. */
static enum err run_stored(const struct launch *in, struct store *store,
                           const char *uuid, int *guard, struct launch_end *end,
                           struct why *why)
{
    struct progress progress;
    struct run_setup setup = {.trials = in->trials,
                              .labs = in->labs,
                              .store = store,
                              .past = in->past,
                              .uuid = uuid,
                              .retries = in->conduct->retries,
                              .abort_on_error = in->conduct->abort_on_error,
                              .stopping = &in->conduct->stopping,
                              .interrupt_fd = in->interrupt_fd,
                              .progress = &progress};
    progress_init(&progress, in->options->quiet);
    enum err e = ERR_OK;
    if (in->past)
        end->experiment = in->past->experiment;
    else
        e = enter(in, store, uuid, &end->experiment, why);
    if (!e && !in->past)
        e = guard_take(options_db(in->options), end->experiment, guard, why);
    return e ? e : sit(in, &setup, end, why);
}

enum err launch_run(const struct launch *in, struct launch_end *end,
                    struct why *why)
{
    struct store *store = NULL;
    char uuid[37];
    int guard = -1;
    memset(end, 0, sizeof *end);
    enum err e = launch_check(in->labs, in->trials, why);
    if (!e && in->past)
        (void)snprintf(uuid, sizeof uuid, "%s", in->past->uuid);
    else if (!e)
        e = entry_uuid(uuid, why);
    for (unsigned i = 0; !e && i < in->labs->n; i++)
        e = lab_acquire(in->labs->items[i], uuid, SEAT_TTL_NS, why);
    if (!e)
        e = store_open(&store, options_db(in->options), STORE_WRITE, why);
    if (e == ERR_NOTFOUND) /* that it cannot be made is no bad input */
        e = ERR_IO;
    if (!e)
        e = run_stored(in, store, uuid, &guard, end, why);
    store_close(store);
    if (guard >= 0)
        (void)close(guard);
    return e;
}
