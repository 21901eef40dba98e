#include "load/solo.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/place.h"
#include "common/units.h"
#include "load/course.h"
#include "load/hdr_log.h"
#include "load/reading.h"
#include "load/summary.h"
#include "tracks/generator.h"

#define LEAD_NS (20 * NS_PER_MS) /* from the last preparation to t0 */
#define READ_NS (10 * NS_PER_S)  /* where no time was given */

struct solo {
    const struct options *options;
    const volatile sig_atomic_t *interrupted;
    struct job job;
    struct course course;
    FILE *hdr;
    struct session_progress last; /* when it was shown last */
};

static bool stopped(void *ctx)
{
    const struct solo *s = ctx;
    return *s->interrupted;
}

/* A file, or else a shipped track by its name. */
static const char *track_path(const char *track, char buf[PATH_MAX])
{
    char name[NAME_MAX];
    int n = snprintf(name, sizeof name, "tracks/%s.json", track);
    bool shipped = access(track, F_OK) && n > 0 && (size_t)n < sizeof name &&
                   !place_data(name, buf, PATH_MAX, NULL);
    return shipped ? buf : track;
}

static enum err open_track(struct solo *s, struct why *why)
{
    char path[PATH_MAX];
    const struct options *o = s->options;
    const struct track_options options = {.challenge = o->challenge,
                                          .test_mode = o->test_mode};
    struct track *track = NULL;
    char *plan = NULL;
    enum err e = track_open(&track, track_path(o->track, path), o->params,
                            o->n_params, why);
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

static void show_corpus(void *ctx, const struct corpus_news *news)
{
    char text[CORPUS_NEWS_SIZE];
    (void)ctx;
    corpus_news_text(news, text);
    if (is_watched())
        (void)fprintf(stderr, "\r%-64s", text);
    if (is_watched() && news->done == news->of)
        (void)fprintf(stderr, "\r%64s\r", "");
}

static enum err once(void *ctx, const struct plan_task *task,
                     const struct once_result *result, struct why *why)
{
    (void)ctx;
    (void)why;
    if (is_watched())
        (void)fprintf(stderr, "%s: %s\n", task->name,
                      result->failed ? result->text : "done");
    return ERR_OK;
}

static void second(void *ctx)
{
    struct solo *s = ctx;
    struct session_progress p = course_progress(&s->course);
    if (!is_watched())
        return;
    char requests[24], docs[24], bytes[24];
    (void)fprintf(
        stderr, "\r%s: %s requests, %s docs, %s/s, %llu errors   ",
        s->course.task,
        units_show_count(requests, sizeof requests, (double)p.requests),
        units_show_count(docs, sizeof docs, (double)p.docs),
        units_show_size(bytes, sizeof bytes, (double)(p.bytes - s->last.bytes)),
        (unsigned long long)p.errors);
    s->last = p;
}

/* Before the load, so that a file that cannot be written costs nothing. */
static enum err open_hdr(struct solo *s, struct why *why)
{
    const char *path = s->options->hdr;
    if (path && !(s->hdr = fopen(path, "we")))
        return err_errno(why, errno, "--hdr %s", path);
    return ERR_OK;
}

static enum err close_hdr(struct solo *s, struct why *why)
{
    enum err e = hdr_log_write(s->hdr, s->options->hdr, &s->course, why);
    if (fclose(s->hdr) && !e)
        e = err_errno(why, errno, "--hdr %s", s->options->hdr);
    s->hdr = NULL;
    return e;
}

static enum err drive(struct solo *s, struct why *why)
{
    const struct stage_run run = {.t0_ns = clock_mono_ns() + LEAD_NS,
                                  .drain_ns = WORKER_DRAIN_NS};
    enum err e = course_run(&s->course, &run, why);
    if (is_watched())
        (void)fprintf(stderr, "\r%78s\r", "");
    if (s->course.n_sessions)
        (s->options->json ? summary_print_json : summary_print)(stdout,
                                                                &s->course);
    if (s->course.n_sessions && s->hdr && !e)
        e = close_hdr(s, why);
    return e;
}

/* Bodies are read, nothing is sent. */
static enum err read_bodies(struct solo *s, struct why *why)
{
    const struct options *o = s->options;
    const struct reading_config config = {
        .job = &s->job,
        .threads = o->load.threads ? o->load.threads : 1,
        .measure_ns = o->load.measure_ns ? o->load.measure_ns : READ_NS,
        .stopped = stopped,
        .ctx = s};
    struct reading r;
    enum err e = job_render(&s->job, why);
    if (!e)
        e = reading_run(&r, &config, why);
    if (!e)
        (o->json ? reading_print_json : reading_print)(stdout, &r, &s->job);
    return e;
}

static enum err send_bodies(struct solo *s, struct why *why)
{
    enum err e = course_arm(&s->course, why);
    return e ? e : drive(s, why);
}

enum err solo_run(const struct options *options,
                  const volatile sig_atomic_t *interrupted, struct why *why)
{
    struct solo s = {.options = options, .interrupted = interrupted};
    course_init(&s.course, &(struct course_config){.job = &s.job,
                                                   .fd = -1,
                                                   .stopped = stopped,
                                                   .second = second,
                                                   .once = once,
                                                   .ctx = &s});
    enum err e = options->mode == OPTIONS_TRACK
                     ? open_track(&s, why)
                     : job_open_url(&s.job, options, why);
    if (!e)
        e = job_corpora(&s.job, stopped, show_corpus, &s, why);
    if (!e)
        e = open_hdr(&s, why);
    if (!e)
        e = (options->reads ? read_bodies : send_bodies)(&s, why);
    if (!e && *interrupted)
        e = err_set(why, ERR_INTERRUPTED, "interrupted");
    if (s.hdr)
        (void)fclose(s.hdr);
    course_fini(&s.course);
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
