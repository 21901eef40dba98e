/* The decisions of OpenJDK 17's GenCollectedHeap with Serial, which does not
 * scavenge before a full collection (target-memory.md section e):
 *
 *   no room -> failed state? full collection : young collection
 *           -> young declined, no room for the object, or old nearly full?
 *              full collection in the same pause
 *           -> take from eden, the from-space, old
 *           -> still nothing: full collection once more, then out of memory
 *
 * The failed state (incremental_collection_failed) is set when a young
 * collection declines or fails to promote. Every full collection decides anew:
 * it stays set where old has taken all it can, live objects remain in eden and
 * the next promotion is not safe. While it is set, an allocation that finds
 * eden full is served from the from-space and old one by one, which is what
 * floods the small objects outside the buffers on small heaps. */
#include "target/heap/collect.h"

#include <string.h>

#include "common/clock.h"
#include "target/heap/compact.h"
#include "target/heap/safepoint.h"
#include "target/heap/space.h"
#include "target/heap/young.h"

#define OLD_NEARLY_FULL_BYTES 10000u
#define FRACTION_WEIGHT       35u
#define POISON                0xdb

static uint64_t used(const struct heap *heap)
{
    return space_used(&heap->eden) + space_used(&heap->old) +
           space_used(&heap->survivor[0]) + space_used(&heap->survivor[1]);
}

/* Retire all buffers and take the fractions' samples. */
static void prologue(struct heap *heap)
{
    uint64_t eden_used = space_used(&heap->eden);
    unsigned allocating = 0;
    (void)pthread_mutex_lock(&heap->stats_lock);
    if (used(heap) > heap->used_max_bytes)
        heap->used_max_bytes = used(heap);
    (void)pthread_mutex_unlock(&heap->stats_lock);
    for (unsigned i = 0; i < heap->n_mutators; i++) {
        struct mutator *m = heap->mutators[i];
        if (!m->attached)
            continue;
        uint64_t in_tlab = (uint64_t)(m->top - m->start);
        if (tlab_before_gc(&m->tlab, eden_used, heap->layout.eden_bytes))
            allocating++;
        m->tlab.allocated_bytes += in_tlab;
        m->start = m->top = m->end = NULL;
    }
    if (allocating)
        average_sample(&heap->threads_avg, FRACTION_WEIGHT, allocating);
}

static void epilogue(struct heap *heap, bool full)
{
    for (unsigned i = 0; i < heap->n_mutators; i++)
        if (heap->mutators[i]->attached)
            tlab_after_gc(&heap->mutators[i]->tlab, heap->layout.eden_bytes);
    if (!full)
        return;
    bool tight = !young_is_safe(heap) && space_used(&heap->eden);
    heap->failed = tight;
    heap->from_space_allowed = tight;
}

static void before(const struct heap *heap, struct heap_gc *gc)
{
    gc->eden_before_bytes = space_used(&heap->eden);
    gc->survivor_before_bytes =
        space_used(&heap->survivor[0]) + space_used(&heap->survivor[1]);
    gc->old_before_bytes = space_used(&heap->old);
    gc->begin_ns = clock_mono_ns();
}

static void account(struct heap *heap, const struct heap_gc *gc)
{
    (void)pthread_mutex_lock(&heap->stats_lock);
    if (gc->kind == HEAP_GC_YOUNG) {
        heap->gc.young_count++;
        heap->gc.young_pause_ns += gc->pause_ns;
    } else {
        heap->gc.old_count++;
        heap->gc.old_pause_ns += gc->pause_ns;
    }
    heap->gc.promoted_bytes += gc->promoted_bytes;
    heap->gc.promotion_failed += gc->promotion_failed;
    if (gc->pause_ns > heap->pause_max_ns)
        heap->pause_max_ns = gc->pause_ns;
    (void)pthread_mutex_unlock(&heap->stats_lock);
}

