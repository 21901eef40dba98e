/* What a heap did, for the measuring window and since its start. */
#ifndef PITWALL_TARGET_HEAP_STATS_H
#define PITWALL_TARGET_HEAP_STATS_H

#include <stdint.h>

struct heap;

/* What the heap did. Counts and bytes are totals since heap_stats_reset; the
 * "outside" and "tlab" figures are the 15 columns of the published tables
 * (target-memory.md section d). Levels are marked. */
struct heap_stats {
    uint64_t heap_bytes, eden_bytes, survivor_bytes, old_bytes; /* levels */
    uint64_t used_bytes, live_bytes; /* levels; live: behind handles */
    uint64_t used_max_bytes;
    uint64_t alloc_count, alloc_bytes; /* everything, garbage included */
    uint64_t tlab_count, tlab_bytes, tlab_min_bytes, tlab_max_bytes;
    uint64_t outside_count, outside_bytes, outside_min_bytes, outside_max_bytes;
    uint64_t young_count, young_pause_ns, old_count, old_pause_ns;
    uint64_t pause_max_ns, safepoint_ns, safepoint_max_ns;
    uint64_t promoted_bytes, promotion_failed;
    uint64_t young_since_start;    /* not reset: TLABs settle after 12 */
    uint64_t oom_count, oom_bytes; /* refused allocations; size of the first */
};

/* A consistent copy of the statistics, all mutators summed, or only those
 * attached under name (NULL: all); mutators that were detached still count.
 * Thread: any, managed or not; never waits for a collection. */
void heap_stats(struct heap *heap, const char *name, struct heap_stats *out);

/* Zero totals, minima and maxima (the measuring window opens). Levels and
 * young_since_start stay. */
void heap_stats_reset(struct heap *heap);

#endif
