#include "target/stats.h"

#include "common/clock.h"
#include "target/answer.h"
#include "target/native.h"
#include "target/stats_index.h"

void stats_read(const struct node *n, struct stats *out)
{
    node_totals(n, &out->counts);
    gauge_totals(n->gauge, &out->heap);
    pool_read(n->pool, &out->pool);
    out->open = atomic_load(&n->open);
    out->uptime_ns = clock_mono_ns() - n->start_ns;
    out->cpu_ns = clock_process_cpu_ns();
    out->wall_ns = clock_wall_ns();
    out->index = n->indices != NULL;
    out->kept = (struct census_counts){0};
    if (n->indices)
        census_sum(n->indices, &out->kept);
    out->native_used_bytes = n->indices ? native_used_bytes() : 0;
    out->native_max_bytes = n->indices ? native_max_bytes() : 0;
}

void stats_write_pitwall(const struct stats *s, struct out *o)
{
    static const enum tally_field fields[] = {
        TALLY_docs,  TALLY_requests,   TALLY_rejected,    TALLY_errors,
        TALLY_reads, TALLY_read_bytes, TALLY_buffer_bytes};
    out_open(o, NULL, '{');
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        out_u64(o, tally_name(fields[i]), s->counts.of[fields[i]]);
    out_u64(o, "tlab_bytes", s->heap.tlab_bytes);
    out_u64(o, "outside_bytes", s->heap.outside_bytes);
    out_u64(o, "heap_used", s->heap.used_bytes);
    out_u64(o, "heap_max", s->heap.heap_bytes);
    out_u64(o, "young_count", s->heap.young_count);
    out_u64(o, "young_ns", s->heap.young_pause_ns);
    out_u64(o, "old_count", s->heap.old_count);
    out_u64(o, "old_ns", s->heap.old_pause_ns);
    out_u64(o, "queued", s->pool.queued);
    if (s->index) {
        out_u64(o, "index_docs", s->kept.docs);
        out_u64(o, "segments", s->kept.segments);
        out_u64(o, "merge_ns", s->kept.merge_ns);
        out_u64(o, "native_used", s->native_used_bytes);
        out_u64(o, "native_max", s->native_max_bytes);
    }
    out_close(o, '}');
}

/* "indexing" and its neighbours, of the node or of all indices. */
static void write_indexing(const struct stats *s, struct out *o)
{
    if (s->index) {
        stats_index_counts(o, &s->kept);
        return;
    }
    /* --index none keeps no documents. */
    out_open(o, "docs", '{');
    out_u64(o, "count", 0);
    out_u64(o, "deleted", 0);
    out_close(o, '}');
    out_open(o, "store", '{');
    out_u64(o, "size_in_bytes", 0);
    out_close(o, '}');
    out_open(o, "indexing", '{');
    out_u64(o, "index_total", s->counts.of[TALLY_bulk_docs]);
    out_u64(o, "index_time_in_millis", s->counts.of[TALLY_bulk_ns] / NS_PER_MS);
    out_u64(o, "index_current", s->pool.active);
    out_u64(o, "index_failed", s->counts.of[TALLY_bulk_failed]);
    out_close(o, '}');
    out_open(o, "merges", '{');
    out_u64(o, "current", 0);
    out_close(o, '}');
}

static void write_memory(const struct stats *s, struct out *o)
{
    out_open(o, "mem", '{');
    out_u64(o, "heap_used_in_bytes", s->heap.used_bytes);
    out_u64(o, "heap_used_percent",
            s->heap.used_bytes * 100 / s->heap.heap_bytes);
    out_u64(o, "heap_committed_in_bytes", s->heap.heap_bytes);
    out_u64(o, "heap_max_in_bytes", s->heap.heap_bytes);
    /* The generations keep no peaks of their own: the heap is one pool. */
    out_open(o, "pools", '{');
    out_open(o, "heap", '{');
    out_u64(o, "used_in_bytes", s->heap.used_bytes);
    out_u64(o, "max_in_bytes", s->heap.heap_bytes);
    out_u64(o, "peak_used_in_bytes", s->heap.used_max_bytes);
    out_close(o, '}');
    out_close(o, '}');
    out_close(o, '}');
}

static void write_collector(struct out *o, const char *name, uint64_t count,
                            uint64_t ns)
{
    out_open(o, name, '{');
    out_u64(o, "collection_count", count);
    out_u64(o, "collection_time_in_millis", ns / NS_PER_MS);
    out_close(o, '}');
}

static void write_jvm(const struct stats *s, struct out *o)
{
    out_open(o, "jvm", '{');
    out_u64(o, "timestamp", s->wall_ns / NS_PER_MS);
    out_u64(o, "uptime_in_millis", s->uptime_ns / NS_PER_MS);
    write_memory(s, o);
    out_open(o, "gc", '{');
    out_open(o, "collectors", '{');
    write_collector(o, "young", s->heap.young_count, s->heap.young_pause_ns);
    write_collector(o, "old", s->heap.old_count, s->heap.old_pause_ns);
    out_close(o, '}');
    out_close(o, '}');
    out_close(o, '}');
}

