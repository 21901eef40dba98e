#include "load/summary.h"

#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/json_build.h"
#include "common/strain.h"
#include "common/units.h"
#include "load/origin.h"

#define LIMIT_BYTES 400 /* all rules hold */

static unsigned long long ull(uint64_t v)
{
    return v;
}

static void print_latency(FILE *to, const char *name, const struct hist *h)
{
    char text[24] = "-";
    (void)fprintf(to, "  %-10s", name);
    if (h->total)
        (void)units_show_ns(text, sizeof text, hist_mean(h));
    (void)fprintf(to, " %10s", text);
    for (size_t i = 0; i < MEASURE_PERCENTILES; i++) {
        uint64_t value;
        if (measure_value(h, i, &value))
            (void)units_show_ns(text, sizeof text, (double)value);
        else
            (void)snprintf(text, sizeof text, "-");
        (void)fprintf(to, " %10s", text);
    }
    if (h->total)
        (void)units_show_ns(text, sizeof text, (double)h->max);
    (void)fprintf(to, " %10s\n", text);
}

static void print_rates(FILE *to, const struct session_task *t)
{
    const struct recorder_counts *c = &t->sum->counts;
    const struct recorder_flow *f = &t->sum->flow;
    (void)fprintf(to, "  requests   %llu in %.3f s: %.1f/s", ull(f->ops),
                  (double)t->window_ns / 1e9,
                  measure_rate(f->ops, t->window_ns));
    double offered = t->offered_s;
    if (offered > 0)
        (void)fprintf(to, ", offered %.1f/s, achieved %.1f/s%s", offered,
                      measure_rate(c->ops + c->errors, t->window_ns),
                      c->dropped ? " (not reached)" : "");
    (void)fprintf(to, "\n");
    if (!t->window_ns)
        (void)fprintf(to, "  nothing measured: it ended before all clients "
                          "were warm\n");
    if (t->work->bulk)
        (void)fprintf(to, "  documents  %llu: %.1f/s\n", ull(f->docs),
                      measure_rate(f->docs, t->window_ns));
    (void)fprintf(to, "  sent       %.2f MB/s, received %.2f MB/s\n",
                  measure_rate(f->bytes, t->window_ns) / 1e6,
                  measure_rate(f->received, t->window_ns) / 1e6);
}

static void print_classes(FILE *to, const struct recorder_counts *c)
{
    (void)fprintf(to, "  answers   ");
    for (unsigned i = 1; i < RECORDER_CLASSES; i++)
        if (c->classes[i])
            (void)fprintf(to, " %uxx: %llu", i, ull(c->classes[i]));
    if (c->classes[0])
        (void)fprintf(to, " others: %llu", ull(c->classes[0]));
    (void)fprintf(to, "\n");
}

static void print_failures(FILE *to, const struct session_task *t)
{
    const struct recorder_counts *c = &t->sum->counts;
    double offered = t->offered_s;
    if (offered > 0 && (c->late || c->dropped))
        (void)fprintf(to,
                      "  schedule   %llu started over 1 ms late, %llu never\n",
                      ull(c->late), ull(c->dropped));
    if (c->errors || c->docs_failed)
        (void)fprintf(to, "  failed     %llu requests, %llu documents\n",
                      ull(c->errors), ull(c->docs_failed));
    if (c->errors)
        (void)fprintf(to,
                      "  of them    %llu answered, %llu lost, %llu without a "
                      "connection; %llu given up\n",
                      ull(c->errors - c->lost - c->unsent), ull(c->lost),
                      ull(c->unsent), ull(c->given_up));
    if (c->errors && c->ops + c->errors > c->lost + c->unsent)
        print_classes(to, c);
    if (*t->sum->error_text)
        (void)fprintf(to, "  first      %s\n", t->sum->error_text);
}

static void print_task(FILE *to, const struct session_task *t)
{
    const struct work *w = t->work;
    static const char *const pacings[] = {[PACER_CLOSED] = "closed loop",
                                          [PACER_FIXED] = "fixed arrivals",
                                          [PACER_POISSON] = "poisson arrivals"};
    (void)fprintf(to, "%s: %s, %u clients, %s\n", w->name, w->operation, w->own,
                  pacings[w->pacing]);
    print_rates(to, t);
    (void)fprintf(to, "  %-10s %10s", "", "mean");
    for (size_t i = 0; i < MEASURE_PERCENTILES; i++)
        (void)fprintf(to, " %10s", measure_percentiles[i].name);
    (void)fprintf(to, " %10s\n", "max");
    print_latency(to, "latency", &t->sum->latency);
    print_latency(to, "service", &t->sum->service);
    print_failures(to, t);
}

