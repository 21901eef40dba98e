#include "load/worker.h"

#include <stdlib.h>

#include "common/clock.h"
#include "load/due.h"
#include "load/lane.h"

/* The loop wakes at least so often: to close seconds, to see a stop, to find
 * requests that take too long. */
#define TICK_NS   (20 * NS_PER_MS)
#define SEED_STEP 0x9e3779b97f4a7c15u

struct worker {
    struct worker_config config;
    struct engine *engine;
    struct lane *lanes; /* [n_lanes] */
    uint32_t n_lanes;
    struct recorder **recorders; /* [n_works] */
    struct due due;
    uint64_t drain_ns;
    uint64_t begin_ns, end_ns; /* first begin and last end of the windows */
    atomic_uint_least64_t stop_ns;
    bool stopped, begun, ended;
    uint32_t n_busy, n_over;
    struct worker_self self;
    uint64_t blocked_ns; /* at the window's begin */
};

static uint64_t now(const struct worker *w)
{
    return w->config.now_ns(w->config.ctx);
}

static void on_head(void *ctx, uint32_t lane, unsigned status)
{
    struct worker *w = ctx;
    lane_head(&w->lanes[lane], status);
}

static void on_body(void *ctx, uint32_t lane, const char *data, size_t len)
{
    struct worker *w = ctx;
    lane_body(&w->lanes[lane], data, len);
}

static void start(struct worker *w, uint32_t lane, uint64_t now_ns)
{
    w->n_busy++;
    w->config.ops->submit(w->engine, lane, lane_start(&w->lanes[lane], now_ns));
}

static uint64_t end_of(const struct worker *w, const struct lane *l)
{
    uint64_t end_ns = l->recorder->window.end_ns;
    return w->stopped && w->end_ns < end_ns ? w->end_ns : end_ns;
}

static void on_answer(void *ctx, uint32_t lane, const struct engine_answer *a)
{
    struct worker *w = ctx;
    struct lane *l = &w->lanes[lane];
    w->n_busy--;
    uint64_t next_ns = lane_finish(l, a, end_of(w, l));
    if (l->over)
        w->n_over++;
    else if (next_ns <= a->done_ns)
        start(w, lane, a->done_ns);
    else
        due_push(&w->due, next_ns, lane);
}

static const struct engine_events events = {
    .head = on_head, .body = on_body, .answer = on_answer};

/* Clients are dealt to threads in turn, over all tasks. */
static uint32_t deal(const struct worker_config *c, struct lane *lanes,
                     struct recorder **recorders)
{
    uint32_t n = 0, dealt = 0;
    for (size_t i = 0; i < c->n_works; i++)
        for (uint32_t client = 0; client < c->works[i].clients; client++) {
            if (!share_has(&c->share, c->works[i].number + client) ||
                dealt++ % c->n_threads != c->thread)
                continue;
            if (lanes)
                lanes[n] = (struct lane){
                    .work = &c->works[i],
                    .recorder = recorders[i],
                    .client = client,
                    .bodies = body_of(c->works[i].bodies, client)};
            n++;
        }
    return n;
}

static enum err allocate(struct worker *w, struct why *why)
{
    const struct measure_window none = {0};
    size_t n_works = w->config.n_works;
    w->n_lanes = deal(&w->config, NULL, NULL);
    w->lanes = calloc(w->n_lanes + 1, sizeof *w->lanes);
    w->recorders = calloc(n_works, sizeof(struct recorder *));
    w->due.entries = calloc(w->n_lanes + 1, sizeof *w->due.entries);
    w->due.cap = w->n_lanes;
    if (!w->lanes || !w->recorders || !w->due.entries)
        return err_set(why, ERR_NOMEM, "clients: out of memory");
    for (size_t i = 0; i < n_works; i++) {
        w->recorders[i] = recorder_new(&none);
        if (!w->recorders[i])
            return err_set(why, ERR_NOMEM, "histograms: out of memory");
    }
    (void)deal(&w->config, w->lanes, w->recorders);
    return ERR_OK;
}