static void write_pool(const struct stats *s, struct out *o, const char *name)
{
    out_open(o, name, '{');
    out_u64(o, "threads", s->pool.threads);
    out_u64(o, "queue", s->pool.queued);
    out_u64(o, "active", s->pool.active);
    out_u64(o, "rejected", s->pool.rejected);
    out_u64(o, "largest", s->pool.threads);
    out_u64(o, "completed", s->pool.completed);
    out_close(o, '}');
}

/* There are no pipelines, so that nothing went through one. */
static void write_ingest(struct out *o)
{
    out_open(o, "ingest", '{');
    out_open(o, "total", '{');
    out_u64(o, "count", 0);
    out_u64(o, "time_in_millis", 0);
    out_u64(o, "current", 0);
    out_u64(o, "failed", 0);
    out_close(o, '}');
    out_open(o, "pipelines", '{');
    out_close(o, '}');
    out_close(o, '}');
}

static void write_node(const struct stats *s, struct out *o)
{
    out_open(o, "pitwall-target", '{');
    out_u64(o, "timestamp", s->wall_ns / NS_PER_MS);
    out_text(o, "name", "pitwall-target");
    out_open(o, "roles", '[');
    out_text(o, NULL, "master");
    out_text(o, NULL, "data");
    out_text(o, NULL, "ingest");
    out_close(o, ']');
    out_open(o, "indices", '{');
    write_indexing(s, o);
    out_close(o, '}');
    out_open(o, "process", '{');
    out_open(o, "cpu", '{');
    out_u64(o, "total_in_millis", s->cpu_ns / NS_PER_MS);
    out_close(o, '}');
    out_close(o, '}');
    write_jvm(s, o);
    /* One pool: "bulk" until Elasticsearch 6.2, "write" since 6.3. */
    out_open(o, "thread_pool", '{');
    write_pool(s, o, "bulk");
    write_pool(s, o, "write");
    out_close(o, '}');
    write_ingest(o);
    out_open(o, "http", '{');
    out_u64(o, "current_open", s->open);
    out_u64(o, "total_opened", s->counts.of[TALLY_connections]);
    out_close(o, '}');
    out_close(o, '}');
}

/* What every answer about nodes begins with. */
static void write_head(struct out *o)
{
    out_open(o, NULL, '{');
    out_open(o, "_nodes", '{');
    out_u64(o, "total", 1);
    out_u64(o, "successful", 1);
    out_u64(o, "failed", 0);
    out_close(o, '}');
    out_text(o, "cluster_name", "pitwall");
}

void stats_write_node(const struct stats *s, struct out *o)
{
    write_head(o);
    out_open(o, "nodes", '{');
    out_open(o, "pitwall-target", '{');
    out_text(o, "name", "pitwall-target");
    out_text(o, "version", ANSWER_VERSION);
    out_open(o, "roles", '[');
    out_text(o, NULL, "master");
    out_text(o, NULL, "data");
    out_text(o, NULL, "ingest");
    out_close(o, ']');
    out_open(o, "jvm", '{');
    out_open(o, "mem", '{');
    out_u64(o, "heap_max_in_bytes", s->heap.heap_bytes);
    out_close(o, '}');
    out_close(o, '}');
    out_close(o, '}');
    out_close(o, '}');
    out_close(o, '}');
}

void stats_write_cluster(const struct stats *s, struct out *o)
{
    write_head(o);
    out_text(o, "status", "green");
    out_open(o, "indices", '{');
    out_open(o, "shards", '{');
    out_u64(o, "total", s->kept.shards);
    out_u64(o, "primaries", s->kept.shards);
    out_close(o, '}');
    write_indexing(s, o);
    out_close(o, '}');
    out_open(o, "nodes", '{');
    out_open(o, "count", '{');
    out_u64(o, "total", 1);
    out_u64(o, "data", 1);
    out_close(o, '}');
    out_open(o, "versions", '[');
    out_text(o, NULL, ANSWER_VERSION);
    out_close(o, ']');
    out_open(o, "jvm", '{');
    out_open(o, "mem", '{');
    out_u64(o, "heap_used_in_bytes", s->heap.used_bytes);
    out_u64(o, "heap_max_in_bytes", s->heap.heap_bytes);
    out_close(o, '}');
    out_close(o, '}');
    out_close(o, '}');
    out_close(o, '}');
}

void stats_write_nodes(const struct stats *s, struct out *o)
{
    write_head(o);
    out_open(o, "nodes", '{');
    write_node(s, o);
    out_close(o, '}');
    out_close(o, '}');
}

void stats_write_indices(const struct stats *s, struct out *o)
{
    out_open(o, NULL, '{');
    out_open(o, "_shards", '{');
    out_u64(o, "total", 0);
    out_u64(o, "successful", 0);
    out_u64(o, "failed", 0);
    out_close(o, '}');
    out_open(o, "_all", '{');
    out_open(o, "primaries", '{');
    write_indexing(s, o);
    out_close(o, '}');
    out_open(o, "total", '{');
    write_indexing(s, o);
    out_close(o, '}');
    out_close(o, '}');
    out_open(o, "indices", '{');
    out_close(o, '}');
    out_close(o, '}');
}