static double share(uint64_t ns, uint64_t window_ns)
{
    return window_ns ? (double)ns / (double)window_ns : 0;
}

/* Share of the requests that went out on a connection that an earlier one had
 * used. */
static double reuse(const struct session_driver *d)
{
    uint64_t requests = d->totals.requests, connects = d->stats.connects;
    return connects < requests
               ? (double)(requests - connects) / (double)requests
               : 0;
}

/* What requests cost the driver, and how late they began. */
static void print_cost(FILE *to, const struct course *c,
                       const struct session_driver *d)
{
    double ops = 0, bytes = 0;
    double cpu_ns = (double)(d->cpu_user_ns + d->cpu_system_ns);
    char each[24], mb[24], late[24];
    for (size_t i = 0; i < c->n_sessions; i++)
        for (size_t t = 0; t < session_tasks(c->sessions[i]); t++) {
            const struct recorder_counts *counts =
                &session_task(c->sessions[i], t)->sum->counts;
            ops += (double)(counts->ops + counts->errors);
            bytes += (double)counts->bytes;
        }
    if (!(ops > 0))
        return;
    (void)fprintf(to, "cost: %s of CPU a request",
                  units_show_ns(each, sizeof each, cpu_ns / ops));
    if (bytes > 0)
        (void)fprintf(to, ", %s a MB sent",
                      units_show_ns(mb, sizeof mb, cpu_ns / (bytes / 1e6)));
    (void)fprintf(to, "; starts late by %s at p99\n",
                  units_show_ns(late, sizeof late, (double)d->late_p99_ns));
}

static void print_driver(FILE *to, const struct session_driver *d)
{
    char lag[24], most[24];
    (void)fprintf(
        to,
        "driver: %s engine, %u thread%s, %.2f cores (%.2f user, %.2f system), "
        "the busiest thread %.0f %%, loop lag p99 %s, at most %s, waiting to "
        "send %.0f %%\n",
        d->engine, d->threads, d->threads > 1 ? "s" : "",
        share(d->cpu_user_ns + d->cpu_system_ns, d->window_ns),
        share(d->cpu_user_ns, d->window_ns),
        share(d->cpu_system_ns, d->window_ns),
        100 * share(d->cpu_max_ns, d->window_ns),
        units_show_ns(lag, sizeof lag, (double)d->loop_lag_p99_ns),
        units_show_ns(most, sizeof most, (double)d->loop_lag_max_ns),
        100 * share(d->send_blocked_ns, d->window_ns));
    (void)fprintf(
        to,
        "in all: %llu requests, %llu documents acknowledged, %llu "
        "refused, %llu unknown, %llu connections, %.2f %% of requests "
        "on a kept one, %llu lost, %llu sent twice\n",
        ull(d->totals.requests), ull(d->totals.docs_acked),
        ull(d->totals.docs_refused), ull(d->totals.docs_unknown),
        ull(d->stats.connects), 100 * reuse(d), ull(d->stats.connects_lost),
        ull(d->stats.retried));
}

/* Whether the driver was the limit of a measured step; by which rules goes to
 * buf. */
static bool was_limit(const struct session *s, char *buf, size_t size)
{
    const struct session_driver *d = session_driver(s);
    double service_ns = 0, n = 0;
    for (size_t i = 0; i < session_tasks(s); i++) {
        const struct hist *h = &session_task(s, i)->sum->service;
        service_ns += hist_mean(h) * (double)h->total;
        n += (double)h->total;
    }
    struct strain strain = strain_of(&(struct strain_figures){
        .window_ns = d->window_ns,
        .cpu_max_ns = d->cpu_max_ns,
        .starts = d->starts,
        .late_p99_ns = d->late_p99_ns,
        .lag_p75_ns = d->loop_lag_p75_ns,
        .lag_mean_ns = d->loop_lag_mean_ns,
        .service_mean_ns = n > 0 ? service_ns / n : 0});
    (void)strain_tell(&strain, false, buf, size);
    return strain_is_limit(&strain);
}