enum err worker_open(struct worker **out, const struct worker_config *config,
                     struct why *why)
{
    *out = NULL;
    struct worker *w = calloc(1, sizeof *w);
    if (!w)
        return err_set(why, ERR_NOMEM, "clients: out of memory");
    w->config = *config;
    atomic_init(&w->stop_ns, UINT64_MAX);
    enum err e = allocate(w, why);
    if (!e) {
        w->config.engine.n_lanes = w->n_lanes;
        w->config.engine.events = &events;
        w->config.engine.ctx = w;
        e = config->ops->open(&w->engine, &w->config.engine, why);
    }
    for (uint32_t i = 0; !e && i < w->n_lanes; i++)
        e = config->ops->connect(w->engine, i, why);
    if (e) {
        worker_close(w);
        return e;
    }
    *out = w;
    return ERR_OK;
}

void worker_close(struct worker *w)
{
    if (!w)
        return;
    w->config.ops->close(w->engine);
    for (size_t i = 0; w->recorders && i < w->config.n_works; i++)
        recorder_free(w->recorders[i]);
    free(w->recorders);
    free(w->due.entries);
    free(w->lanes);
    free(w);
}

uint32_t worker_lanes(const struct worker *w)
{
    return w->n_lanes;
}

struct recorder *worker_recorder(struct worker *w, size_t i)
{
    return w->recorders[i];
}

void worker_stop(struct worker *w, uint64_t at_ns)
{
    atomic_store_explicit(&w->stop_ns, at_ns, memory_order_relaxed);
}

/* The window of work i by run, or by its own times. */
static struct measure_window window_of(const struct work *work,
                                       const struct worker_run *run)
{
    uint64_t warmup_ns = run->measure_ns ? run->warmup_ns : work->warmup_ns;
    uint64_t measure_ns = run->measure_ns ? run->measure_ns : work->measure_ns;
    struct measure_window window =
        measure_window(run->t0_ns, warmup_ns, measure_ns);
    if (!measure_ns) { /* all of it is measured, however long it takes */
        window.begin_ns = run->t0_ns;
        window.end_ns = UINT64_MAX;
    }
    return window;
}

void worker_prepare(struct worker *w, const struct worker_run *run)
{
    w->drain_ns = run->drain_ns;
    w->begin_ns = UINT64_MAX;
    w->end_ns = 0;
    for (size_t i = 0; i < w->config.n_works; i++) {
        struct measure_window window = window_of(&w->config.works[i], run);
        recorder_reset(w->recorders[i], &window);
        if (window.begin_ns < w->begin_ns)
            w->begin_ns = window.begin_ns;
        if (window.end_ns > w->end_ns)
            w->end_ns = window.end_ns;
    }
    for (uint32_t i = 0; i < w->n_lanes; i++) {
        struct lane *l = &w->lanes[i];
        bool once = l->recorder->window.end_ns == UINT64_MAX;
        /* Two tasks must not draw the same times either. */
        uint64_t seed =
            w->config.seed + (uint64_t)(l->work - w->config.works) * SEED_STEP;
        uint64_t due_ns = lane_begin(l, run->t0_ns, seed, once);
        if (l->over)
            w->n_over++;
        else
            due_push(&w->due, due_ns, i);
    }
}

/* Start who is due; whether anybody was. */
static bool start_due(struct worker *w, uint64_t now_ns)
{
    bool any = false;
    while (due_first(&w->due) <= now_ns) {
        uint32_t lane = due_pop(&w->due);
        struct lane *l = &w->lanes[lane];
        if (now_ns < end_of(w, l)) {
            start(w, lane, now_ns);
            any = true;
            continue;
        }
        lane_end(l, end_of(w, l));
        w->n_over++;
    }
    return any;
}

