#include "results/foreign_word.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Rally's summary, by the labels of its old and new versions. */
static const struct {
    const char *label, *metric;
} rows[] = {{"Indexing time", "indexing_time_ns"},
            {"Cumulative indexing time of primary shards", "indexing_time_ns"},
            {"Merge time", "merge_time_ns"},
            {"Cumulative merge time of primary shards", "merge_time_ns"},
            {"Merge throttle time", "merge_throttle_time_ns"},
            {"Refresh time", "refresh_time_ns"},
            {"Cumulative refresh time of primary shards", "refresh_time_ns"},
            {"Flush time", "flush_time_ns"},
            {"Cumulative flush time of primary shards", "flush_time_ns"},
            {"Total Young Gen GC", "young_pause_ns"},
            {"Total Young Gen GC time", "young_pause_ns"},
            {"Total Young Gen GC count", "young_count"},
            {"Total Old Gen GC", "old_pause_ns"},
            {"Total Old Gen GC time", "old_pause_ns"},
            {"Total Old Gen GC count", "old_count"},
            {"Store size", "store_bytes"},
            {"Segment count", "segment_count"},
            {"Min Throughput", "throughput_running_min"},
            {"Mean Throughput", "throughput_running_mean"},
            {"Median Throughput", "throughput_running_median"},
            {"median indexing throughput", "throughput_running_median"},
            {"Max Throughput", "throughput_running_max"},
            {"error rate", "error_rate"}};

static const struct foreign_column columns[] = {
    {"heap_gb", FOREIGN_FACTOR, "heap", "%sg"},
    {"heap", FOREIGN_FACTOR, "heap", "%s"},
    {"predictor_kb", FOREIGN_FACTOR, "predictor", "fixed:%sk"},
    {"predictor", FOREIGN_FACTOR, "predictor", "%s"},
    {"link", FOREIGN_FACTOR, "link", "%s"},
    {"rmem", FOREIGN_FACTOR, "rmem", "%s"},
    {"initial_buffer", FOREIGN_FACTOR, "target.initial_buffer", "%s"},
    {"scenario", FOREIGN_FACTOR, "scenario", "%s"},
    {"workload", FOREIGN_FACTOR, "workload", "%s"},
    {"generation", FOREIGN_FACTOR, "generation", "%s"},
    {"source", FOREIGN_FACTOR, "source", "%s"},
    {"check", FOREIGN_FACTOR, "check", "%s"},
    {"setting", FOREIGN_FACTOR, "setting", "%s"},
    {"default_10240_87380_16777216", FOREIGN_LEVEL, "rmem", "default"},
    {"low_10240_10240_10240", FOREIGN_LEVEL, "rmem", "low"},
    {"high_16777216_16777216_16777216", FOREIGN_LEVEL, "rmem", "high"},
    {"fixed_64k", FOREIGN_LEVEL, "predictor", "fixed:64k"},
    {"adaptive_1k_512k", FOREIGN_LEVEL, "predictor", "adaptive:1k-512k"},
    {"median_docs_per_s", FOREIGN_METRIC, "throughput_running_median", ""},
    {"outside_count", FOREIGN_METRIC, "outside_count", ""},
    {"outside_max", FOREIGN_METRIC, "outside_max_bytes", "bytes"},
    {"outside_min", FOREIGN_METRIC, "outside_min_bytes", "bytes"},
    {"outside_avg", FOREIGN_METRIC, "outside_avg_bytes", "bytes"},
    {"outside_total", FOREIGN_METRIC, "outside_bytes", "bytes"},
    {"outside_rate", FOREIGN_METRIC, "outside_bytes_s", "bytes/s"},
    {"tlab_count", FOREIGN_METRIC, "tlab_count", ""},
    {"tlab_max", FOREIGN_METRIC, "tlab_max_bytes", "bytes"},
    {"tlab_min", FOREIGN_METRIC, "tlab_min_bytes", "bytes"},
    {"tlab_avg", FOREIGN_METRIC, "tlab_avg_bytes", "bytes"},
    {"tlab_total", FOREIGN_METRIC, "tlab_bytes", "bytes"},
    {"tlab_rate", FOREIGN_METRIC, "tlab_bytes_s", "bytes/s"},
    {"bytes_outside_tlab_network_layer", FOREIGN_METRIC, "outside_bytes",
     "bytes"},
    {"header_parse_cpu_percent", FOREIGN_METRIC, "header_parse_share", "%"},
    {"segments", FOREIGN_METRIC, "segment_count", ""},
    {"gc_time_ms", FOREIGN_METRIC, "gc_elapsed_ns", "ms"},
    {"collections", FOREIGN_METRIC, "collections", ""},
    {"metric", FOREIGN_NAME, NULL, NULL},
    {"unit", FOREIGN_UNIT, NULL, NULL},
    {"value", FOREIGN_VALUE, NULL, NULL},
    {"oom", FOREIGN_OOM, NULL, NULL},
    {"run", FOREIGN_BLOCK, NULL, NULL},
    {"block", FOREIGN_BLOCK, NULL, NULL}};

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* "99.9th percentile latency" to latency_p99.9; the 100th is latency_max. */
static const char *percentile(const char *label, char *buf, size_t size)
{
    static const char *const kinds[][2] = {
        {"th percentile latency", "latency"},
        {"th percentile service time", "service"},
        {"th percentile processing time", "processing"}};
    size_t digits = strspn(label, "0123456789.");
    for (size_t i = 0; digits && digits < 10 && i < COUNT(kinds); i++) {
        if (strcasecmp(label + digits, kinds[i][0]) != 0)
            continue;
        if (digits > 2 && !strncmp(label + digits - 2, ".0", 2))
            digits -= 2;
        if (digits == 3 && !strncmp(label, "100", 3))
            (void)snprintf(buf, size, "%s_max", kinds[i][1]);
        else
            (void)snprintf(buf, size, "%s_p%.*s", kinds[i][1], (int)digits,
                           label);
        return buf;
    }
    return NULL;
}

const char *foreign_word_row(const char *label, char *buf, size_t size)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        if (!strcasecmp(label, rows[i].label)) {
            (void)snprintf(buf, size, "%s", rows[i].metric);
            return buf;
        }
    if (percentile(label, buf, size))
        return buf;
    size_t n = 0;
    for (const char *p = label; *p && n + 1 < size; p++) {
        bool good = isalnum((unsigned char)*p) && (unsigned char)*p < 128;
        if (good)
            buf[n++] = (char)tolower((unsigned char)*p);
        else if (n && buf[n - 1] != '_')
            buf[n++] = '_';
    }
    while (n && buf[n - 1] == '_')
        n--;
    buf[n] = '\0';
    return buf;
}

const char *foreign_word_unit(const char *unit)
{
    if (!strcmp(unit, "docs/s"))
        return "throughput";
    if (!strcmp(unit, "Gbit/s"))
        return "link_capacity";
    return strcmp(unit, "%") ? NULL : "link_utilization";
}

const struct foreign_column *foreign_word_column(const char *name)
{
    for (size_t i = 0; i < COUNT(columns); i++)
        if (!strcmp(name, columns[i].name))
            return &columns[i];
    return NULL;
}

const struct foreign_column *foreign_word_column_at(size_t i)
{
    return i < COUNT(columns) ? &columns[i] : NULL;
}
