#include "load/solo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/units.h"
#include "load/once.h"
#include "load/summary.h"
#include "tracks/generator.h"

#define LEAD_NS (20 * NS_PER_MS) /* from the last preparation to t0 */
#define LOOK_NS (100 * NS_PER_MS)

struct solo {
    const struct options *options;
    const volatile sig_atomic_t *interrupted;
    struct job job;
    struct session *session;
};

static bool stopped(void *ctx)
{
    const struct solo *s = ctx;
    return *s->interrupted;
}

static enum err open_track(struct solo *s, struct why *why)
{
    const struct options *o = s->options;
    const struct track_options options = {.challenge = o->challenge,
                                          .test_mode = o->test_mode};
    struct track *track = NULL;
    char *plan = NULL;
    enum err e = track_open(&track, o->track, o->params, o->n_params, why);
    if (!e)
        e = track_render(track, &options, &plan, why);
    if (!e)
        e = job_open(&s->job, plan, strlen(plan), o, why);
    free(plan);
    track_close(track);
    return e;
}

/* Progress lines are for people who watch: a terminal. */
static bool is_watched(void)
{
    return isatty(STDERR_FILENO);
}

static enum err once(struct solo *s, size_t from, size_t to, struct why *why)
{
    const struct once_config config = {.address = &s->job.address,
                                       .headers = s->options->headers,
                                       .congestion = s->options->congestion,
                                       .stopped = stopped,
                                       .ctx = s};
    enum err e = ERR_OK;
    for (size_t i = from; i < to && !e; i++)
        for (size_t t = 0; t < s->job.plan->steps[i].n_tasks && !e; t++) {
            const struct plan_task *task = &s->job.plan->steps[i].tasks[t];
            struct once_result result;
            e = once_run(&config, task, &result, why);
            if (!e && is_watched())
                (void)fprintf(stderr, "%s: %s\n", task->name,
                              result.failed ? result.text : "done");
        }
    return e;
}

static void show_progress(const struct solo *s, struct session_progress *last)
{
    struct session_progress p = session_progress(s->session);
    if (!is_watched())
        return;
    char docs[24], bytes[24];
    (void)fprintf(
        stderr, "\r%s docs, %s/s, %llu errors   ",
        units_show_count(docs, sizeof docs, (double)p.docs),
        units_show_size(bytes, sizeof bytes, (double)(p.bytes - last->bytes)),
        (unsigned long long)p.errors);
    *last = p;
}

static enum err drive(struct solo *s, struct why *why)
{
    const struct worker_run run = {.t0_ns = clock_mono_ns() + LEAD_NS,
                                   .drain_ns = WORKER_DRAIN_NS};
    struct session_progress last = {0};
    uint64_t next_ns = run.t0_ns + NS_PER_S;
    bool told = false;
    enum err e = session_start(s->session, &run, why);
    if (e)
        return e;
    while (!session_step(s->session, LOOK_NS, -1)) {
        if (*s->interrupted && !told) {
            session_stop(s->session);
            told = true;
        }
        if (clock_mono_ns() >= next_ns) {
            show_progress(s, &last);
            next_ns += NS_PER_S;
        }
    }
    session_finish(s->session);
    if (is_watched())
        (void)fprintf(stderr, "\r%50s\r", "");
    return ERR_OK;
}

enum err solo_run(const struct options *options,
                  const volatile sig_atomic_t *interrupted, struct why *why)
{
    struct solo s = {.options = options, .interrupted = interrupted};
    enum err e = options->mode == OPTIONS_TRACK
                     ? open_track(&s, why)
                     : job_open_url(&s.job, options, why);
    if (!e && s.job.plan)
        e = once(&s, 0, s.job.plan->measured, why);
    if (!e)
        e = job_render(&s.job, why);
    if (!e)
        e = session_open(&s.session, &s.job, why);
    if (!e)
        e = drive(&s, why);
    if (e)
        goto out;
    if (!*interrupted && s.job.plan)
        e = once(&s, s.job.plan->measured + 1, s.job.plan->n_steps, why);
    (options->json ? summary_print_json : summary_print)(stdout, s.session,
                                                         &s.job);
    if (!e && *interrupted)
        e = err_set(why, ERR_INTERRUPTED, "interrupted");
out:
    session_close(s.session);
    job_close(&s.job);
    return e;
}

enum err solo_make_corpus(const struct options *o, struct why *why)
{
    const struct generator *g = generator_find(o->corpus);
    const char *name = o->output ? o->output : "standard output";
    char *doc = malloc(g->doc_max + 1);
    if (!doc)
        return err_set(why, ERR_NOMEM, "corpus: out of memory");
    FILE *to = o->output ? fopen(o->output, "we") : stdout;
    enum err e = to ? ERR_OK : err_errno(why, errno, "%s", name);
    for (uint64_t i = 0; !e && i < o->docs; i++) {
        size_t len = g->make(doc, o->seed, i);
        doc[len++] = '\n';
        if (fwrite(doc, 1, len, to) != len)
            e = err_errno(why, errno, "%s", name);
    }
    if (to && (o->output ? fclose(to) : fflush(to)) && !e)
        e = err_errno(why, errno, "%s", name);
    free(doc);
    return e;
}
