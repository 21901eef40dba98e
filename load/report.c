#include "load/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "load/origin.h"

#define SIDE "load"

/* Where records go, and how many found no room. */
struct report {
    report_put *put;
    void *ctx;
    struct wire_buf buf;
    uint64_t dropped;
    struct why *why;
};

static enum err emit(struct report *r, enum record_kind kind, const void *in)
{
    r->buf.len = 0;
    enum err e = record_encode(kind, in, &r->buf, r->why);
    if (!e && !r->put(r->ctx, r->buf.data, r->buf.len))
        r->dropped++;
    return e;
}

static void set(char *to, size_t size, const char *text)
{
    (void)snprintf(to, size, "%s", text);
}

enum err report_once(const struct plan_task *task,
                     const struct once_result *result, report_put *put,
                     void *ctx, struct why *why)
{
    struct report r = {.put = put, .ctx = ctx, .why = why};
    struct record_fact fact = {.side = SIDE};
    char took[24];
    (void)units_show_ns(took, sizeof took, (double)result->took_ns);
    (void)snprintf(fact.name, sizeof fact.name, "task.%.58s", task->name);
    if (result->failed)
        (void)snprintf(fact.value, sizeof fact.value, "failed in %s: %s", took,
                       result->text);
    else if (result->status)
        (void)snprintf(fact.value, sizeof fact.value, "%u in %s",
                       result->status, took);
    else
        (void)snprintf(fact.value, sizeof fact.value, "done in %s", took);
    enum err e = emit(&r, RECORD_IS_fact, &fact);
    wire_buf_free(&r.buf);
    return e;
}

static enum err emit_blob(struct report *r, const char *task, const char *kind,
                          int64_t second, const struct series_blob *blob)
{
    struct record_hist hist = {.second = second,
                               .blob = {.data = blob->data, .len = blob->len}};
    if (!blob->len)
        return ERR_OK;
    set(hist.task, sizeof hist.task, task);
    set(hist.kind, sizeof hist.kind, kind);
    return emit(r, RECORD_IS_hist, &hist);
}

static enum err emit_hist(struct report *r, const char *task, const char *kind,
                          const struct hist *h)
{
    uint8_t *buf = malloc(HIST_BLOB_MAX);
    if (!buf)
        return err_set(r->why, ERR_NOMEM, "histogram: out of memory");
    const struct series_blob blob = {.data = buf,
                                     .len = hist_encode(h, buf, HIST_BLOB_MAX)};
    enum err e = emit_blob(r, task, kind, RECORD_WHOLE_WINDOW, &blob);
    free(buf);
    return e;
}

static enum err emit_second(struct report *r, const char *task,
                            const struct series_second *s)
{
    struct record_sample_load sample = {.second = s->second,
                                        .ops = s->counts.ops,
                                        .docs = s->counts.docs,
                                        .bytes = s->counts.bytes,
                                        .errors = s->counts.errors,
                                        .docs_failed = s->counts.docs_failed,
                                        .late = s->counts.late,
                                        .in_flight = s->in_flight};
    set(sample.task, sizeof sample.task, task);
    enum err e = emit(r, RECORD_IS_sample_load, &sample);
    if (!e)
        e = emit_blob(r, task, "latency", s->second, &s->latency);
    if (!e)
        e = emit_blob(r, task, "service", s->second, &s->service);
    return e;
}

/* A very long run keeps the histograms of its first seconds only. */
static enum err emit_bare(struct report *r, const struct session_task *t)
{
    struct record_fact fact = {.side = SIDE};
    if (!t->series.bare)
        return ERR_OK;
    (void)snprintf(fact.name, sizeof fact.name, "seconds.%.55s", t->work->name);
    (void)snprintf(fact.value, sizeof fact.value,
                   "%llu histograms of single seconds left out: those before "
                   "fill %zu bytes",
                   (unsigned long long)t->series.bare, SERIES_BLOBS_MAX);
    return emit(r, RECORD_IS_fact, &fact);
}

/* Of the step's time, how long its busiest thread had a CPU. */
static double driver_share(const struct session_driver *d)
{
    return d->window_ns ? (double)d->cpu_max_ns / (double)d->window_ns : 0;
}

/* Each thread's share, as text: "33.1 %, 0.4 %". */
static enum err emit_threads(struct report *r, const struct session *s)
{
    struct record_fact fact = {.name = "driver.threads", .side = SIDE};
    const struct session_driver *d = session_driver(s);
    size_t n = 0;
    for (uint32_t t = 0; t < d->threads && n < sizeof fact.value; t++)
        n += (size_t)snprintf(
            fact.value + n, sizeof fact.value - n, "%s%.1f %%", t ? ", " : "",
            100 * (double)session_thread_cpu(s, t) / (double)d->window_ns);
    return d->window_ns ? emit(r, RECORD_IS_fact, &fact) : ERR_OK;
}