static void after(struct heap *heap, struct heap_gc *gc)
{
    gc->pause_ns = clock_mono_ns() - gc->begin_ns;
    gc->eden_after_bytes = space_used(&heap->eden);
    gc->survivor_after_bytes =
        space_used(&heap->survivor[0]) + space_used(&heap->survivor[1]);
    gc->old_after_bytes = space_used(&heap->old);
    gc->tenuring_threshold = heap->tenuring_threshold;
    account(heap, gc);
    if (heap->sink && heap->sink->gc)
        heap->sink->gc(heap->sink->ctx, gc);
}

static void young(struct heap *heap, uint64_t safepoint_ns)
{
    struct heap_gc gc = {.kind = HEAP_GC_YOUNG, .safepoint_ns = safepoint_ns};
    before(heap, &gc);
    gc.declined = !young_is_safe(heap);
    if (gc.declined)
        heap->failed = true;
    else
        young_collect(heap, &gc);
    young_promoted(heap, gc.promoted_bytes);
    after(heap, &gc);
}

/* What a full collection does: all, or all that is worth moving. */
enum full { FULL_NONE, FULL_USUAL, FULL_COMPLETE };

/* do_collection: young, then everything when that was not enough; or everything
 * at once. */
static void collect(struct heap *heap, enum full full, uint64_t wanted_bytes,
                    uint64_t safepoint_ns)
{
    struct heap_gc gc = {.kind = HEAP_GC_OLD};
    bool enough = false, done = false;
    prologue(heap);
    if (full == FULL_NONE) {
        young(heap, safepoint_ns);
        enough = wanted_bytes <= space_free(&heap->eden) &&
                 space_free(&heap->old) >= OLD_NEARLY_FULL_BYTES;
    } else {
        gc.safepoint_ns = safepoint_ns;
    }
    if (!enough) {
        before(heap, &gc);
        done = compact_collect(heap, full == FULL_COMPLETE);
        if (done)
            after(heap, &gc);
    }
    epilogue(heap, done);
}

static uint64_t stop(struct heap *heap, const struct mutator *self)
{
    uint64_t ns = safepoint_begin(heap, self);
    (void)pthread_mutex_lock(&heap->stats_lock);
    heap->gc.safepoint_ns += ns;
    if (ns > heap->safepoint_max_ns)
        heap->safepoint_max_ns = ns;
    (void)pthread_mutex_unlock(&heap->stats_lock);
    return ns;
}

uint8_t *collect_attempt(struct heap *heap, uint64_t bytes, bool old_too)
{
    uint8_t *at = space_take(&heap->eden, bytes);
    if (!at && heap->from_space_allowed)
        at = space_take(&heap->survivor[heap->from], bytes);
    if (!at && old_too)
        at = space_take(&heap->old, bytes);
    return at;
}

uint8_t *collect_for(struct heap *heap, struct mutator *self, uint64_t bytes)
{
    uint64_t safepoint_ns = stop(heap, self);
    collect(heap, heap->failed ? FULL_USUAL : FULL_NONE, bytes, safepoint_ns);
    uint8_t *at = collect_attempt(heap, bytes, true);
    if (!at) {
        collect(heap, FULL_COMPLETE, bytes, 0);
        at = collect_attempt(heap, bytes, true);
    }
    safepoint_end(heap);
    return at;
}

static void poison(const struct space *space)
{
    uint8_t *top = atomic_load(&space->top);
    memset(top, POISON, (size_t)(space->end - top));
}

void collect_stress(struct heap *heap, struct mutator *self, bool full)
{
    uint64_t safepoint_ns = stop(heap, self);
    collect(heap, full ? FULL_USUAL : FULL_NONE, 0, safepoint_ns);
    poison(&heap->eden);
    poison(&heap->survivor[0]);
    poison(&heap->survivor[1]);
    poison(&heap->old);
    safepoint_end(heap);
}
