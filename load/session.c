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
};

struct session {
    const struct job *job;
    struct thread *threads; /* [n_threads] */
    uint32_t n_threads;
    int ended_fd; /* eventfd, one for each thread that ended */
    uint32_t n_ended;
    struct session_task *tasks; /* [job->n_works] */
    struct session_driver driver;
    struct measure_window window;
    struct rusage begin;
    bool begun, over;
};

static uint64_t now(void *ctx)
{
    (void)ctx;
    return clock_mono_ns();
}

static uint32_t threads_of(const struct job *job)
{
    uint32_t n = job->options->load.threads;
    if (!n)
        n = 1;
    if (n > job->n_clients) /* one at least, also where a share has none */
        n = job->n_clients ? job->n_clients : 1;
    return n;
}

static enum err open_workers(struct session *s, struct why *why)
{
    const struct job *job = s->job;
    struct worker_config config = {
        .works = job->works,
        .n_works = job->n_works,
        .n_threads = s->n_threads,
        .share = job->options->share,
        .ops = &engine_raw,
        .engine = {.address = &job->address,
                   .congestion = job->options->congestion,
                   .requests_per_connection =
                       job->options->load.requests_per_connection},
        .now_ns = now,
        .seed = SEED};
    enum err e = ERR_OK;
    for (uint32_t i = 0; i < s->n_threads && !e; i++) {
        config.thread = i;
        s->threads[i].session = s;
        e = worker_open(&s->threads[i].worker, &config, why);
    }
    return e;
}

static enum err open_tasks(struct session *s, struct why *why)
{
    const struct measure_window none = {0};
    enum err e = ERR_OK;
    for (size_t i = 0; i < s->job->n_works && !e; i++) {
        s->tasks[i].work = &s->job->works[i];
        s->tasks[i].sum = recorder_new(&none);
        if (!s->tasks[i].sum)
            return err_set(why, ERR_NOMEM, "histograms: out of memory");
        e = series_init(&s->tasks[i].series, s->n_threads, why);
    }
    return e;
}