/* The stop came: every window ends there, whoever waits is over. */
static void stop(struct worker *w, uint64_t stop_ns)
{
    w->stopped = true;
    if (stop_ns < w->end_ns)
        w->end_ns = stop_ns;
    for (size_t i = 0; i < w->config.n_works; i++) {
        struct measure_window *window = &w->recorders[i]->window;
        if (w->end_ns < window->end_ns)
            window->end_ns =
                w->end_ns > window->begin_ns ? w->end_ns : window->begin_ns;
    }
    while (w->due.n) {
        struct lane *l = &w->lanes[due_pop(&w->due)];
        lane_end(l, end_of(w, l));
        w->n_over++;
    }
}

/* Window edges for the loop's own figures. */
static void look_at_self(struct worker *w, uint64_t now_ns)
{
    if (!w->begun && now_ns >= w->begin_ns) {
        w->begun = true;
        w->self.loop_lag_max_ns = 0;
        w->blocked_ns = w->config.ops->stats(w->engine, now_ns).send_blocked_ns;
    }
    if (w->begun && !w->ended && now_ns >= w->end_ns) {
        w->ended = true;
        w->self.send_blocked_ns =
            w->config.ops->stats(w->engine, now_ns).send_blocked_ns -
            w->blocked_ns;
    }
}

static void note_lag(struct worker *w, uint64_t lag_ns)
{
    if (!w->ended && lag_ns > w->self.loop_lag_max_ns)
        w->self.loop_lag_max_ns = lag_ns;
}

static void cancel_late(struct worker *w, uint64_t now_ns)
{
    bool drained = w->end_ns < UINT64_MAX && now_ns > w->end_ns &&
                   now_ns - w->end_ns >= w->drain_ns;
    for (uint32_t i = 0; i < w->n_lanes; i++) {
        const struct lane *l = &w->lanes[i];
        if (!l->body)
            continue;
        if (drained)
            w->config.ops->cancel(w->engine, i,
                                  "no answer when the drain ended");
        else if (now_ns > l->started_ns + l->work->timeout_ns)
            w->config.ops->cancel(w->engine, i, "no answer within the timeout");
    }
}

static void tick(struct worker *w, uint64_t now_ns)
{
    uint64_t stop_ns = atomic_load_explicit(&w->stop_ns, memory_order_relaxed);
    for (size_t i = 0; i < w->config.n_works; i++)
        recorder_tick(w->recorders[i], now_ns);
    look_at_self(w, now_ns);
    if (!w->stopped && now_ns >= stop_ns)
        stop(w, stop_ns);
    cancel_late(w, now_ns);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void worker_drive(struct worker *w)
{
    uint64_t tick_ns = 0, now_ns = now(w);
    while (w->n_busy || w->n_over < w->n_lanes) {
        if (start_due(w, now_ns)) {
            uint64_t before_ns = now_ns;
            now_ns = now(w);
            note_lag(w, now_ns - before_ns);
        }
        if (now_ns >= tick_ns) {
            tick(w, now_ns);
            tick_ns = now_ns + TICK_NS;
            if (!w->begun)
                tick_ns = earlier(tick_ns, w->begin_ns);
            else if (!w->ended)
                tick_ns = earlier(tick_ns, w->end_ns);
        }
        uint64_t until_ns = earlier(due_first(&w->due), tick_ns);
        uint64_t woke_ns = w->config.ops->wait(w->engine, now_ns, until_ns);
        now_ns = now(w);
        note_lag(w, now_ns - woke_ns);
        if (woke_ns > until_ns)
            note_lag(w, woke_ns - until_ns);
    }
    w->end_ns = earlier(w->end_ns, now_ns);
    tick(w, now_ns);
    w->self.stats = w->config.ops->stats(w->engine, now_ns);
}

struct worker_self worker_self(const struct worker *w)
{
    return w->self;
}