static enum err emit_task(struct report *r, const struct session_task *t,
                          uint64_t step, const struct session *s)
{
    const struct work *w = t->work;
    const struct recorder_counts *c = &t->sum->counts;
    const struct recorder_flow *f = &t->sum->flow;
    uint64_t begin_ns = t->window.begin_ns, origin_ns = session_origin(s);
    struct record_task task = {
        .clients = w->own,
        .step = step,
        .hidden = w->hidden,
        .driver_share = driver_share(session_driver(s)),
        .begin_ns = begin_ns > origin_ns ? begin_ns - origin_ns : 0,
        .window_ns = t->window_ns,
        .ops = f->ops,
        .docs = f->docs,
        .bytes = f->bytes,
        .received = f->received,
        .errors = c->errors,
        .docs_failed = c->docs_failed,
        .offered_s = t->offered_s,
        .late = c->late,
        .dropped = c->dropped};
    set(task.task, sizeof task.task, w->name);
    set(task.operation, sizeof task.operation, w->operation);
    set(task.unit, sizeof task.unit, w->bulk ? "docs" : "ops");
    set(task.error_text, sizeof task.error_text, t->sum->error_text);
    enum err e = emit(r, RECORD_IS_task, &task);
    if (!e)
        e = emit_hist(r, w->name, "latency", &t->sum->latency);
    if (!e)
        e = emit_hist(r, w->name, "service", &t->sum->service);
    for (size_t i = 0; i < t->series.n && !e; i++)
        e = emit_second(r, w->name, &t->series.seconds[i]);
    return e ? e : emit_bare(r, t);
}

static enum err emit_driver(struct report *r, const struct session_driver *d)
{
    struct record_driver driver = {.threads = d->threads,
                                   .docs_acked = d->totals.docs_acked,
                                   .docs_refused = d->totals.docs_refused,
                                   .docs_unknown = d->totals.docs_unknown,
                                   .docs_assumed = d->totals.docs_assumed,
                                   .requests = d->totals.requests,
                                   .body_bytes = d->totals.body_bytes,
                                   .connects = d->stats.connects,
                                   .connects_lost = d->stats.connects_lost,
                                   .retried = d->stats.retried,
                                   .cpu_user_ns = d->cpu_user_ns,
                                   .cpu_system_ns = d->cpu_system_ns,
                                   .cpu_max_ns = d->cpu_max_ns,
                                   .window_ns = d->window_ns,
                                   .loop_lag_max_ns = d->loop_lag_max_ns,
                                   .loop_lag_p75_ns = d->loop_lag_p75_ns,
                                   .loop_lag_p99_ns = d->loop_lag_p99_ns,
                                   .loop_lag_mean_ns = d->loop_lag_mean_ns,
                                   .late_p99_ns = d->late_p99_ns,
                                   .starts = d->starts,
                                   .send_blocked_ns = d->send_blocked_ns,
                                   .records_blocked =
                                       d->seconds_lost + r->dropped};
    set(driver.engine, sizeof driver.engine, d->engine);
    return emit(r, RECORD_IS_driver, &driver);
}

/* What was sent: "load.provider", "corpus.NAME.sha256". */
static enum err emit_origin(struct report *r, const struct job *job)
{
    struct record_fact fact = {.side = SIDE};
    struct origin_corpus corpus;
    enum err e = ERR_OK;
    if (!job->plan)
        return ERR_OK;
    set(fact.name, sizeof fact.name, "load.provider");
    set(fact.value, sizeof fact.value, origin_provider(job));
    e = emit(r, RECORD_IS_fact, &fact);
    for (size_t i = 0; i < job->plan->n_corpora && !e; i++) {
        if (!origin_corpus(job, i, &corpus))
            continue;
        (void)snprintf(fact.name, sizeof fact.name, "corpus.%.48s.sha256",
                       corpus.name);
        set(fact.value, sizeof fact.value, corpus.sha256);
        e = emit(r, RECORD_IS_fact, &fact);
    }
    return e;
}

static enum err emit_label(struct report *r, const char *kind, const char *task,
                           const char *value)
{
    struct record_fact fact = {.side = SIDE};
    if (!value)
        return ERR_OK;
    (void)snprintf(fact.name, sizeof fact.name, "%s.%.58s", kind, task);
    set(fact.value, sizeof fact.value, value);
    return emit(r, RECORD_IS_fact, &fact);
}

/* What the track says about its tasks: "tags.TASK", "meta.TASK". */
static enum err emit_labels(struct report *r, const struct plan *plan)
{
    enum err e = ERR_OK;
    for (size_t s = 0; plan && s < plan->n_steps; s++)
        for (size_t i = 0; i < plan->steps[s].n_tasks && !e; i++) {
            const struct plan_task *t = &plan->steps[s].tasks[i];
            e = emit_label(r, "tags", t->name, t->tags);
            if (!e)
                e = emit_label(r, "meta", t->name, t->meta);
        }
    return e;
}

enum err report_course(const struct course *c, report_put *put, void *ctx,
                       struct why *why)
{
    struct report r = {.put = put, .ctx = ctx, .why = why};
    enum err e = ERR_OK;
    for (size_t i = 0; i < c->n_sessions && !e; i++) {
        const struct session *s = c->sessions[i];
        for (size_t t = 0; t < session_tasks(s) && !e; t++)
            if (session_task(s, t)->told)
                e = emit_task(&r, session_task(s, t), i, s);
    }
    if (!e)
        e = emit_origin(&r, c->config.job);
    if (!e)
        e = emit_labels(&r, c->config.job->plan);
    if (!e && c->n_sessions) {
        struct session_driver d = course_driver(c);
        e = emit_driver(&r, &d);
        if (!e)
            e = emit_threads(&r, c->sessions[0]);
    }
    wire_buf_free(&r.buf);
    return e;
}
