/* Figures of the target's index, from its last word: Rally's rows, as far as
 * FTS5 does what they speak of. Totals since the target's start, of the indices
 * that were there at its end. */
#include "results/metric.h"

enum {
    INDEXING_TIME_NS,
    INDEXING_TIME_MIN_NS,
    INDEXING_TIME_MEDIAN_NS,
    INDEXING_TIME_MAX_NS,
    MERGE_TIME_NS,
    MERGE_COUNT,
    MERGE_TIME_MIN_NS,
    MERGE_TIME_MEDIAN_NS,
    MERGE_TIME_MAX_NS,
    REFRESH_TIME_NS,
    REFRESH_COUNT,
    REFRESH_TIME_MIN_NS,
    REFRESH_TIME_MEDIAN_NS,
    REFRESH_TIME_MAX_NS,
    FLUSH_TIME_NS,
    FLUSH_COUNT,
    FLUSH_TIME_MIN_NS,
    FLUSH_TIME_MEDIAN_NS,
    FLUSH_TIME_MAX_NS,
    STORE_BYTES,
    SEGMENT_COUNT,
    INDEX_DOCS,
    NATIVE_MAX_BYTES
};

static double told(const struct tally *tally, const struct tally_task *task,
                   int arg)
{
    const struct final *f = &tally->final;
    (void)task;
    const double numbers[] = {
        [INDEXING_TIME_NS] = f->index_indexing_ns,
        [INDEXING_TIME_MIN_NS] = f->index_indexing_min_ns,
        [INDEXING_TIME_MEDIAN_NS] = f->index_indexing_median_ns,
        [INDEXING_TIME_MAX_NS] = f->index_indexing_max_ns,
        [MERGE_TIME_NS] = f->index_merge_ns,
        [MERGE_COUNT] = f->index_merge_count,
        [MERGE_TIME_MIN_NS] = f->index_merge_min_ns,
        [MERGE_TIME_MEDIAN_NS] = f->index_merge_median_ns,
        [MERGE_TIME_MAX_NS] = f->index_merge_max_ns,
        [REFRESH_TIME_NS] = f->index_refresh_ns,
        [REFRESH_COUNT] = f->index_refresh_count,
        [REFRESH_TIME_MIN_NS] = f->index_refresh_min_ns,
        [REFRESH_TIME_MEDIAN_NS] = f->index_refresh_median_ns,
        [REFRESH_TIME_MAX_NS] = f->index_refresh_max_ns,
        [FLUSH_TIME_NS] = f->index_flush_ns,
        [FLUSH_COUNT] = f->index_flush_count,
        [FLUSH_TIME_MIN_NS] = f->index_flush_min_ns,
        [FLUSH_TIME_MEDIAN_NS] = f->index_flush_median_ns,
        [FLUSH_TIME_MAX_NS] = f->index_flush_max_ns,
        [STORE_BYTES] = f->index_store_bytes,
        [SEGMENT_COUNT] = f->index_segments,
        [INDEX_DOCS] = f->index_docs,
        [NATIVE_MAX_BYTES] = f->index_native_max_bytes};
    return numbers[arg];
}

/* Only at fixed work can times be judged: so by the bytes that came in. */
static double per_mb(const struct tally *tally, const struct tally_task *task,
                     int arg)
{
    return told(tally, task, arg) / (tally->final.total_body_bytes / 1e6);
}

static const struct metric rows[] = {
    {"indexing_time_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target",
     "time that bulks took to be prepared and committed, over all shards, "
     "since the target started",
     told, INDEXING_TIME_NS},
    {"indexing_time_min_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "the least that one shard has of indexing_time_ns", told,
     INDEXING_TIME_MIN_NS},
    {"indexing_time_median_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "the median of the shards' parts of indexing_time_ns", told,
     INDEXING_TIME_MEDIAN_NS},
    {"indexing_time_max_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "the most that one shard has of indexing_time_ns", told,
     INDEXING_TIME_MAX_NS},
    {"merge_time_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL, "target",
     "time that merging of segments took, over all shards, "
     "since the target started",
     told, MERGE_TIME_NS},
    {"merge_count", "merges", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "merges of segments, over all shards, since the target started",
     told, MERGE_COUNT},
    {"merge_time_min_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "the least that one shard has of merge_time_ns", told,
     MERGE_TIME_MIN_NS},
    {"merge_time_median_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "the median of the shards' parts of merge_time_ns", told,
     MERGE_TIME_MEDIAN_NS},
    {"merge_time_max_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "the most that one shard has of merge_time_ns", told,
     MERGE_TIME_MAX_NS},
    {"refresh_time_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target",
     "time that moving the searched snapshot took, over all shards, "
     "since the target started",
     told, REFRESH_TIME_NS},
    {"refresh_count", "refreshes", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target",
     "moves of the searched snapshot, over all shards, since the target "
     "started",
     told, REFRESH_COUNT},
    {"refresh_time_min_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "the least that one shard has of refresh_time_ns", told,
     REFRESH_TIME_MIN_NS},
    {"refresh_time_median_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "the median of the shards' parts of refresh_time_ns", told,
     REFRESH_TIME_MEDIAN_NS},
    {"refresh_time_max_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "the most that one shard has of refresh_time_ns", told,
     REFRESH_TIME_MAX_NS},
    {"flush_time_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL, "target",
     "time that writing the log back durably took, over all shards, "
     "since the target started",
     told, FLUSH_TIME_NS},
    {"flush_count", "flushes", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target",
     "durable writes of the log back, over all shards, since the target "
     "started",
     told, FLUSH_COUNT},
    {"flush_time_min_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "the least that one shard has of flush_time_ns", told,
     FLUSH_TIME_MIN_NS},
    {"flush_time_median_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "the median of the shards' parts of flush_time_ns", told,
     FLUSH_TIME_MEDIAN_NS},
    {"flush_time_max_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "the most that one shard has of flush_time_ns", told,
     FLUSH_TIME_MAX_NS},
    {"store_bytes", "bytes", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL, "target",
     "bytes of the shards' files at the end", told, STORE_BYTES},
    {"segment_count", "segments", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "FTS5's segments at the end", told, SEGMENT_COUNT},
    {"index_docs", "docs", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL, "target",
     "documents in the indices at the end", told, INDEX_DOCS},
    {"native_max_bytes", "bytes", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL,
     "target", "most that the index took at a time outside the heap", told,
     NATIVE_MAX_BYTES},
    {"indexing_time_per_mb", "ns/MB", METRIC_LOWER, METRIC_RATIO, METRIC_TRIAL,
     "target",
     "indexing_time_ns / 10^6 bytes of bodies since the target started", per_mb,
     INDEXING_TIME_NS},
    {"merge_time_per_mb", "ns/MB", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL,
     "target", "merge_time_ns / 10^6 bytes of bodies since the target started",
     per_mb, MERGE_TIME_NS},
};

const struct metric_group metric_index = {rows, sizeof rows / sizeof *rows};
