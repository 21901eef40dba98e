/* The order of HotSpot's MemAllocator (target-memory.md section d):
 *   1. the rest of the buffer is too good to lose: keep it, go outside;
 *   2. else retire it and take another from eden;
 *   3. outside: eden; under the lock eden, old where that is allowed; collect.
 */
#include "target/heap/alloc.h"

#include "target/heap/collect.h"
#include "target/heap/safepoint.h"
#include "target/heap/space.h"

/* Extremes belong to the window: start anew when it has changed. */
static void window_check(struct mutator *m)
{
    uint64_t now = COUNT_GET(m->heap->epoch);
    if (COUNT_GET(m->counts.epoch) == now)
        return;
    atomic_store_explicit(&m->counts.tlab_min, UINT64_MAX,
                          memory_order_relaxed);
    atomic_store_explicit(&m->counts.tlab_max, 0, memory_order_relaxed);
    atomic_store_explicit(&m->counts.outside_min, UINT64_MAX,
                          memory_order_relaxed);
    atomic_store_explicit(&m->counts.outside_max, 0, memory_order_relaxed);
    atomic_store_explicit(&m->counts.epoch, now, memory_order_relaxed);
}

static void extremes(_Atomic uint64_t *min, _Atomic uint64_t *max, uint64_t v)
{
    if (v < atomic_load_explicit(min, memory_order_relaxed))
        atomic_store_explicit(min, v, memory_order_relaxed);
    if (v > atomic_load_explicit(max, memory_order_relaxed))
        atomic_store_explicit(max, v, memory_order_relaxed);
}

static void tell(struct mutator *m, uint64_t object_bytes, uint64_t tlab_bytes)
{
    const struct heap_sink *sink = m->heap->sink;
    window_check(m);
    if (tlab_bytes) {
        COUNT_ADD(m->counts.tlab_count, 1);
        COUNT_ADD(m->counts.tlab_bytes, tlab_bytes);
        extremes(&m->counts.tlab_min, &m->counts.tlab_max, tlab_bytes);
    } else {
        COUNT_ADD(m->counts.outside_count, 1);
        COUNT_ADD(m->counts.outside_bytes, object_bytes);
        extremes(&m->counts.outside_min, &m->counts.outside_max, object_bytes);
        m->tlab.allocated_bytes += object_bytes;
    }
    if (sink && sink->allocation)
        sink->allocation(sink->ctx, &(struct heap_allocation){
                                        m->name, object_bytes, tlab_bytes});
}

static uint8_t *refill(struct mutator *m, uint64_t bytes)
{
    struct heap *heap = m->heap;
    uint64_t size = tlab_refill_bytes(&m->tlab, bytes, space_free(&heap->eden));
    m->tlab.allocated_bytes += (uint64_t)(m->top - m->start);
    m->start = m->top = m->end = NULL;
    uint8_t *start = size ? space_take(&heap->eden, size) : NULL;
    if (!start)
        return NULL;
    m->start = start;
    m->top = start + bytes;
    m->end = start + size - TLAB_RESERVE_BYTES;
    tlab_refilled(&m->tlab);
    tell(m, bytes, size);
    return start;
}

void alloc_refused(struct heap *heap, uint64_t bytes)
{
    (void)pthread_mutex_lock(&heap->stats_lock);
    if (heap->gc.oom_count++ == heap->gc_base.oom_count)
        heap->oom_bytes = bytes;
    (void)pthread_mutex_unlock(&heap->stats_lock);
}

static uint8_t *outside(struct mutator *m, uint64_t bytes)
{
    struct heap *heap = m->heap;
    uint8_t *at = space_take(&heap->eden, bytes);
    if (!at) {
        safepoint_lock(m);
        bool old_too = heap->failed || bytes > heap->layout.eden_bytes;
        at = collect_attempt(heap, bytes, old_too);
        if (!at)
            at = collect_for(heap, m, bytes);
        if (!at)
            alloc_refused(heap, bytes);
        (void)pthread_mutex_unlock(&heap->lock);
    }
    if (at)
        tell(m, bytes, 0);
    return at;
}

uint8_t *alloc_slow(struct mutator *mutator, uint64_t bytes)
{
    uint64_t rest = (uint64_t)(mutator->end - mutator->top);
    if (!tlab_keep(&mutator->tlab, rest)) {
        uint8_t *at = refill(mutator, bytes);
        if (at)
            return at;
    }
    return outside(mutator, bytes);
}
