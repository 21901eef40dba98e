#include "target/heap/heap.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/units.h"
#include "target/heap/alloc.h"
#include "target/heap/collect.h"
#include "target/heap/safepoint.h"
#include "target/heap/slot.h"
#include "target/heap/space.h"
#include "target/heap/young.h"

#define SLOTS_MAX         (1u << 26)
#define PREFETCH_BYTES    1024u
#define QUICK_BYTES_MAX   128u /* what zero_small can do */
#define OBJECT_BYTES_MIN  24u
#define TENURING_AT_START 15u /* MaxTenuringThreshold */

static void space_init(struct space *space, uint8_t **at, uint64_t bytes)
{
    space->start = *at;
    space->end = *at + bytes;
    atomic_init(&space->top, *at);
    *at += bytes;
}

/* Reserve and touch, so that page faults are not part of what is measured: all
 * of it as AlwaysPreTouch does, or young alone, since touching old costs a
 * start of seconds on virtual machines that get their memory late. Huge pages
 * and populating are wishes, not needs. */
static enum err map_heap(struct heap *heap, bool all, struct why *why)
{
    char size[24];
    heap->map_bytes = heap->layout.heap_bytes;
    (void)units_show_bytes(size, sizeof size, heap->map_bytes);
    void *map = mmap(NULL, heap->map_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return err_errno(why, errno, "heap %s: map it", size);
    heap->map = map;
    (void)madvise(map, heap->map_bytes, MADV_HUGEPAGE);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t skip = all ? 0 : heap->layout.old_bytes / page * page;
    if (madvise(heap->map + skip, heap->map_bytes - skip,
                MADV_POPULATE_WRITE) &&
        (errno == ENOMEM || errno == EFAULT))
        return err_errno(why, errno, "heap %s: touch it", size);
    uint8_t *at = map;
    space_init(&heap->old, &at, heap->layout.old_bytes);
    space_init(&heap->eden, &at, heap->layout.eden_bytes);
    space_init(&heap->survivor[0], &at, heap->layout.survivor_bytes);
    space_init(&heap->survivor[1], &at, heap->layout.survivor_bytes);
    return ERR_OK;
}

enum err heap_new(struct heap **out, const struct heap_config *config,
                  struct why *why)
{
    *out = NULL;
    enum err e = ERR_OK;
    struct heap *heap = calloc(1, sizeof *heap);
    if (!heap)
        return err_set(why, ERR_NOMEM, "heap: out of memory");
    (void)pthread_mutex_init(&heap->lock, NULL);
    (void)pthread_mutex_init(&heap->old_lock, NULL);
    (void)pthread_mutex_init(&heap->stats_lock, NULL);
    (void)pthread_mutex_init(&heap->safe_lock, NULL);
    (void)pthread_cond_init(&heap->arrived, NULL);
    (void)pthread_cond_init(&heap->resumed, NULL);
    heap->stress = config->stress;
    heap->refuse_at = config->refuse_at;
    heap->sink = config->sink;
    heap->tlab_min_bytes = config->tlab_min_bytes ? config->tlab_min_bytes
                                                  : TLAB_MIN_BYTES_DEFAULT;
    heap->tenuring_threshold = TENURING_AT_START;
    average_sample(&heap->threads_avg, 35, 1);
    e = layout_make(&heap->layout, config->heap_bytes, config->young_bytes,
                    why);
    if (!e)
        e = map_heap(heap, config->pretouch_all, why);
    if (!e) {
        /* Those that live, and those that lie in caches. */
        uint64_t slots = heap->layout.heap_bytes / OBJECT_BYTES_MIN +
                         HEAP_MUTATORS_MAX * MUTATOR_CACHE;
        e = slots_init(&heap->slots,
                       slots < SLOTS_MAX ? (uint32_t)slots : SLOTS_MAX, why);
    }
    if (e) {
        heap_free(heap);
        return e;
    }
    *out = heap;
    return ERR_OK;
}

void heap_free(struct heap *heap)
{
    if (!heap)
        return;
    for (unsigned i = 0; i < heap->n_mutators; i++) {
        assert(!heap->mutators[i]->attached);
        free(heap->mutators[i]->cache);
        free(heap->mutators[i]->log.slots);
        free(heap->mutators[i]);
    }
    if (heap->map)
        (void)munmap(heap->map, heap->map_bytes);
    slots_fini(&heap->slots);
    free(heap->orphans.slots);
    free(heap->old_list);
    (void)pthread_mutex_destroy(&heap->lock);
    (void)pthread_mutex_destroy(&heap->old_lock);
    (void)pthread_mutex_destroy(&heap->stats_lock);
    (void)pthread_mutex_destroy(&heap->safe_lock);
    (void)pthread_cond_destroy(&heap->arrived);
    (void)pthread_cond_destroy(&heap->resumed);
    free(heap);
}

struct mutator *heap_attach(struct heap *heap, const char *name)
{
    struct mutator *m = calloc(1, sizeof *m);
    if (m)
        m->cache = calloc(MUTATOR_CACHE, sizeof *m->cache);
    if (!m || !m->cache) {
        free(m);
        return NULL;
    }
    m->heap = heap;
    m->table = heap->slots.table;
    bool watched = heap->stress || heap->refuse_at;
    m->quick_bytes_max = watched ? 0 : QUICK_BYTES_MAX;
    m->name = name;
    m->attached = true;
    atomic_init(&m->state, MUTATOR_NATIVE);
    atomic_init(&m->counts.epoch, UINT64_MAX);
    (void)pthread_mutex_lock(&heap->lock);
    bool room = heap->n_mutators < HEAP_MUTATORS_MAX;
    if (room) {
        tlab_start(&m->tlab, heap->layout.eden_bytes, heap->threads_avg.value,
                   heap->tlab_min_bytes);
        (void)pthread_mutex_lock(&heap->stats_lock);
        heap->mutators[heap->n_mutators++] = m;
        (void)pthread_mutex_unlock(&heap->stats_lock);
    }
    (void)pthread_mutex_unlock(&heap->lock);
    if (!room) {
        free(m->cache);
        free(m);
        return NULL;
    }
    safepoint_managed(m);
    return m;
}

void heap_detach(struct mutator *mutator)
{
    struct heap *heap = mutator->heap;
    slot_cache_flush(mutator);
    safepoint_lock(mutator);
    mutator->attached = false;
    mutator->start = mutator->top = mutator->end = NULL;
    atomic_store(&mutator->state, MUTATOR_NATIVE);
    (void)pthread_mutex_unlock(&heap->lock);
}

/* The stress build's collection before each allocation: full every 16th. */
static void stress(struct mutator *m)
{
    safepoint_lock(m);
    bool full = COUNT_GET(m->counts.alloc_count) % 16 == 0;
    collect_stress(m->heap, m, full);
    (void)pthread_mutex_unlock(&m->heap->lock);
}

/* The object lies in old: the collector has a list of those. */
static bool list_in_old(struct heap *heap, uint8_t *at, uint32_t slot)
{
    (void)pthread_mutex_lock(&heap->old_lock);
    bool done = old_list_add(heap, at, slot);
    (void)pthread_mutex_unlock(&heap->old_lock);
    return done;
}

/* Hand the new object to its slot and to the collector's lists. */
static bool enlist(struct mutator *m, uint8_t *at, uint32_t slot)
{
    struct slot *s = &m->table[slot];
    bool done = true;
    if (space_holds(&m->heap->old, at)) {
        done = list_in_old(m->heap, at, slot);
    } else if (!s->logged) {
        done = slot_list_add(&m->log, slot);
        s->logged = done;
    }
    if (done)
        s->at = at;
    return done;
}

/* Zero a small object of 16 bytes or more: a few stores that overlap in the
 * middle cost less than a call. */
static inline void zero_small(uint8_t *at, uint64_t bytes)
{
    if (bytes < 32) {
        memset(at, 0, 16);
        memset(at + bytes - 16, 0, 16);
        return;
    }
    memset(at, 0, 32);
    memset(at + bytes - 32, 0, 32);
    if (bytes > 64) {
        memset(at + 32, 0, 32);
        memset(at + bytes - 64, 0, 32);
    }
}

/* Fetch the lines that the next objects will need, as a JIT's allocation does:
 * that far ahead, since filling them is what small objects wait for. Beyond the
 * heap it does nothing. */
static inline void prefetch(const uint8_t *at)
{
    __builtin_prefetch(at + PREFETCH_BYTES, 1);
}

static inline void count(struct mutator *m, uint64_t bytes)
{
    COUNT_ADD(m->counts.alloc_count, 1);
    COUNT_ADD(m->counts.alloc_bytes, bytes);
}

static inline void head(uint8_t *at, uint64_t bytes, uint32_t slot)
{
    header_of(at)->words = (uint32_t)(bytes / 8);
    header_of(at)->slot = slot;
}

/* Whether this allocation is the one that a test has refused. */
static bool refuse(struct heap *heap, uint64_t bytes)
{
    if (!heap->refuse_at || ++heap->tried != heap->refuse_at)
        return false;
    alloc_refused(heap, bytes);
    return true;
}

/* The whole of heap_alloc, for what its quick way leaves. */
__attribute__((noinline)) static heap_ref alloc_any(struct mutator *m,
                                                    uint64_t bytes)
{
    if (bytes > OBJECT_BYTES_MAX || bytes > m->heap->layout.heap_bytes)
        return 0;
    if (m->heap->stress)
        stress(m);
    if (refuse(m->heap, bytes))
        return 0;
    uint8_t *at = alloc_take(m, bytes);
    uint32_t slot = at ? slot_take(m) : 0;
    if (!slot)
        return 0;
    prefetch(at);
    memset(at, 0, bytes);
    head(at, bytes, slot);
    if (!enlist(m, at, slot)) {
        m->cache[m->n_cache++] = slot;
        return 0;
    }
    count(m, bytes);
    return slot;
}

/* The quick way, without a call: a small object that fits into the buffer, so
 * that it is young, with a slot at hand that stands in the log. */
heap_ref heap_alloc(struct mutator *mutator, size_t n)
{
    assert(COUNT_GET(mutator->state) == MUTATOR_MANAGED);
    uint64_t bytes = ((uint64_t)n + HEADER_BYTES + 7) / 8 * 8;
    uint8_t *at = mutator->top;
    if (UNLIKELY(bytes > mutator->quick_bytes_max ||
                 (uint64_t)(mutator->end - at) < bytes || !mutator->n_cache))
        return alloc_any(mutator, bytes);
    uint32_t slot = mutator->cache[mutator->n_cache - 1];
    struct slot *s = &mutator->table[slot];
    if (UNLIKELY(!s->logged))
        return alloc_any(mutator, bytes);
    mutator->n_cache--;
    mutator->top = at + bytes;
    prefetch(at);
    zero_small(at, bytes);
    head(at, bytes, slot);
    s->at = at;
    count(mutator, bytes);
    return slot;
}

__attribute__((noinline)) static bool garbage_any(struct mutator *m,
                                                  uint64_t bytes)
{
    if (m->heap->stress)
        stress(m);
    uint8_t *at = refuse(m->heap, bytes) ? NULL : alloc_take(m, bytes);
    if (!at)
        return false;
    prefetch(at);
    memset(at, 0, bytes);
    count(m, bytes);
    COUNT_ADD(m->counts.garbage_bytes, bytes);
    return true;
}

bool heap_garbage(struct mutator *mutator, size_t n)
{
    uint64_t bytes = ((uint64_t)n + 7) / 8 * 8;
    uint8_t *at = mutator->top;
    if (UNLIKELY(bytes > mutator->quick_bytes_max || bytes < 16 ||
                 (uint64_t)(mutator->end - at) < bytes))
        return garbage_any(mutator, bytes);
    mutator->top = at + bytes;
    prefetch(at);
    zero_small(at, bytes);
    count(mutator, bytes);
    COUNT_ADD(mutator->counts.garbage_bytes, bytes);
    return true;
}

void *heap_ptr(const struct mutator *mutator, heap_ref ref)
{
    uint8_t *at = mutator->table[ref].at;
    assert(at);
    return at + HEADER_BYTES;
}

void heap_release(struct mutator *mutator, heap_ref ref)
{
    if (!ref)
        return;
    uint64_t bytes = object_bytes(mutator->table[ref].at);
    COUNT_ADD(mutator->counts.released_bytes, bytes);
    slot_give(mutator, ref);
}

void heap_native_enter(struct mutator *mutator)
{
    assert(COUNT_GET(mutator->state) == MUTATOR_MANAGED);
    safepoint_native(mutator);
}

void heap_native_leave(struct mutator *mutator)
{
    assert(COUNT_GET(mutator->state) == MUTATOR_NATIVE);
    safepoint_managed(mutator);
}

void heap_poll(struct mutator *mutator)
{
    if (!atomic_load_explicit(&mutator->heap->stop, memory_order_relaxed))
        return;
    safepoint_native(mutator);
    safepoint_managed(mutator);
}
