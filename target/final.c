#include "target/final.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Four histograms of 34,816 buckets at most, 22 bytes a pair at most, are
 * 3.1 MB; the rest is a few kilobytes. */
#define RECORD_BYTES (4u << 20)

struct final {
    struct hist sum; /* of all threads */
    char text[RECORD_BYTES];
};

/* Every member of struct heap_stats, in its order. */
/* clang-format off */
#define HEAP_STATS(X)                                                          \
    X(heap_bytes) X(eden_bytes) X(survivor_bytes) X(old_bytes)                 \
    X(used_bytes) X(live_bytes) X(used_max_bytes)                              \
    X(alloc_count) X(alloc_bytes)                                              \
    X(tlab_count) X(tlab_bytes) X(tlab_min_bytes) X(tlab_max_bytes)            \
    X(outside_count) X(outside_bytes)                                          \
    X(outside_min_bytes) X(outside_max_bytes)                                  \
    X(young_count) X(young_pause_ns) X(old_count) X(old_pause_ns)              \
    X(pause_max_ns) X(safepoint_ns) X(safepoint_max_ns)                        \
    X(promoted_bytes) X(promotion_failed)                                      \
    X(young_since_start) X(oom_count) X(oom_bytes)
/* clang-format on */

#define X(name) +sizeof(uint64_t)
_Static_assert(sizeof(struct heap_stats) == 0 HEAP_STATS(X),
               "the list has every member of struct heap_stats");
#undef X

struct final *final_new(void)
{
    struct final *f = malloc(sizeof *f);
    if (f)
        memset(f, 1, sizeof *f); /* not calloc: the pages are to be there */
    return f;
}

void final_free(struct final *f)
{
    free(f);
}

static void write_counts(struct out *o, const struct counts *c,
                         const enum tally_field *fields, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out_u64(o, tally_name(fields[i]), c->of[fields[i]]);
}

static void write_total(struct out *o, const struct final_facts *facts)
{
    static const enum tally_field fields[] = {
        TALLY_docs,     TALLY_docs_failed, TALLY_docs_lost,   TALLY_requests,
        TALLY_rejected, TALLY_errors,      TALLY_connections, TALLY_body_bytes,
        TALLY_reads,    TALLY_read_bytes};
    struct counts c = {0};
    for (size_t i = 0; i < facts->n_tallies; i++)
        tally_sum(facts->tallies[i], &c);
    out_open(o, "total", '{');
    write_counts(o, &c, fields, sizeof fields / sizeof *fields);
    out_close(o, '}');
}

static void write_window(struct out *o, const struct final_facts *facts)
{
    static const enum tally_field fields[] = {
        TALLY_docs,         TALLY_docs_failed,  TALLY_requests,
        TALLY_rejected,     TALLY_errors,       TALLY_body_bytes,
        TALLY_reads,        TALLY_read_bytes,   TALLY_zero_reads,
        TALLY_buffer_count, TALLY_buffer_bytes, TALLY_bulk_ns,
        TALLY_wait_ns,      TALLY_queue_full};
    struct counts c = {0};
    for (size_t i = 0; i < facts->n_tallies; i++)
        tally_sum_window(facts->tallies[i], &c);
    out_open(o, "window", '{');
    out_u64(o, "t0_ns", facts->window->t0_ns);
    out_u64(o, "t1_ns", facts->window->t1_ns);
    write_counts(o, &c, fields, sizeof fields / sizeof *fields);
    out_u64(o, "cpu_ns", facts->window->cpu_ns);
    out_u64(o, "disk_ns", facts->window->disk.wait_ns);
    out_u64(o, "disk_syncs", facts->window->disk.syncs);
    out_close(o, '}');
}

static void write_heap(struct out *o, const char *key,
                       const struct heap_stats *s)
{
    out_open(o, key, '{');
#define X(name) out_u64(o, #name, s->name);
    HEAP_STATS(X)
#undef X
    out_close(o, '}');
}

