#include "target/stats_index.h"

#include <stdio.h>

#include "common/clock.h"

static void totals(struct out *o, uint64_t count, uint64_t ns)
{
    out_u64(o, "total", count);
    out_u64(o, "total_time_in_millis", ns / NS_PER_MS);
    out_u64(o, "total_time_in_nanos", ns);
}

static void work(struct out *o, const char *key, uint64_t count, uint64_t ns)
{
    out_open(o, key, '{');
    totals(o, count, ns);
    out_close(o, '}');
}

void stats_index_counts(struct out *o, const struct census_counts *c)
{
    out_open(o, "docs", '{');
    out_u64(o, "count", c->docs);
    /* Old versions leave the index with the bulk that replaces them. */
    out_u64(o, "deleted", 0);
    out_close(o, '}');
    out_open(o, "store", '{');
    out_u64(o, "size_in_bytes", c->store_bytes);
    out_close(o, '}');
    out_open(o, "indexing", '{');
    out_u64(o, "index_total", c->index_count);
    out_u64(o, "index_time_in_millis", c->index_ns / NS_PER_MS);
    out_u64(o, "index_time_in_nanos", c->index_ns);
    out_u64(o, "delete_total", c->deleted);
    out_close(o, '}');
    out_open(o, "search", '{');
    out_u64(o, "query_total", c->search_count);
    out_u64(o, "query_time_in_millis", c->search_ns / NS_PER_MS);
    out_close(o, '}');
    out_open(o, "merges", '{');
    out_u64(o, "current", c->merging); /* Rally's tracks wait for none */
    totals(o, c->merge_count, c->merge_ns);
    out_close(o, '}');
    work(o, "refresh", c->refresh_count, c->refresh_ns);
    work(o, "flush", c->flush_count, c->flush_ns);
    out_open(o, "segments", '{');
    out_u64(o, "count", c->segments);
    out_close(o, '}');
}

void stats_index_sum(struct index *x, struct census_counts *sum)
{
    for (uint32_t i = 0; i < x->n_shards; i++)
        census_add(sum, x->shards[i]);
}

/* There are no replicas: the total is the primaries'. */
static void both(struct out *o, const struct census_counts *c)
{
    out_open(o, "primaries", '{');
    stats_index_counts(o, c);
    out_close(o, '}');
    out_open(o, "total", '{');
    stats_index_counts(o, c);
    out_close(o, '}');
}

static void write_shards(struct out *o, struct index *x)
{
    out_open(o, "shards", '{');
    for (uint32_t i = 0; i < x->n_shards; i++) {
        struct census_counts c = {0};
        char number[16];
        (void)snprintf(number, sizeof number, "%u", i);
        census_add(&c, x->shards[i]);
        out_open(o, number, '[');
        out_open(o, NULL, '{');
        out_open(o, "routing", '{');
        out_text(o, "state", "STARTED");
        out_bool(o, "primary", true);
        out_text(o, "node", "pitwall-target");
        out_close(o, '}');
        stats_index_counts(o, &c);
        out_close(o, '}');
        out_close(o, ']');
    }
    out_close(o, '}');
}

static void write_index(struct out *o, struct index *x, bool shards)
{
    struct census_counts c = {0};
    char uuid[24];
    stats_index_sum(x, &c);
    (void)snprintf(uuid, sizeof uuid, "%016llx", (unsigned long long)x->seed);
    out_open(o, x->name, '{');
    out_text(o, "uuid", uuid);
    both(o, &c);
    if (shards)
        write_shards(o, x);
    out_close(o, '}');
}

void stats_index_write(struct out *o, struct index *const *list, size_t n,
                       bool shards)
{
    struct census_counts all = {0};
    for (size_t i = 0; i < n; i++)
        stats_index_sum(list[i], &all);
    out_open(o, NULL, '{');
    out_open(o, "_shards", '{');
    out_u64(o, "total", all.shards);
    out_u64(o, "successful", all.shards);
    out_u64(o, "failed", 0);
    out_close(o, '}');
    out_open(o, "_all", '{');
    both(o, &all);
    out_close(o, '}');
    out_open(o, "indices", '{');
    for (size_t i = 0; i < n; i++)
        write_index(o, list[i], shards);
    out_close(o, '}');
    out_close(o, '}');
}