enum err session_open(struct session **out, const struct job *job,
                      struct why *why)
{
    enum err e = ERR_OK;
    *out = NULL;
    struct session *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(why, ERR_NOMEM, "threads: out of memory");
    s->job = job;
    s->n_threads = threads_of(job);
    s->threads = calloc(s->n_threads, sizeof *s->threads);
    s->tasks = calloc(job->n_works, sizeof *s->tasks);
    s->ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
    if (s->ended_fd < 0)
        e = err_errno(why, errno, "eventfd");
    else if (!s->threads || !s->tasks)
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

void session_close(struct session *s)
{
    if (!s)
        return;
    session_stop(s);
    join(s);
    for (uint32_t i = 0; s->threads && i < s->n_threads; i++)
        worker_close(s->threads[i].worker);
    for (size_t i = 0; s->tasks && i < s->job->n_works; i++) {
        recorder_free(s->tasks[i].sum);
        series_fini(&s->tasks[i].series);
    }
    if (s->ended_fd >= 0)
        (void)close(s->ended_fd);
    free(s->threads);
    free(s->tasks);
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

/* Without a length every body is sent once: all of them must be there. */
static enum err check_once(const struct session *s,
                           const struct worker_run *run, struct why *why)
{
    for (size_t i = 0; i < s->job->n_works && !run->measure_ns; i++) {
        const struct work *w = &s->job->works[i];
        if (!w->measure_ns && !body_is_complete(w->bodies))
            return err_set(why, ERR_STATE,
                           "task %s has no time-period, and its documents "
                           "exceed the %zu bytes of --memory: give a duration "
                           "or more memory",
                           w->name, s->job->options->load.memory_bytes);
    }
    return ERR_OK;
}

static struct measure_window whole_window(const struct session *s)
{
    struct measure_window all = {.begin_ns = UINT64_MAX};
    for (size_t i = 0; i < s->job->n_works; i++) {
        const struct measure_window *w =
            &worker_recorder(s->threads[0].worker, i)->window;
        all.t0_ns = w->t0_ns;
        if (w->begin_ns < all.begin_ns)
            all.begin_ns = w->begin_ns;
        if (w->end_ns > all.end_ns)
            all.end_ns = w->end_ns;
    }
    return all;
}

enum err session_start(struct session *s, const struct worker_run *run,
                       struct why *why)
{
    enum err e = check_once(s, run, why);
    if (e)
        return e;
    for (uint32_t i = 0; i < s->n_threads; i++)
        worker_prepare(s->threads[i].worker, run);
    s->window = whole_window(s);
    for (uint32_t i = 0; i < s->n_threads; i++) {
        int n = pthread_create(&s->threads[i].id, NULL, thread_main,
                               &s->threads[i]);
        if (n) {
            session_stop(s);
            return err_errno(why, n, "thread %u", i);
        }
        s->threads[i].runs = true;
    }
    return ERR_OK;
}

void session_stop(struct session *s)
{
    uint64_t now_ns = clock_mono_ns();
    for (uint32_t i = 0; s->threads && i < s->n_threads; i++)
        if (s->threads[i].worker)
            worker_stop(s->threads[i].worker, now_ns);
    if (now_ns < s->window.end_ns)
        s->window.end_ns = now_ns;
}

static uint64_t timeval_ns(const struct timeval *t)
{
    return (uint64_t)t->tv_sec * NS_PER_S + (uint64_t)t->tv_usec * 1000;
}

/* CPU time between the window's edges, as this thread passes them. */
static void watch_cpu(struct session *s, uint64_t now_ns)
{
    struct rusage usage;
    if (!s->begun && now_ns >= s->window.begin_ns) {
        s->begun = true;
        (void)getrusage(RUSAGE_SELF, &s->begin);
    }
    if (!s->begun || s->over ||
        (now_ns < s->window.end_ns && s->n_ended < s->n_threads))
        return;
    s->over = true;
    (void)getrusage(RUSAGE_SELF, &usage);
    s->driver.cpu_user_ns =
        timeval_ns(&usage.ru_utime) - timeval_ns(&s->begin.ru_utime);
    s->driver.cpu_system_ns =
        timeval_ns(&usage.ru_stime) - timeval_ns(&s->begin.ru_stime);
}

/* The next edge of the window, if it is before due_ns. */
static uint64_t next_edge(const struct session *s, uint64_t due_ns)
{
    uint64_t edge_ns = !s->begun  ? s->window.begin_ns
                       : !s->over ? s->window.end_ns
                                  : UINT64_MAX;
    return edge_ns < due_ns ? edge_ns : due_ns;
}

bool session_step(struct session *s, uint64_t wait_ns, int fd)
{
    struct pollfd fds[] = {{.fd = s->ended_fd, .events = POLLIN},
                           {.fd = fd, .events = POLLIN}};
    uint64_t now_ns = clock_mono_ns(), count;
    uint64_t due_ns = next_edge(s, now_ns + wait_ns);
    uint64_t left_ns = due_ns > now_ns ? due_ns - now_ns : 0;
    const struct timespec timeout = {.tv_sec = (time_t)(left_ns / NS_PER_S),
                                     .tv_nsec = (long)(left_ns % NS_PER_S)};
    (void)ppoll(fds, fd >= 0 ? 2 : 1, &timeout, NULL);
    while (read(s->ended_fd, &count, sizeof count) == sizeof count)
        s->n_ended++;
    watch_cpu(s, clock_mono_ns());
    for (size_t i = 0; i < s->job->n_works; i++)
        for (uint32_t t = 0; t < s->n_threads; t++)
            series_collect(&s->tasks[i].series,
                           worker_recorder(s->threads[t].worker, i));
    return s->n_ended == s->n_threads;
}

struct session_progress session_progress(const struct session *s)
{
    struct session_progress sum = {0};
    for (uint32_t t = 0; t < s->n_threads; t++)
        for (size_t i = 0; i < s->job->n_works; i++) {
            struct recorder *r = worker_recorder(s->threads[t].worker, i);
            sum.docs += atomic_load_explicit(&r->docs, memory_order_relaxed);
            sum.bytes += atomic_load_explicit(&r->bytes, memory_order_relaxed);
            sum.errors +=
                atomic_load_explicit(&r->errors, memory_order_relaxed);
        }
    return sum;
}

static void totals_add(struct recorder_totals *into,
                       const struct recorder_totals *t)
{
    into->docs_acked += t->docs_acked;
    into->docs_refused += t->docs_refused;
    into->docs_unknown += t->docs_unknown;
    into->requests += t->requests;
    into->body_bytes += t->body_bytes;
    into->errors += t->errors;
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
        if (!t || r->window.end_ns < task->sum->window.end_ns)
            task->sum->window = r->window; /* a stop ends it early */
    }
    series_end(&task->series);
    struct measure_window *w = &task->sum->window;
    if (w->end_ns == UINT64_MAX) /* ended by itself */
        w->end_ns = task->sum->last_done_ns > w->begin_ns
                        ? task->sum->last_done_ns
                        : w->begin_ns;
    task->window_ns = w->end_ns > w->begin_ns ? w->end_ns - w->begin_ns : 0;
    totals_add(&s->driver.totals, &task->sum->totals);
    s->driver.seconds_lost += task->sum->seconds_lost + task->series.lost;
}

static void finish_thread(struct session *s, const struct worker *worker)
{
    struct session_driver *d = &s->driver;
    struct worker_self self = worker_self(worker);
    d->stats.connects += self.stats.connects;
    d->stats.connects_lost += self.stats.connects_lost;
    d->stats.retried += self.stats.retried;
    if (self.loop_lag_max_ns > d->loop_lag_max_ns)
        d->loop_lag_max_ns = self.loop_lag_max_ns;
    if (self.send_blocked_ns > d->send_blocked_ns)
        d->send_blocked_ns = self.send_blocked_ns;
}

void session_finish(struct session *s)
{
    join(s);
    s->driver.engine = engine_raw.name;
    s->driver.threads = s->n_threads;
    for (size_t i = 0; i < s->job->n_works; i++)
        finish_task(s, i);
    for (uint32_t t = 0; t < s->n_threads; t++)
        finish_thread(s, s->threads[t].worker);
    uint64_t end_ns = 0;
    for (size_t i = 0; i < s->job->n_works; i++)
        if (s->tasks[i].sum->window.end_ns > end_ns)
            end_ns = s->tasks[i].sum->window.end_ns;
    s->window.end_ns = end_ns;
}

const struct session_task *session_task(const struct session *s, size_t i)
{
    return &s->tasks[i];
}

const struct session_driver *session_driver(const struct session *s)
{
    return &s->driver;
}

double session_offered(const struct session_task *t)
{
    const struct work *w = t->work;
    struct body_list first = body_of(w->bodies, 0);
    if (w->pacing == PACER_CLOSED)
        return 0;
    double own_s = w->rate_s * w->own / w->clients;
    return w->rate_docs ? own_s / first.items[first.first].docs : own_s;
}

struct measure_window session_window(const struct session *s)
{
    return s->window;
}
