#include "target/gauge.h"

#include <pthread.h>
#include <stdlib.h>

#include "common/clock.h"

/* BEFORE -> OPEN -> CLOSED, by time; a window that is set begins again. */
enum phase { PHASE_BEFORE, PHASE_OPEN, PHASE_CLOSED };

struct gauge {
    pthread_mutex_t lock;
    struct heap *heap;
    struct window *window;
    enum phase phase;
    bool set;                 /* by somebody, not just the whole life */
    struct heap_stats before; /* sums of what resets have dropped */
    uint64_t cpu0_ns;
    struct disk disk0;
    struct gauge_window result;
};

struct gauge *gauge_new(struct heap *heap, struct window *window,
                        uint64_t start_ns)
{
    struct gauge *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    (void)pthread_mutex_init(&g->lock, NULL);
    window_init(window, start_ns);
    g->heap = heap;
    g->window = window;
    g->phase = PHASE_OPEN;
    g->result.t0_ns = start_ns;
    g->cpu0_ns = clock_process_cpu_ns(); /* without touching the heap */
    disk_read(&g->disk0);
    return g;
}

void gauge_free(struct gauge *g)
{
    if (g)
        (void)pthread_mutex_destroy(&g->lock);
    free(g);
}

/* The sums among the statistics, not levels, minima and maxima. */
static void add(struct heap_stats *to, const struct heap_stats *s)
{
    to->alloc_count += s->alloc_count;
    to->alloc_bytes += s->alloc_bytes;
    to->tlab_count += s->tlab_count;
    to->tlab_bytes += s->tlab_bytes;
    to->outside_count += s->outside_count;
    to->outside_bytes += s->outside_bytes;
    to->young_count += s->young_count;
    to->young_pause_ns += s->young_pause_ns;
    to->old_count += s->old_count;
    to->old_pause_ns += s->old_pause_ns;
    to->safepoint_ns += s->safepoint_ns;
    to->promoted_bytes += s->promoted_bytes;
    to->promotion_failed += s->promotion_failed;
    to->oom_count += s->oom_count;
}

static void read_heap(struct gauge *g, struct gauge_heap *out)
{
    heap_stats(g->heap, NULL, &out->all);
    heap_stats(g->heap, "worker", &out->worker);
    heap_stats(g->heap, "bulk", &out->bulk);
}

static void open_window(struct gauge *g)
{
    struct heap_stats now;
    heap_stats(g->heap, NULL, &now);
    heap_stats_reset(g->heap);
    add(&g->before, &now);
    g->cpu0_ns = clock_process_cpu_ns();
    disk_read(&g->disk0);
    g->phase = PHASE_OPEN;
}

static void close_window(struct gauge *g, uint64_t end_ns, bool whole)
{
    read_heap(g, &g->result.heap);
    g->result.cpu_ns = clock_process_cpu_ns() - g->cpu0_ns;
    disk_read(&g->result.disk);
    g->result.disk.wait_ns -= g->disk0.wait_ns;
    g->result.disk.syncs -= g->disk0.syncs;
    g->result.t1_ns = end_ns;
    g->result.whole = whole;
    g->phase = PHASE_CLOSED;
}

/* Locked. */
static void tick(struct gauge *g, uint64_t now_ns)
{
    uint64_t t1_ns = g->window->t1_ns;
    if (g->phase == PHASE_BEFORE && now_ns >= g->result.t0_ns)
        open_window(g);
    if (g->phase == PHASE_OPEN && now_ns >= t1_ns)
        close_window(g, t1_ns, true);
}

enum err gauge_set(struct gauge *g, uint64_t t0_ns, uint64_t t1_ns,
                   uint64_t now_ns, struct why *why)
{
    if (t0_ns < now_ns)
        t0_ns = now_ns;
    if (t1_ns <= t0_ns)
        return err_set(why, ERR_RANGE,
                       "window: t1_ns %llu is not after t0_ns and now %llu",
                       (unsigned long long)t1_ns, (unsigned long long)now_ns);
    (void)pthread_mutex_lock(&g->lock);
    g->result = (struct gauge_window){.t0_ns = t0_ns};
    g->phase = PHASE_BEFORE;
    g->set = true;
    atomic_store(&g->window->t0_ns, t0_ns);
    atomic_store(&g->window->t1_ns, t1_ns);
    (void)atomic_fetch_add(&g->window->generation, 1);
    tick(g, now_ns);
    (void)pthread_mutex_unlock(&g->lock);
    return ERR_OK;
}

uint64_t gauge_due_ns(struct gauge *g)
{
    (void)pthread_mutex_lock(&g->lock);
    uint64_t due = g->phase == PHASE_BEFORE ? g->result.t0_ns
                   : g->phase == PHASE_OPEN ? g->window->t1_ns
                                            : UINT64_MAX;
    (void)pthread_mutex_unlock(&g->lock);
    return due;
}

void gauge_tick(struct gauge *g, uint64_t now_ns)
{
    (void)pthread_mutex_lock(&g->lock);
    tick(g, now_ns);
    (void)pthread_mutex_unlock(&g->lock);
}

void gauge_totals(struct gauge *g, struct heap_stats *out)
{
    (void)pthread_mutex_lock(&g->lock);
    heap_stats(g->heap, NULL, out);
    add(out, &g->before);
    (void)pthread_mutex_unlock(&g->lock);
}

void gauge_end(struct gauge *g, uint64_t now_ns, struct gauge_window *out)
{
    (void)pthread_mutex_lock(&g->lock);
    tick(g, now_ns);
    if (g->phase == PHASE_BEFORE)
        close_window(g, g->result.t0_ns, false);
    else if (g->phase == PHASE_OPEN)
        close_window(g, now_ns, !g->set);
    *out = g->result;
    (void)pthread_mutex_unlock(&g->lock);
}
