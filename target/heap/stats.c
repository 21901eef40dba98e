#include "target/heap/stats.h"

#include <string.h>

#include "target/heap/state.h"

static bool chosen(const struct mutator *m, const char *name)
{
    return !name || !strcmp(m->name, name);
}

static void add_extremes(const struct heap *heap, const struct mutator *m,
                         struct heap_stats *out)
{
    if (COUNT_GET(m->counts.epoch) != COUNT_GET(heap->epoch))
        return;
    uint64_t tlab_min = COUNT_GET(m->counts.tlab_min);
    uint64_t tlab_max = COUNT_GET(m->counts.tlab_max);
    uint64_t outside_min = COUNT_GET(m->counts.outside_min);
    uint64_t outside_max = COUNT_GET(m->counts.outside_max);
    if (tlab_max && (!out->tlab_max_bytes || tlab_min < out->tlab_min_bytes))
        out->tlab_min_bytes = tlab_min;
    if (tlab_max > out->tlab_max_bytes)
        out->tlab_max_bytes = tlab_max;
    if (outside_max &&
        (!out->outside_max_bytes || outside_min < out->outside_min_bytes))
        out->outside_min_bytes = outside_min;
    if (outside_max > out->outside_max_bytes)
        out->outside_max_bytes = outside_max;
}

static void add_mutator(const struct heap *heap, const struct mutator *m,
                        struct heap_stats *out)
{
    const struct mutator_counts *c = &m->counts;
    out->alloc_count += COUNT_GET(c->alloc_count) - m->base.alloc_count;
    out->alloc_bytes += COUNT_GET(c->alloc_bytes) - m->base.alloc_bytes;
    out->tlab_count += COUNT_GET(c->tlab_count) - m->base.tlab_count;
    out->tlab_bytes += COUNT_GET(c->tlab_bytes) - m->base.tlab_bytes;
    out->outside_count += COUNT_GET(c->outside_count) - m->base.outside_count;
    out->outside_bytes += COUNT_GET(c->outside_bytes) - m->base.outside_bytes;
    add_extremes(heap, m, out);
}

static uint64_t live(const struct heap *heap)
{
    uint64_t allocated = 0, dead = 0;
    for (unsigned i = 0; i < heap->n_mutators; i++) {
        const struct mutator_counts *c = &heap->mutators[i]->counts;
        dead += COUNT_GET(c->released_bytes) + COUNT_GET(c->garbage_bytes);
        allocated += COUNT_GET(c->alloc_bytes);
    }
    return allocated > dead ? allocated - dead : 0;
}

static void add_heap(struct heap *heap, struct heap_stats *out)
{
    out->heap_bytes = heap->layout.heap_bytes;
    out->eden_bytes = heap->layout.eden_bytes;
    out->survivor_bytes = heap->layout.survivor_bytes;
    out->old_bytes = heap->layout.old_bytes;
    out->used_bytes = space_used(&heap->eden) + space_used(&heap->old) +
                      space_used(&heap->survivor[0]) +
                      space_used(&heap->survivor[1]);
    if (out->used_bytes > heap->used_max_bytes)
        heap->used_max_bytes = out->used_bytes;
    out->used_max_bytes = heap->used_max_bytes;
    out->live_bytes = live(heap);
    const struct gc_counts *now = &heap->gc, *base = &heap->gc_base;
    out->young_count = now->young_count - base->young_count;
    out->young_pause_ns = now->young_pause_ns - base->young_pause_ns;
    out->old_count = now->old_count - base->old_count;
    out->old_pause_ns = now->old_pause_ns - base->old_pause_ns;
    out->safepoint_ns = now->safepoint_ns - base->safepoint_ns;
    out->promoted_bytes = now->promoted_bytes - base->promoted_bytes;
    out->promotion_failed = now->promotion_failed - base->promotion_failed;
    out->oom_count = now->oom_count - base->oom_count;
    out->oom_bytes = out->oom_count ? heap->oom_bytes : 0;
    out->pause_max_ns = heap->pause_max_ns;
    out->safepoint_max_ns = heap->safepoint_max_ns;
    out->young_since_start = now->young_count;
}

void heap_stats(struct heap *heap, const char *name, struct heap_stats *out)
{
    *out = (struct heap_stats){0};
    (void)pthread_mutex_lock(&heap->stats_lock);
    for (unsigned i = 0; i < heap->n_mutators; i++)
        if (chosen(heap->mutators[i], name))
            add_mutator(heap, heap->mutators[i], out);
    add_heap(heap, out);
    (void)pthread_mutex_unlock(&heap->stats_lock);
}

void heap_stats_reset(struct heap *heap)
{
    (void)pthread_mutex_lock(&heap->stats_lock);
    for (unsigned i = 0; i < heap->n_mutators; i++) {
        struct mutator *m = heap->mutators[i];
        m->base = (struct mutator_base){COUNT_GET(m->counts.alloc_count),
                                        COUNT_GET(m->counts.alloc_bytes),
                                        COUNT_GET(m->counts.tlab_count),
                                        COUNT_GET(m->counts.tlab_bytes),
                                        COUNT_GET(m->counts.outside_count),
                                        COUNT_GET(m->counts.outside_bytes)};
    }
    heap->gc_base = heap->gc;
    heap->pause_max_ns = 0;
    heap->safepoint_max_ns = 0;
    heap->used_max_bytes = 0;
    atomic_fetch_add(&heap->epoch, 1);
    (void)pthread_mutex_unlock(&heap->stats_lock);
}