/* A line for each step that the driver was the limit of. */
static void print_limits(FILE *to, const struct course *c)
{
    char text[LIMIT_BYTES];
    for (size_t i = 0; i < c->n_sessions; i++) {
        const struct session *s = c->sessions[i];
        if (was_limit(s, text, sizeof text))
            (void)fprintf(to, "the driver was the limit of %s: %s\n",
                          session_task(s, 0)->work->name, text + 2);
    }
}

void summary_print(FILE *to, const struct course *c)
{
    const struct session_driver d = course_driver(c);
    for (size_t i = 0; i < c->n_sessions; i++)
        for (size_t t = 0; t < session_tasks(c->sessions[i]); t++)
            if (session_task(c->sessions[i], t)->told)
                print_task(to, session_task(c->sessions[i], t));
    print_driver(to, &d);
    print_cost(to, c, &d);
    print_limits(to, c);
    origin_print(to, c->config.job);
}

static void add_hist(struct jv *parent, const char *name, const struct hist *h)
{
    struct jv *v = jv_add(parent, name, JV_OBJECT);
    jv_add_u64(v, "samples", h->total);
    if (h->total)
        jv_add_number(v, "mean", hist_mean(h));
    else
        (void)jv_add(v, "mean", JV_NULL);
    for (size_t i = 0; i < MEASURE_PERCENTILES; i++) {
        uint64_t value;
        if (measure_value(h, i, &value))
            jv_add_u64(v, measure_percentiles[i].name, value);
        else
            (void)jv_add(v, measure_percentiles[i].name, JV_NULL);
    }
    if (h->total)
        jv_add_u64(v, "max", h->max);
    else
        (void)jv_add(v, "max", JV_NULL);
}

static void add_seconds(struct jv *parent, const struct series *series)
{
    struct jv *list = jv_add(parent, "seconds", JV_ARRAY);
    for (size_t i = 0; i < series->n; i++) {
        const struct series_second *s = &series->seconds[i];
        struct jv *v = jv_add(list, NULL, JV_OBJECT);
        jv_add_i64(v, "second", s->second);
        jv_add_u64(v, "ops", s->counts.ops);
        jv_add_u64(v, "docs", s->counts.docs);
        jv_add_u64(v, "bytes", s->counts.bytes);
        jv_add_u64(v, "errors", s->counts.errors);
        jv_add_u64(v, "docs_failed", s->counts.docs_failed);
        jv_add_u64(v, "late", s->counts.late);
        jv_add_u64(v, "in_flight", s->in_flight);
    }
}

/* Answers by status class: {"2xx": 5, ...}. */
static void add_classes(struct jv *parent, const struct recorder_counts *c)
{
    char name[8];
    struct jv *v = jv_add(parent, "answers", JV_OBJECT);
    for (unsigned i = 1; i < RECORDER_CLASSES; i++) {
        (void)snprintf(name, sizeof name, "%uxx", i);
        jv_add_u64(v, name, c->classes[i]);
    }
    jv_add_u64(v, "others", c->classes[0]);
}

static void add_task(struct jv *list, const struct session_task *t, size_t step,
                     uint64_t origin_ns)
{
    const struct recorder_counts *c = &t->sum->counts;
    const struct recorder_flow *f = &t->sum->flow;
    struct jv *v = jv_add(list, NULL, JV_OBJECT);
    jv_add_text(v, "task", t->work->name);
    jv_add_text(v, "operation", t->work->operation);
    jv_add_text(v, "unit", t->work->bulk ? "docs" : "ops");
    jv_add_u64(v, "clients", t->work->own);
    jv_add_u64(v, "step", step);
    jv_add_u64(v, "begin_ns", t->window.begin_ns - origin_ns);
    jv_add_u64(v, "window_ns", t->window_ns);
    jv_add_u64(v, "ops", c->ops);
    jv_add_u64(v, "docs", c->docs);
    jv_add_u64(v, "bytes", c->bytes);
    jv_add_u64(v, "received", c->received);
    jv_add_u64(v, "errors", c->errors);
    jv_add_u64(v, "docs_failed", c->docs_failed);
    jv_add_u64(v, "lost", c->lost);
    jv_add_u64(v, "unsent", c->unsent);
    jv_add_u64(v, "given_up", c->given_up);
    add_classes(v, c);
    jv_add_number(v, "offered_s", t->offered_s);
    jv_add_number(v, "achieved_s",
                  measure_rate(c->ops + c->errors, t->window_ns));
    jv_add_u64(v, "late", c->late);
    jv_add_u64(v, "dropped", c->dropped);
    jv_add_text(v, "error_text", t->sum->error_text);
    jv_add_number(v, "ops_s", measure_rate(f->ops, t->window_ns));
    jv_add_number(v, "docs_s", measure_rate(f->docs, t->window_ns));
    jv_add_number(v, "bytes_s", measure_rate(f->bytes, t->window_ns));
    add_hist(v, "latency_ns", &t->sum->latency);
    add_hist(v, "service_ns", &t->sum->service);
    add_seconds(v, &t->series);
}

