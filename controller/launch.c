#include "controller/launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "controller/bench.h"
#include "controller/entry.h"
#include "controller/estimate.h"
#include "controller/needs.h"
#include "controller/run.h"
#include "controller/show.h"
#include "results/answer.h"

/* Those of --agent as a bench without a name. */
static enum err place_agents(const struct options *o, struct lab_place *out,
                             struct why *why)
{
    if (o->agents.n > NEEDS_AGENTS_MAX)
        return err_set(why, ERR_USAGE, "--agent: given more than %u times",
                       NEEDS_AGENTS_MAX);
    for (size_t i = 0; i < o->agents.n; i++) {
        if (strlen(o->agents.items[i]) > LAB_FILE_URL_MAX)
            return err_set(why, ERR_USAGE,
                           "--agent \"%.60s\": more than %u "
                           "bytes",
                           o->agents.items[i], LAB_FILE_URL_MAX);
        (void)snprintf(out->agents[i].url, sizeof out->agents[i].url, "%s",
                       o->agents.items[i]);
    }
    out->n = (unsigned)o->agents.n;
    return ERR_OK;
}

enum err launch_lab(const struct options *o, struct lab **lab, struct why *why)
{
    struct lab_place named = {.n = 0};
    const struct lab_place *place = NULL;
    struct lab_file *file = NULL;
    *lab = NULL;
    if (!!o->local + !!o->agents.n + !!o->lab_file > 1)
        return err_set(why, ERR_USAGE,
                       "--local, --agent and --agents exclude each other");
    if (o->targets && (o->agents.n || o->lab_file))
        return err_set(why, ERR_USAGE,
                       "--targets \"%s\": only for an agent started here; "
                       "others have those of their own configuration",
                       o->targets);
    if (o->bench && !o->lab_file)
        return err_set(why, ERR_USAGE, "--bench \"%s\": only with --agents",
                       o->bench);
    enum err e = ERR_OK;
    if (o->lab_file) {
        e = lab_file_load(&file, o->lab_file, why);
        if (!e)
            e = lab_file_bench(file, o->bench, &place, why);
    } else if (o->agents.n) {
        e = place_agents(o, &named, why);
        place = &named;
    }
    if (!e && o->emulate && place && place->n > 1)
        e = err_set(why, ERR_USAGE,
                    "--emulate-ethernet: this bench has %u agents, between "
                    "which link=ethernet is real; leave it out",
                    place->n);
    if (!e)
        e = lab_open(lab, place, o->targets, o->insecure_plain, why);
    free(file);
    return e;
}

