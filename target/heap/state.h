/* The inside of a heap: shared by the files of target/heap/, by nobody else.
 *
 *   mapping:  | old ............ | eden ........ | survivor | survivor |
 *
 * Locks: `lock` for collections, allocation in old and attaching; who waits for
 * it is native, since its holder may wait for all others to be. The rest are
 * held for moments and may be taken while managed: `slots.lock` (shared free
 * slots), `old_lock` (old_list), `stats_lock` (statistics, the mutators'
 * array), `safe_lock` (safepoint.c's conditions). */
#ifndef PITWALL_TARGET_HEAP_STATE_H
#define PITWALL_TARGET_HEAP_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/heap/event.h"
#include "target/heap/heap.h"
#include "target/heap/layout.h"
#include "target/heap/object.h"
#include "target/heap/tlab.h"

#define AGES 16u

#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* A space and its bump pointer. */
struct space {
    uint8_t *start, *end;
    _Atomic(uint8_t *) top;
};

/* Objects in old, by address: valid while the slot still points there. */
struct old_entry {
    uint8_t *at;
    uint32_t slot;
};

enum mutator_state { MUTATOR_NATIVE, MUTATOR_MANAGED };

/* Counters that the owner adds to and others read: relaxed atomics. */
struct mutator_counts {
    _Atomic uint64_t alloc_count, alloc_bytes;
    _Atomic uint64_t garbage_bytes, released_bytes;
    _Atomic uint64_t tlab_count, tlab_bytes;
    _Atomic uint64_t outside_count, outside_bytes;
    /* Extremes belong to the window numbered epoch. */
    _Atomic uint64_t epoch;
    _Atomic uint64_t tlab_min, tlab_max, outside_min, outside_max;
};

/* What the totals were when the window opened. */
struct mutator_base {
    uint64_t alloc_count, alloc_bytes;
    uint64_t tlab_count, tlab_bytes;
    uint64_t outside_count, outside_bytes;
};

struct mutator {
    /* What every allocation needs stands first. */
    uint8_t *start, *top, *end; /* the TLAB; all NULL without one */
    struct slot *table;         /* the heap's, which never moves */
    uint32_t *cache;            /* free slots, [MUTATOR_CACHE] */
    unsigned n_cache;
    _Atomic int state;        /* enum mutator_state */
    uint64_t quick_bytes_max; /* of an object without a call; 0: stress */
    struct heap *heap;
    bool attached;
    struct mutator_counts counts;
    struct slot_list log; /* slots whose objects may be young */
    struct tlab_policy tlab;
    const char *name;
    struct mutator_base base;
};

#define MUTATOR_CACHE 1024u

/* Totals of collections. */
struct gc_counts {
    uint64_t young_count, young_pause_ns, old_count, old_pause_ns;
    uint64_t safepoint_ns, promoted_bytes, promotion_failed, oom_count;
};

struct heap {
    struct layout layout;
    bool stress;
    uint64_t refuse_at;     /* 0: none */
    _Atomic uint64_t tried; /* allocations, counted only for refuse_at */
    uint64_t tlab_min_bytes;
    const struct heap_sink *sink;
    uint8_t *map;
    size_t map_bytes;
    struct space old, eden, survivor[2];
    unsigned from; /* index of the survivor space in use */
    pthread_mutex_t lock;
    struct slots slots;
    struct slot_list orphans; /* young logs of detached mutators */
    pthread_mutex_t old_lock;
    struct old_entry *old_list;
    size_t n_old, cap_old;
    struct mutator *mutators[HEAP_MUTATORS_MAX];
    unsigned n_mutators;
    struct average threads_avg;

    /* Policy of the collector (collect.c). */
    bool failed;             /* incremental_collection_failed */
    bool from_space_allowed; /* should_allocate_from_space */
    unsigned tenuring_threshold;
    struct average promoted; /* bytes per young collection */
    double promoted_deviation, promoted_padded;
    uint64_t compactions;

    /* Safepoint (safepoint.c). */
    atomic_bool stop;
    pthread_mutex_t safe_lock;
    pthread_cond_t arrived, resumed;

    /* Statistics, under stats_lock. */
    pthread_mutex_t stats_lock;
    struct gc_counts gc, gc_base;
    uint64_t pause_max_ns, safepoint_max_ns, used_max_bytes, oom_bytes;
    _Atomic uint64_t epoch;
};

#define COUNT_ADD(counter, v)                                                  \
    atomic_store_explicit(                                                     \
        &(counter),                                                            \
        atomic_load_explicit(&(counter), memory_order_relaxed) + (v),          \
        memory_order_relaxed)
#define COUNT_GET(counter)                                                     \
    atomic_load_explicit(&(counter), memory_order_relaxed)

static inline bool space_holds(const struct space *space, const uint8_t *at)
{
    return at >= space->start && at < space->end;
}

static inline uint64_t space_used(const struct space *space)
{
    return (uint64_t)(atomic_load(&space->top) - space->start);
}

static inline uint64_t space_free(const struct space *space)
{
    return (uint64_t)(space->end - atomic_load(&space->top));
}

#endif
