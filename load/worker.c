#include "load/worker.h"

#include <stdlib.h>

#include "common/clock.h"
#include "load/deal.h"
#include "load/due.h"
#include "load/lane.h"

/* The loop wakes at least so often: to close seconds, to see a stop, to find
 * requests that take too long. */
#define TICK_NS   (20 * NS_PER_MS)
#define SEED_STEP 0x9e3779b97f4a7c15u

struct worker {
    struct worker_config config;
    struct engine *engine;
    struct deal_client *clients; /* [n_lanes] */
    struct lane *lanes;          /* [n_lanes], as the clients */
    uint32_t n_lanes, n_conns;
    uint32_t *owners;            /* [n_conns]: the lane that uses it now */
    struct recorder **recorders; /* [step->n_works] */
    struct due due;
    struct stage *stage;
    bool stopped, begun, ended;
    uint32_t n_busy, n_over;
    struct self self;
    uint64_t cpu_ns, blocked_ns; /* at the window's begin */
    struct engine_stats stats;
};

static uint64_t now(const struct worker *w)
{
    return w->config.now_ns(w->config.ctx);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The connection's number among its lane's. */
static uint32_t conn_of(const struct worker *w, uint32_t conn)
{
    return conn - w->clients[w->owners[conn]].conn;
}

static void on_head(void *ctx, uint32_t conn, unsigned status)
{
    struct worker *w = ctx;
    lane_head(&w->lanes[w->owners[conn]], conn_of(w, conn), status);
}

static void on_body(void *ctx, uint32_t conn, const char *data, size_t len)
{
    struct worker *w = ctx;
    lane_body(&w->lanes[w->owners[conn]], conn_of(w, conn), data, len);
}

static void start_parts(struct worker *w, struct lane *l, uint32_t conn)
{
    for (uint32_t i = 0; i < l->work->conns; i++) {
        const struct body *body = parts_start(l->parts, i);
        if (!body)
            break;
        w->config.ops->submit(w->engine, conn + i, &body->request);
    }
}

static void start(struct worker *w, uint32_t lane, uint64_t now_ns)
{
    struct lane *l = &w->lanes[lane];
    uint64_t could_ns =
        l->intended_ns > l->free_ns ? l->intended_ns : l->free_ns;
    if (w->begun && !w->ended)
        hist_record(&w->self.late, now_ns > could_ns ? now_ns - could_ns : 0);
    w->n_busy++;
    const struct engine_request *request = lane_start(l, now_ns);
    if (request)
        w->config.ops->submit(w->engine, w->clients[lane].conn, request);
    else
        start_parts(w, l, w->clients[lane].conn);
}

/* Begin the first client that has something to do, from this one on in its
 * slot; those that have nothing are over. */
static void begin(struct worker *w, uint32_t lane, uint64_t t0_ns);

/* A lane is over: so may be its task, and the next one in its slot begins, not
 * before free_ns. */
static void over(struct worker *w, uint32_t lane, uint64_t free_ns)
{
    const struct deal_client *c = &w->clients[lane];
    const struct lane *l = &w->lanes[lane];
    w->n_over++;
    if (c->ends_task && !l->idle)
        span_finish(l->span, l->over_ns);
    stage_over(w->stage, c->work, l->over_ns, l->idle);
    if (!c->ends)
        begin(w, lane + 1, l->over_ns > free_ns ? l->over_ns : free_ns);
}

static void begin(struct worker *w, uint32_t lane, uint64_t t0_ns)
{
    const struct deal_client *c = &w->clients[lane];
    struct lane *l = &w->lanes[lane];
    for (uint32_t i = 0; i < l->work->conns; i++)
        w->owners[c->conn + i] = lane;
    if (t0_ns >= stage_stopped(w->stage)) {
        l->over = true;
        l->idle = true;
        l->over_ns = t0_ns;
        over(w, lane, t0_ns);
        return;
    }
    /* Two tasks must not draw the same times either. */
    uint64_t seed = w->config.seed + c->work * SEED_STEP;
    uint64_t due_ns =
        lane_begin(l, &w->stage->tasks[c->work].term, t0_ns, seed);
    if (l->over)
        over(w, lane, t0_ns);
    else
        due_push(&w->due, due_ns, lane);
}

/* The answer of the whole operation; NULL: it goes on. */
static const struct engine_answer *whole(struct worker *w, struct lane *l,
                                         uint32_t conn,
                                         const struct engine_answer *a)
{
    const struct engine_request *next;
    if (!l->parts && !l->scroll)
        return a;
    next = l->parts ? lane_part(l, conn_of(w, conn), a) : lane_page(l, a);
    if (next)
        w->config.ops->submit(w->engine, conn, next);
    if (l->parts)
        return l->parts->n_busy ? NULL : &l->parts->sum;
    return next ? NULL : &l->scroll->sum;
}

static void on_answer(void *ctx, uint32_t conn, const struct engine_answer *a)
{
    struct worker *w = ctx;
    uint32_t lane = w->owners[conn];
    struct lane *l = &w->lanes[lane];
    a = whole(w, l, conn, a);
    if (!a)
        return;
    w->n_busy--;
    uint64_t next_ns = lane_finish(l, a, stage_stopped(w->stage));
    if (l->over)
        over(w, lane, a->done_ns);
    else if (next_ns <= a->done_ns)
        start(w, lane, a->done_ns);
    else
        due_push(&w->due, next_ns, lane);
}

static const struct engine_events events = {
    .head = on_head, .body = on_body, .answer = on_answer};

/* Room for a composite lane's parts; NULL: no memory. */
static struct parts *parts_new(const struct lane *l)
{
    struct parts *p = calloc(1, sizeof *p);
    struct parts_conn *conns = calloc(l->work->conns, sizeof *conns);
    if (!p || !conns) {
        free(p);
        free(conns);
        return NULL;
    }
    *p = (struct parts){
        .work = l->work, .bodies = l->bodies.items, .conns = conns};
    return p;
}

static enum err make_lanes(struct worker *w, struct why *why)
{
    const struct step *step = w->config.step;
    for (uint32_t i = 0; i < w->n_lanes; i++) {
        const struct deal_client *c = &w->clients[i];
        struct lane *l = &w->lanes[i];
        const struct work *work = &step->works[c->work];
        *l = (struct lane){.work = work,
                           .recorder = w->recorders[c->work],
                           .client = c->client,
                           .bodies = body_of(work->bodies, c->client)};
        bool scrolls = work->requests && work->requests->pages && l->bodies.n;
        if (work->n_streams)
            l->parts = parts_new(l);
        if (scrolls)
            l->scroll = scroll_new(work->requests, &l->bodies.items->request);
        if ((work->n_streams && !l->parts) || (scrolls && !l->scroll))
            return err_set(why, ERR_NOMEM, "clients: out of memory");
    }
    return ERR_OK;
}

static enum err allocate(struct worker *w, struct why *why)
{
    const struct worker_config *c = &w->config;
    const struct measure_window none = {0};
    w->n_lanes = deal(c->step, c->thread, c->n_threads, NULL, &w->n_conns);
    w->clients = calloc(w->n_lanes + 1, sizeof *w->clients);
    w->lanes = calloc(w->n_lanes + 1, sizeof *w->lanes);
    w->owners = calloc(w->n_conns + 1, sizeof *w->owners);
    w->recorders = calloc(c->step->n_works, sizeof(struct recorder *));
    w->due.entries = calloc(w->n_lanes + 1, sizeof *w->due.entries);
    w->due.cap = w->n_lanes;
    if (!w->clients || !w->lanes || !w->owners || !w->recorders ||
        !w->due.entries)
        return err_set(why, ERR_NOMEM, "clients: out of memory");
    (void)deal(c->step, c->thread, c->n_threads, w->clients, &w->n_conns);
    for (size_t i = 0; i < c->step->n_works; i++) {
        w->recorders[i] = recorder_new(&none);
        if (!w->recorders[i])
            return err_set(why, ERR_NOMEM, "histograms: out of memory");
    }
    return make_lanes(w, why);
}

enum err worker_open(struct worker **out, const struct worker_config *config,
                     struct why *why)
{
    *out = NULL;
    struct worker *w = calloc(1, sizeof *w);
    if (!w)
        return err_set(why, ERR_NOMEM, "clients: out of memory");
    w->config = *config;
    enum err e = allocate(w, why);
    if (!e) {
        w->config.engine.n_lanes = w->n_conns;
        w->config.engine.events = &events;
        w->config.engine.ctx = w;
        e = config->ops->open(&w->engine, &w->config.engine, why);
    }
    for (uint32_t i = 0; !e && i < w->n_conns; i++)
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
    for (size_t i = 0; w->recorders && i < w->config.step->n_works; i++)
        recorder_free(w->recorders[i]);
    for (uint32_t i = 0; w->lanes && i < w->n_lanes; i++) {
        scroll_free(w->lanes[i].scroll);
        if (w->lanes[i].parts)
            free(w->lanes[i].parts->conns);
        free(w->lanes[i].parts);
    }
    free(w->recorders);
    free(w->due.entries);
    free(w->owners);
    free(w->clients);
    free(w->lanes);
    free(w);
}

struct recorder *worker_recorder(struct worker *w, size_t i)
{
    return w->recorders[i];
}

void worker_prepare(struct worker *w, struct stage *stage)
{
    w->stage = stage;
    for (size_t i = 0; i < w->config.step->n_works; i++)
        recorder_share(w->recorders[i], &stage->tasks[i].span, stage->run.t0_ns,
                       stage->origin_ns);
    for (uint32_t i = 0; i < w->n_lanes; i++) {
        const struct deal_client *c = &w->clients[i];
        w->lanes[i].span = &stage->tasks[c->work].span;
        w->lanes[i].first = stage_is_first(stage, c->work, c->client);
    }
    for (uint32_t i = 0; i < w->n_lanes; i++)
        if (w->clients[i].begins)
            begin(w, i, stage->run.t0_ns);
}

/* Start who is due; whether anybody was. */
static bool start_due(struct worker *w, uint64_t now_ns)
{
    bool any = false;
    while (due_first(&w->due) <= now_ns) {
        uint32_t lane = due_pop(&w->due);
        struct lane *l = &w->lanes[lane];
        uint64_t end_ns = earlier(l->end_ns, stage_stopped(w->stage));
        if (now_ns < end_ns) {
            start(w, lane, now_ns);
            any = true;
            continue;
        }
        lane_end(l, end_ns);
        over(w, lane, end_ns);
    }
    return any;
}

/* The stop came: whoever waits is over. */
static void stop(struct worker *w, uint64_t stop_ns)
{
    w->stopped = true;
    while (w->due.n) {
        uint32_t lane = due_pop(&w->due);
        lane_end(&w->lanes[lane], stop_ns);
        over(w, lane, stop_ns);
    }
}

static uint64_t cpu(const struct worker *w)
{
    return w->config.cpu_ns ? w->config.cpu_ns(w->config.ctx) : 0;
}

/* The window is over, or the work. */
static void leave(struct worker *w, uint64_t now_ns)
{
    w->ended = true;
    w->self.cpu_ns = cpu(w) - w->cpu_ns;
    w->self.blocked_ns =
        w->config.ops->stats(w->engine, now_ns).send_blocked_ns - w->blocked_ns;
}

/* Window edges for the loop's own figures; returns the next one. */
static uint64_t look_at_self(struct worker *w, uint64_t now_ns)
{
    uint64_t begin_ns, end_ns;
    stage_edges(w->stage, &begin_ns, &end_ns);
    if (!w->begun && now_ns >= begin_ns) {
        w->begun = true;
        self_reset(&w->self);
        w->cpu_ns = cpu(w);
        w->blocked_ns = w->config.ops->stats(w->engine, now_ns).send_blocked_ns;
    }
    if (w->begun && !w->ended && now_ns >= end_ns)
        leave(w, now_ns);
    return !w->begun ? begin_ns : !w->ended ? end_ns : UINT64_MAX;
}

/* All requests of the operation under way, not of one that follows at once. */
static void cancel(struct worker *w, uint32_t lane, const char *text)
{
    const struct lane *l = &w->lanes[lane];
    uint64_t started_ns = l->started_ns;
    for (uint32_t i = 0; i < l->work->conns && l->body; i++)
        if (l->started_ns == started_ns)
            w->config.ops->cancel(w->engine, w->clients[lane].conn + i, text);
}

static void cancel_late(struct worker *w, uint64_t now_ns)
{
    uint64_t give_up_ns = stage_given_up(w->stage);
    for (uint32_t i = 0; i < w->n_lanes; i++) {
        const struct lane *l = &w->lanes[i];
        if (!l->body)
            continue;
        if (now_ns >= give_up_ns)
            cancel(w, i, "no answer in time after a stop");
        else if (now_ns > l->started_ns + l->work->timeout_ns)
            cancel(w, i, "no answer within the timeout");
    }
}

/* Returns when the next one is due. */
static uint64_t tick(struct worker *w, uint64_t now_ns)
{
    uint64_t stop_ns = stage_stopped(w->stage);
    for (size_t i = 0; i < w->config.step->n_works; i++)
        recorder_tick(w->recorders[i], now_ns);
    uint64_t edge_ns = look_at_self(w, now_ns);
    if (!w->stopped && now_ns >= stop_ns)
        stop(w, stop_ns);
    cancel_late(w, now_ns);
    return earlier(now_ns + TICK_NS, edge_ns);
}

void worker_drive(struct worker *w)
{
    uint64_t tick_ns = 0, now_ns = now(w), woke_ns = now_ns, idle_ns = 0;
    while (w->n_busy || w->n_over < w->n_lanes) {
        if (start_due(w, now_ns))
            now_ns = now(w);
        if (now_ns >= tick_ns)
            tick_ns = tick(w, now_ns);
        if (w->begun && !w->ended)
            self_turn(&w->self, idle_ns, now_ns - woke_ns);
        uint64_t until_ns = earlier(due_first(&w->due), tick_ns);
        woke_ns = w->config.ops->wait(w->engine, now_ns, until_ns);
        /* To wake too late is to be away. */
        if (woke_ns > until_ns)
            woke_ns = until_ns > now_ns ? until_ns : now_ns;
        idle_ns = woke_ns - now_ns;
        now_ns = now(w);
    }
    tick(w, now_ns);
    if (w->begun && !w->ended)
        leave(w, now_ns);
    w->stats = w->config.ops->stats(w->engine, now_ns);
}

const struct self *worker_self(const struct worker *w)
{
    return &w->self;
}

struct engine_stats worker_stats(const struct worker *w)
{
    return w->stats;
}
