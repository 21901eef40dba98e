/* The JSON of statistics that the target answers with while it runs. */
#ifndef PITWALL_TARGET_STATS_H
#define PITWALL_TARGET_STATS_H

#include "target/census.h"
#include "target/node.h"
#include "target/out.h"

/* What the answers are made of, read at one moment. */
struct stats {
    struct counts counts;
    struct heap_stats heap;
    struct pool_levels pool;
    uint64_t open; /* connections */
    uint64_t uptime_ns;
    uint64_t cpu_ns; /* of the process */
    uint64_t wall_ns;
    bool index; /* there is one; else the following are 0 */
    struct census_counts kept;
    uint64_t native_used_bytes, native_max_bytes;
};

/* Read them all. The caller holds no heap pointer and is native. */
void stats_read(const struct node *n, struct stats *out);

/* GET /_pitwall/stats: one flat object of totals since the start, named as
 * SAMPLE_TARGET's fields. */
void stats_write_pitwall(const struct stats *s, struct out *o);

/* GET /_nodes and GET /_cluster/stats, what clients look for there. */
void stats_write_node(const struct stats *s, struct out *o);
void stats_write_cluster(const struct stats *s, struct out *o);

/* GET /_nodes/stats and GET /_stats, as far as Elasticsearch's shapes can be
 * filled. */
void stats_write_nodes(const struct stats *s, struct out *o);
void stats_write_indices(const struct stats *s, struct out *o);

#endif