static void say_start(const struct launch *in, struct progress *progress,
                      int64_t experiment)
{
    const struct trials *t = in->trials;
    const struct experiment *ex = t->ex;
    struct estimate estimate;
    char left[32], more[64];
    estimate_init(&estimate, ex->warmup_ns, ex->measure_ns);
    progress_say(
        progress,
        "experiment %" PRId64 " \"%s\": %u cells%s x %u iterations = "
        "%u trials, seed %" PRIu64 ", about %s, on %s %s",
        experiment, ex->name, (uint32_t)t->matrix.n_cells,
        trials_more(t, " + canary", more, sizeof more), t->n_blocks,
        trials_count(t), ex->seed,
        progress_time(estimate_left_ns(&estimate, trials_count(t), 0, 0), left,
                      sizeof left),
        in->lab->n > 1 ? "bench" : "agent", in->lab->name);
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

/* The one line that says how it ended, on stderr, if it was not simply well. */
static void say_end(const struct launch *in, const struct run_end *end,
                    const struct answer_counts *c, int64_t experiment)
{
    const char *db = options_db(in->options);
    uint64_t stored = c->ok + c->oom;
    if (end->interrupted)
        (void)fprintf(stderr,
                      "pitwall: interrupted: %" PRIu64 " of %" PRIu64
                      " trials are stored; see: pitwall report %" PRId64
                      " --db %s\n",
                      stored, c->trials, experiment, db);
    else if (end->text[0])
        (void)fprintf(stderr,
                      "pitwall: %s; %" PRIu64 " of %" PRIu64
                      " trials are stored, %u were skipped\n",
                      end->text, stored, c->trials, end->n_left);
    else if (stored < c->trials || c->invalid)
        (void)fprintf(
            stderr,
            "pitwall: %" PRIu64 " of %" PRIu64 " trials failed, %" PRIu64
            " are invalid; see: pitwall query 'select * from "
            "v_trial_all where experiment=%" PRId64 "' --db %s\n",
            c->trials - stored, c->trials, c->invalid, experiment, db);
}

static enum err close_experiment(const struct launch *in, struct store *store,
                                 const struct run_end *run,
                                 struct launch_end *end, struct why *why)
{
    struct answer_counts counts = {0};
    const char *state = run->interrupted ? "interrupted"
                        : run->text[0]   ? "failed"
                                         : "finished";
    enum err e = store_experiment_end(store, end->experiment, state, why);
    if (!e)
        e = answer_counts(store, end->experiment, &counts, why);
    if (!e && (!run->interrupted || counts.ok + counts.oom > 0))
        e = report(in, store, end->experiment, why);
    if (e)
        return e;
    say_end(in, run, &counts, end->experiment);
    if (run->interrupted)
        end->status = LAUNCH_EXIT_INTERRUPTED;
    else if (run->text[0] || counts.ok + counts.oom < counts.trials ||
             counts.invalid)
        end->status = LAUNCH_EXIT_FAILED_TRIALS;
    return ERR_OK;
}

/* Enter the plan and run it. */
static enum err run_stored(const struct launch *in, struct store *store,
                           const char *uuid, struct launch_end *end,
                           struct why *why)
{
    struct progress progress;
    struct run_end run = {0};
    struct ceiling_plans ceilings = {.n = 0};
    struct run_setup setup = {.trials = in->trials,
                              .ceilings = &ceilings,
                              .lab = in->lab,
                              .store = store,
                              .uuid = uuid,
                              .interrupt_fd = in->interrupt_fd,
                              .progress = &progress};
    struct entry entry = {.trials = in->trials,
                          .uuid = uuid,
                          .bench = in->lab->name,
                          .tags = in->options->tags.items,
                          .n_tags = in->options->tags.n};
    progress_init(&progress, in->options->quiet);
    enum err e = options_repeats(in->options, &setup.retries,
                                 &setup.abort_on_error, why);
    if (!e)
        e = entry_add(store, &entry, &end->experiment, why);
    for (unsigned i = 0; !e && i < in->lab->n; i++)
        e = store_facts_add(store, end->experiment, lab_agent(in->lab, i),
                            in->lab->agents[i]->hello.facts, why);
    if (e)
        return e;
    say_start(in, &progress, end->experiment);
    setup.experiment = end->experiment;
    for (unsigned i = 0; i < in->lab->n; i++) /* the bench takes the leases */
        in->lab->agents[i]->token = 0;        /* over, and releases them */
    if (!in->options->no_ceiling)
        e = ceiling_plans_make(&ceilings, in->trials, in->options->test_mode,
                               why);
    if (!e)
        e = run_trials(&setup, &run, why);
    ceiling_plans_fini(&ceilings);
    end->keep_state = run.unstored;
    if (!e)
        return close_experiment(in, store, &run, end, why);
    struct why second = {""}; /* the first error is the one to tell */
    enum err ended = store_experiment_end(
        store, end->experiment, run.interrupted ? "interrupted" : "failed",
        &second);
    (void)ended;
    return e;
}

enum err launch_run(const struct launch *in, struct launch_end *end,
                    struct why *why)
{
    struct store *store = NULL;
    char uuid[37];
    const struct needs_agents agents = lab_hellos(in->lab);
    memset(end, 0, sizeof *end);
    enum err e = needs_check_all(&agents, in->trials, why);
    if (!e)
        e = entry_uuid(uuid, why);
    if (!e)
        e = lab_acquire(in->lab, uuid, SEAT_TTL_NS, why);
    if (!e)
        e = store_open(&store, options_db(in->options), STORE_WRITE, why);
    if (e == ERR_NOTFOUND) /* that it cannot be made is no bad input */
        e = ERR_IO;
    if (!e)
        e = run_stored(in, store, uuid, end, why);
    store_close(store);
    return e;
}