/* What the indices that are there in the end did since they were opened. */
static void write_index(struct out *o, const struct census *c)
{
    static const char *const works[CENSUS_WORKS] = {[CENSUS_INDEX] = "indexing",
                                                    [CENSUS_MERGE] = "merge",
                                                    [CENSUS_REFRESH] =
                                                        "refresh",
                                                    [CENSUS_FLUSH] = "flush"};
    const uint64_t sums_ns[CENSUS_WORKS] = {[CENSUS_INDEX] = c->sum.index_ns,
                                            [CENSUS_MERGE] = c->sum.merge_ns,
                                            [CENSUS_REFRESH] =
                                                c->sum.refresh_ns,
                                            [CENSUS_FLUSH] = c->sum.flush_ns};
    char key[32];
    out_open(o, "index", '{');
    out_u64(o, "docs", c->sum.docs);
    out_u64(o, "deleted", c->sum.deleted);
    out_u64(o, "shards", c->sum.shards);
    out_u64(o, "segments", c->sum.segments);
    out_u64(o, "store_bytes", c->sum.store_bytes);
    out_u64(o, "indexing_count", c->sum.index_count);
    out_u64(o, "merge_count", c->sum.merge_count);
    out_u64(o, "refresh_count", c->sum.refresh_count);
    out_u64(o, "flush_count", c->sum.flush_count);
    for (int i = 0; i < CENSUS_WORKS; i++) {
        (void)snprintf(key, sizeof key, "%s_ns", works[i]);
        out_u64(o, key, sums_ns[i]);
        (void)snprintf(key, sizeof key, "%s_min_ns", works[i]);
        out_u64(o, key, c->spread[i].min_ns);
        (void)snprintf(key, sizeof key, "%s_median_ns", works[i]);
        out_u64(o, key, c->spread[i].median_ns);
        (void)snprintf(key, sizeof key, "%s_max_ns", works[i]);
        out_u64(o, key, c->spread[i].max_ns);
    }
    out_u64(o, "native_used_bytes", c->native_used_bytes);
    out_u64(o, "native_max_bytes", c->native_max_bytes);
    out_close(o, '}');
}

/* [[value,count],...] with each bucket's lowest value: a full buffer of 65536
 * bytes reads as 65536. */
static void write_hist(struct out *o, const char *key, const struct hist *h)
{
    out_open(o, key, '[');
    for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
        if (!h->counts[i])
            continue;
        out_open(o, NULL, '[');
        out_u64(o, NULL, i ? hist_bucket_high(i - 1) + 1 : 0);
        out_u64(o, NULL, h->counts[i]);
        out_close(o, ']');
    }
    out_close(o, ']');
}

static void write_hists(struct final *f, struct out *o,
                        const struct final_facts *facts)
{
    static const struct {
        const char *key;
        size_t offset;
    } hists[] = {{"read_bytes", offsetof(struct tally, read_bytes)},
                 {"reads_per_loop", offsetof(struct tally, reads_per_loop)},
                 {"service_ns", offsetof(struct tally, service_ns)}};
    for (size_t k = 0; k < sizeof hists / sizeof *hists; k++) {
        hist_reset(&f->sum);
        for (size_t i = 0; i < facts->n_tallies; i++) {
            const struct tally *t = facts->tallies[i];
            const char *base = (const char *)t + hists[k].offset;
            if (tally_current(t))
                hist_merge(&f->sum, (const struct hist *)(const void *)base);
        }
        write_hist(o, hists[k].key, &f->sum);
    }
}

const char *final_write(struct final *f, const struct final_facts *facts,
                        size_t *len)
{
    struct out o = out_to(f->text, sizeof f->text);
    const struct gauge_window *w = facts->window;
    out_open(&o, NULL, '{');
    out_u64(&o, "version", 1);
    out_text(&o, "outcome", facts->oom ? "oom" : "ok");
    out_bool(&o, "partial", facts->oom || !w->whole);
    write_total(&o, facts);
    write_window(&o, facts);
    write_heap(&o, "heap", &w->heap.all);
    write_heap(&o, "heap_worker", &w->heap.worker);
    write_heap(&o, "heap_bulk", &w->heap.bulk);
    if (facts->census)
        write_index(&o, facts->census);
    write_hists(f, &o, facts);
    if (facts->hiccup_ns)
        write_hist(&o, "hiccup_ns", facts->hiccup_ns);
    settings_write(facts->settings, &o);
    out_close(&o, '}');
    out_raw(&o, "\n", 1);
    *len = o.len;
    return f->text;
}
