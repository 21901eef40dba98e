/* The figures of all indices together: what the shards counted, summed, and how
 * their times spread, as Rally reports them. Written into memory that was there
 * before, so that the final record has them when memory is gone. */
#ifndef PITWALL_TARGET_CENSUS_H
#define PITWALL_TARGET_CENSUS_H

#include "target/indices.h"

/* Shards' counts as plain numbers; their list is shard.h's. */
struct census_counts {
#define X(name) uint64_t name;
    SHARD_COUNTS(X)
#undef X
    uint64_t shards, store_bytes;
};

/* The work whose time spreads over shards. */
enum census_work {
    CENSUS_INDEX,
    CENSUS_MERGE,
    CENSUS_REFRESH,
    CENSUS_FLUSH,
    CENSUS_WORKS
};

struct census {
    struct census_counts sum;
    struct {
        uint64_t min_ns, median_ns, max_ns;
    } spread[CENSUS_WORKS];
    uint64_t native_used_bytes, native_max_bytes;
    uint64_t times[INDICES_SHARDS_MAX]; /* room for the median */
};

/* Add one shard. */
void census_add(struct census_counts *sum, struct shard *s);

/* The sum over all indices alone. Thread: any. */
void census_sum(struct indices *all, struct census_counts *sum);

/* Take it of all indices. Thread: any. */
void census_take(struct census *c, struct indices *all);

#endif