/* CPU time of each thread of each measured step. */
static void add_threads(struct jv *v, const struct course *c)
{
    struct jv *list = jv_add(v, "cpu_threads_ns", JV_ARRAY);
    for (size_t i = 0; i < c->n_sessions; i++) {
        const struct session *s = c->sessions[i];
        struct jv *step = jv_add(list, NULL, JV_ARRAY);
        for (uint32_t t = 0; t < session_driver(s)->threads; t++)
            jv_add_u64(step, NULL, session_thread_cpu(s, t));
    }
}

/* The rules by which the driver was the limit of each measured step; "" for
 * none. */
static void add_limits(struct jv *v, const struct course *c)
{
    char text[LIMIT_BYTES];
    struct jv *list = jv_add(v, "limits", JV_ARRAY);
    for (size_t i = 0; i < c->n_sessions; i++)
        jv_add_text(list, NULL,
                    was_limit(c->sessions[i], text, sizeof text) ? text + 2
                                                                 : "");
}

static void add_driver(struct jv *root, const struct course *c)
{
    const struct session_driver d = course_driver(c);
    struct jv *v = jv_add(root, "driver", JV_OBJECT);
    jv_add_text(v, "engine", d.engine);
    jv_add_u64(v, "threads", d.threads);
    jv_add_u64(v, "window_ns", d.window_ns);
    jv_add_u64(v, "docs_acked", d.totals.docs_acked);
    jv_add_u64(v, "docs_refused", d.totals.docs_refused);
    jv_add_u64(v, "docs_unknown", d.totals.docs_unknown);
    jv_add_u64(v, "docs_assumed", d.totals.docs_assumed);
    jv_add_u64(v, "requests", d.totals.requests);
    jv_add_u64(v, "body_bytes", d.totals.body_bytes);
    jv_add_u64(v, "connects", d.stats.connects);
    jv_add_number(v, "reuse", reuse(&d));
    jv_add_u64(v, "connects_lost", d.stats.connects_lost);
    jv_add_u64(v, "retried", d.stats.retried);
    jv_add_u64(v, "cpu_user_ns", d.cpu_user_ns);
    jv_add_u64(v, "cpu_system_ns", d.cpu_system_ns);
    jv_add_u64(v, "cpu_max_ns", d.cpu_max_ns);
    add_threads(v, c);
    jv_add_u64(v, "loop_lag_max_ns", d.loop_lag_max_ns);
    jv_add_u64(v, "loop_lag_p75_ns", d.loop_lag_p75_ns);
    jv_add_u64(v, "loop_lag_p99_ns", d.loop_lag_p99_ns);
    jv_add_u64(v, "loop_lag_mean_ns", d.loop_lag_mean_ns);
    jv_add_u64(v, "late_p99_ns", d.late_p99_ns);
    jv_add_u64(v, "starts", d.starts);
    jv_add_u64(v, "send_blocked_ns", d.send_blocked_ns);
    jv_add_u64(v, "records_blocked", d.seconds_lost);
    add_limits(v, c);
}

void summary_print_json(FILE *to, const struct course *c)
{
    const struct job *job = c->config.job;
    struct jv *root = jv_new(JV_OBJECT);
    jv_add_u64(root, "version", 1);
    jv_add_text(root, "target", job->address.text);
    if (job->plan) {
        jv_add_text(root, "track", job->plan->track);
        jv_add_text(root, "challenge", job->plan->challenge);
    }
    origin_add(root, job);
    struct jv *tasks = jv_add(root, "tasks", JV_ARRAY);
    for (size_t i = 0; i < c->n_sessions; i++)
        for (size_t t = 0; t < session_tasks(c->sessions[i]); t++)
            if (session_task(c->sessions[i], t)->told)
                add_task(tasks, session_task(c->sessions[i], t), i,
                         session_origin(c->sessions[i]));
    add_driver(root, c);
    char *text = jv_print(root, true);
    (void)fprintf(to, "%s\n", text);
    free(text);
    jv_free(root);
}
