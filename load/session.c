#include "load/session.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/clock.h"

#define SEED 1u /* of Poisson arrivals: the same in every trial */

struct thread {
    struct session *session;
    struct worker *worker;
    pthread_t id;
    bool runs;
    uint64_t cpu_ns; /* in the windows */
};

struct session {
    const struct job *job;
    const struct step *step;
    struct thread *threads; /* [n_threads] */
    uint32_t n_threads;
    int ended_fd; /* eventfd, one for each thread that ended */
    uint32_t n_ended;
    struct session_task *tasks;     /* [step->n_works] */
    struct stage_task *stage_tasks; /* [step->n_works] */
    struct stage stage;
    struct session_driver driver;
    struct session_progress progress; /* once finished */
    struct rusage begin;
    bool begun, over, finished;
};

static uint64_t now(void *ctx)
{
    (void)ctx;
    return clock_mono_ns();
}

static uint64_t thread_cpu(void *ctx)
{
    struct timespec t;
    (void)ctx;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* No more than there are slots with a client of ours; but one. */
static uint32_t threads_of(const struct job *job, const struct step *step)
{
    uint64_t most = 0;
    uint32_t n = job->options->load.threads;
    for (size_t i = 0; i < step->n_works; i++)
        most += step->works[i].own;
    if (most > step->slots)
        most = step->slots;
    if (n > most)
        n = (uint32_t)most;
    return n ? n : 1;
}

static enum err open_workers(struct session *s, struct why *why)
{
    const struct job *job = s->job;
    struct worker_config config = {
        .step = s->step,
        .n_threads = s->n_threads,
        .ops = job->ops,
        .engine = {.address = &job->address,
                   .others = job->others,
                   .n_others = job->n_others,
                   .lane_step = s->n_threads,
                   .http = job->options->http,
                   .congestion = job->options->congestion,
                   .requests_per_connection =
                       job->options->load.requests_per_connection},
        .now_ns = now,
        .cpu_ns = thread_cpu,
        .seed = SEED};
    enum err e = ERR_OK;
    for (uint32_t i = 0; i < s->n_threads && !e; i++) {
        config.thread = i;
        config.engine.lane_first = i;
        s->threads[i].session = s;
        e = worker_open(&s->threads[i].worker, &config, why);
    }
    return e;
}

static enum err open_tasks(struct session *s, struct why *why)
{
    const struct measure_window none = {0};
    enum err e = ERR_OK;
    for (size_t i = 0; i < s->step->n_works && !e; i++) {
        s->tasks[i].work = &s->step->works[i];
        s->tasks[i].sum = recorder_new(&none);
        if (!s->tasks[i].sum)
            return err_set(why, ERR_NOMEM, "histograms: out of memory");
        e = series_init(&s->tasks[i].series, s->n_threads, why);
    }
    return e;
}

enum err session_open(struct session **out, const struct job *job,
                      const struct step *step, struct why *why)
{
    enum err e = ERR_OK;
    *out = NULL;
    struct session *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(why, ERR_NOMEM, "threads: out of memory");
    s->job = job;
    s->step = step;
    s->n_threads = threads_of(job, step);
    s->threads = calloc(s->n_threads, sizeof *s->threads);
    s->tasks = calloc(step->n_works, sizeof *s->tasks);
    s->stage_tasks = calloc(step->n_works, sizeof *s->stage_tasks);
    s->ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
    if (s->ended_fd < 0)
        e = err_errno(why, errno, "eventfd");
    else if (!s->threads || !s->tasks || !s->stage_tasks)
        e = err_set(why, ERR_NOMEM, "threads: out of memory");
    if (!e)
        e = open_tasks(s, why);
    if (!e)
        e = open_workers(s, why);
    if (e) {
        session_close(s);
        return e;
    }
    *out = s;
    return ERR_OK;
}

static void join(struct session *s)
{
    for (uint32_t i = 0; s->threads && i < s->n_threads; i++)
        if (s->threads[i].runs) {
            (void)pthread_join(s->threads[i].id, NULL);
            s->threads[i].runs = false;
        }
}

static void close_workers(struct session *s)
{
    for (uint32_t i = 0; s->threads && i < s->n_threads; i++) {
        worker_close(s->threads[i].worker);
        s->threads[i].worker = NULL;
    }
}

void session_close(struct session *s)
{
    if (!s)
        return;
    session_stop(s, 0);
    join(s);
    close_workers(s);
    for (size_t i = 0; s->tasks && i < s->step->n_works; i++) {
        recorder_free(s->tasks[i].sum);
        series_fini(&s->tasks[i].series);
    }
    if (s->ended_fd >= 0)
        (void)close(s->ended_fd);
    free(s->threads);
    free(s->tasks);
    free(s->stage_tasks);
    free(s);
}

static void *thread_main(void *arg)
{
    struct thread *t = arg;
    const uint64_t one = 1;
    /* Sleeps end when they should, not up to 50 us later. */
    (void)prctl(PR_SET_TIMERSLACK, 1);
    worker_drive(t->worker);
    ssize_t n = write(t->session->ended_fd, &one, sizeof one);
    (void)n; /* an eventfd takes it */
    return NULL;
}

/* What ends the task must exist: time, operations, its documents, another. */
static enum err check_end(const struct session *s, size_t i, struct why *why)
{
    const struct work *w = &s->step->works[i];
    const struct stage_term *term = &s->stage.tasks[i].term;
    size_t by = s->step->completed_by;
    bool by_others = by == STEP_BY_ANY ? s->step->n_works > 1
                                       : by != STEP_BY_NONE && by != i &&
                                             (s->stage.run.meets ||
                                              s->step->works[by].own > 0);
    if (!w->looped && !body_is_complete(w->bodies))
        return err_set(why, ERR_STATE,
                       "task %s: its documents exceed the %zu bytes of "
                       "--memory: give more memory, or \"looped\": true",
                       w->name, s->job->options->load.memory_bytes);
    if (w->looped && !term->measure_ns && !term->ops && !by_others)
        return err_set(why, ERR_STATE,
                       "task %s would never end: give a duration, or its "
                       "time-period or iterations",
                       w->name);
    if (w->ramp_up_ns > term->warmup_ns)
        return err_set(why, ERR_INVALID,
                       "task %s: its ramp-up of %.3f s is longer than the "
                       "warm-up of %.3f s",
                       w->name, (double)w->ramp_up_ns / 1e9,
                       (double)term->warmup_ns / 1e9);
    return ERR_OK;
}

enum err session_start(struct session *s, const struct stage_run *run,
                       struct why *why)
{
    enum err e = ERR_OK;
    stage_init(&s->stage, s->step, s->stage_tasks, run);
    for (size_t i = 0; i < s->step->n_works && !e; i++)
        e = check_end(s, i, why);
    if (e)
        return e;
    for (uint32_t i = 0; i < s->n_threads; i++)
        worker_prepare(s->threads[i].worker, &s->stage);
    for (uint32_t i = 0; i < s->n_threads; i++) {
        int n = pthread_create(&s->threads[i].id, NULL, thread_main,
                               &s->threads[i]);
        if (n) {
            session_stop(s, 0);
            return err_errno(why, n, "thread %u", i);
        }
        s->threads[i].runs = true;
    }
    return ERR_OK;
}

void session_stop(struct session *s, uint64_t at_ns)
{
    uint64_t now_ns = clock_mono_ns();
    if (!s->stage.step)
        return;
    if (at_ns)
        stage_stop(&s->stage, at_ns > now_ns ? at_ns : now_ns);
    else
        stage_abort(&s->stage, now_ns);
}

static uint64_t timeval_ns(const struct timeval *t)
{
    return (uint64_t)t->tv_sec * NS_PER_S + (uint64_t)t->tv_usec * 1000;
}

/* CPU time between the windows' edges, as this thread passes them; returns the
 * next one. */
static uint64_t watch_cpu(struct session *s, uint64_t now_ns)
{
    struct rusage usage;
    uint64_t begin_ns, end_ns;
    stage_edges(&s->stage, &begin_ns, &end_ns);
    if (!s->begun && now_ns >= begin_ns) {
        s->begun = true;
        (void)getrusage(RUSAGE_SELF, &s->begin);
    }
    if (s->begun && !s->over &&
        (now_ns >= end_ns || s->n_ended == s->n_threads)) {
        s->over = true;
        (void)getrusage(RUSAGE_SELF, &usage);
        s->driver.cpu_user_ns =
            timeval_ns(&usage.ru_utime) - timeval_ns(&s->begin.ru_utime);
        s->driver.cpu_system_ns =
            timeval_ns(&usage.ru_stime) - timeval_ns(&s->begin.ru_stime);
    }
    return !s->begun ? begin_ns : !s->over ? end_ns : UINT64_MAX;
}

bool session_step(struct session *s, uint64_t wait_ns, int fd)
{
    struct pollfd fds[] = {{.fd = s->ended_fd, .events = POLLIN},
                           {.fd = fd, .events = POLLIN}};
    uint64_t now_ns = clock_mono_ns(), count;
    uint64_t edge_ns = watch_cpu(s, now_ns), due_ns = now_ns + wait_ns;
    if (edge_ns < due_ns)
        due_ns = edge_ns;
    uint64_t left_ns = due_ns > now_ns ? due_ns - now_ns : 0;
    const struct timespec timeout = {.tv_sec = (time_t)(left_ns / NS_PER_S),
                                     .tv_nsec = (long)(left_ns % NS_PER_S)};
    (void)ppoll(fds, fd >= 0 ? 2 : 1, &timeout, NULL);
    while (read(s->ended_fd, &count, sizeof count) == sizeof count)
        s->n_ended++;
    (void)watch_cpu(s, clock_mono_ns());
    for (size_t i = 0; i < s->step->n_works; i++)
        for (uint32_t t = 0; t < s->n_threads; t++)
            series_collect(&s->tasks[i].series,
                           worker_recorder(s->threads[t].worker, i));
    return s->n_ended == s->n_threads;
}

struct session_progress session_progress(const struct session *s)
{
    struct session_progress sum = s->progress;
    sum.completed = stage_completed(&s->stage);
    for (uint32_t t = 0; !s->finished && t < s->n_threads; t++)
        for (size_t i = 0; i < s->step->n_works; i++) {
            struct recorder *r = worker_recorder(s->threads[t].worker, i);
            sum.requests +=
                atomic_load_explicit(&r->requests, memory_order_relaxed);
            sum.docs += atomic_load_explicit(&r->docs, memory_order_relaxed);
            sum.bytes += atomic_load_explicit(&r->bytes, memory_order_relaxed);
            sum.errors +=
                atomic_load_explicit(&r->errors, memory_order_relaxed);
        }
    return sum;
}

/* The window as it was found out; what never ended did so with its last answer,
 * what never began has none. */
static void close_window(struct session *s, size_t i)
{
    const struct span *span = &s->stage.tasks[i].span;
    struct session_task *task = &s->tasks[i];
    struct measure_window *w = &task->window;
    *w = (struct measure_window){.t0_ns = s->stage.run.t0_ns,
                                 .begin_ns = span_begin(span),
                                 .end_ns = span_end(span)};
    if (w->end_ns == UINT64_MAX)
        w->end_ns = task->sum->last_done_ns;
    if (w->begin_ns > w->end_ns)
        w->begin_ns = w->end_ns;
    task->window_ns = w->end_ns - w->begin_ns;
}

/* Operations per second, of those that were sent: bulks differ in size. */
static double offered(const struct work *w, const struct totals *sent)
{
    double own_s = w->rate_s * w->own / w->clients;
    uint64_t docs = sent->docs_acked + sent->docs_refused + sent->docs_unknown;
    if (w->pacing == PACER_CLOSED)
        return 0;
    if (!w->rate_docs)
        return own_s;
    return own_s / (docs ? (double)docs / (double)sent->requests
                         : body_mean_docs(w->bodies));
}

static void finish_task(struct session *s, size_t i)
{
    struct session_task *task = &s->tasks[i];
    for (uint32_t t = 0; t < s->n_threads; t++) {
        struct recorder *r = worker_recorder(s->threads[t].worker, i);
        series_collect(&task->series, r);
        recorder_end(r);
        series_collect(&task->series, r);
        recorder_merge(task->sum, r);
    }
    series_end(&task->series);
    close_window(s, i);
    task->offered_s = offered(task->work, &task->sum->totals);
    task->told = !task->work->hidden || task->sum->totals.errors;
    totals_add(&s->driver.totals, &task->sum->totals);
    s->driver.seconds_lost += task->sum->seconds_lost + task->series.lost;
}

static void finish_thread(struct session *s, struct thread *t)
{
    struct session_driver *d = &s->driver;
    const struct self *self = worker_self(t->worker);
    struct engine_stats stats = worker_stats(t->worker);
    t->cpu_ns = self->cpu_ns;
    d->stats.connects += stats.connects;
    d->stats.connects_lost += stats.connects_lost;
    d->stats.retried += stats.retried;
    if (self->cpu_ns > d->cpu_max_ns)
        d->cpu_max_ns = self->cpu_ns;
    if (self->blocked_ns > d->send_blocked_ns)
        d->send_blocked_ns = self->blocked_ns;
}

/* Of all threads' moments and operations together. */
static void finish_self(struct session *s)
{
    struct session_driver *d = &s->driver;
    struct self *sum = calloc(1, sizeof *sum);
    for (uint32_t t = 0; sum && t < s->n_threads; t++)
        self_merge(sum, worker_self(s->threads[t].worker));
    if (sum) {
        d->loop_lag_max_ns = sum->lag_max_ns;
        d->loop_lag_p75_ns = hist_percentile(&sum->lag, 0.75);
        d->loop_lag_p99_ns = hist_percentile(&sum->lag, 0.99);
        d->loop_lag_mean_ns = self_wait(sum);
        d->late_p99_ns = hist_percentile(&sum->late, 0.99);
        d->starts = sum->late.total;
    }
    free(sum);
}

void session_finish(struct session *s)
{
    uint64_t begin_ns, end_ns;
    join(s);
    stage_edges(&s->stage, &begin_ns, &end_ns);
    s->driver.engine = s->job->ops->name;
    s->driver.threads = s->n_threads;
    s->progress = session_progress(s);
    for (size_t i = 0; i < s->step->n_works; i++)
        finish_task(s, i);
    for (uint32_t t = 0; t < s->n_threads; t++)
        finish_thread(s, &s->threads[t]);
    finish_self(s);
    for (size_t i = 0; end_ns == UINT64_MAX && i < s->step->n_works; i++)
        end_ns = s->tasks[i].window.end_ns;
    s->driver.window_ns = end_ns > begin_ns ? end_ns - begin_ns : 0;
    s->finished = true;
    close_workers(s);
}

size_t session_tasks(const struct session *s)
{
    return s->step->n_works;
}

const struct session_task *session_task(const struct session *s, size_t i)
{
    return &s->tasks[i];
}

const struct session_driver *session_driver(const struct session *s)
{
    return &s->driver;
}

uint64_t session_thread_cpu(const struct session *s, uint32_t thread)
{
    return s->threads[thread].cpu_ns;
}

uint64_t session_origin(const struct session *s)
{
    return s->stage.origin_ns;
}
