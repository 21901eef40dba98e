/* What happens in a heap, told while it happens: for the collector's log and
 * the allocation log. */
#ifndef PITWALL_TARGET_HEAP_EVENT_H
#define PITWALL_TARGET_HEAP_EVENT_H

#include <stdbool.h>
#include <stdint.h>

enum heap_gc_kind { HEAP_GC_YOUNG, HEAP_GC_OLD };

/* One collection, told while the world still stands. */
struct heap_gc {
    enum heap_gc_kind kind;
    bool declined;         /* young only: promotion was not safe, not done */
    bool promotion_failed; /* young only */
    uint64_t begin_ns, pause_ns; /* CLOCK_MONOTONIC; the collector's work */
    uint64_t safepoint_ns;       /* waiting for the mutators, before begin */
    uint64_t eden_before_bytes, eden_after_bytes;
    uint64_t survivor_before_bytes, survivor_after_bytes;
    uint64_t old_before_bytes, old_after_bytes;
    uint64_t promoted_bytes, copied_bytes;
    unsigned tenuring_threshold;
};

/* One new buffer or one allocation outside buffers: what a flight recording
 * calls ObjectAllocationInNewTLAB and ...OutsideTLAB. */
struct heap_allocation {
    const char *mutator;
    uint64_t object_bytes;
    uint64_t tlab_bytes; /* 0: outside */
};

/* Callbacks, each may be NULL. They must not use the heap. gc: under the heap's
 * lock, the world stopped. allocation: on the mutator's thread. */
struct heap_sink {
    void *ctx;
    void (*gc)(void *ctx, const struct heap_gc *gc);
    void (*allocation)(void *ctx, const struct heap_allocation *allocation);
};

#endif
