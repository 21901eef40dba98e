/* GET /_stats with an index: every index, its shards when they are asked for,
 * in Elasticsearch's shape. Times are of what FTS5 did; there is no throttling,
 * and no row for it. */
#ifndef PITWALL_TARGET_STATS_INDEX_H
#define PITWALL_TARGET_STATS_INDEX_H

#include "target/census.h"
#include "target/out.h"

/* Bytes that an answer about so many indices and shards may have. */
#define STATS_INDEX_ROOM(n_indices, n_shards)                                  \
    (4096u + 4096u * (n_indices) + 2048u * (n_shards))

/* Write the answer about list[n]. */
void stats_index_write(struct out *o, struct index *const *list, size_t n,
                       bool shards);

/* The members "docs", "store", "indexing" and so on of the object at hand. */
void stats_index_counts(struct out *o, const struct census_counts *c);

/* Of one index. */
void stats_index_sum(struct index *x, struct census_counts *sum);

#endif
