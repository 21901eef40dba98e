/* The reference: what was set for each run of the real JVM, what it did, and
 * the sizes of its reads (jvm-reference.csv, jvm-read-histograms.csv). */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_ROW_H
#define PITWALL_TESTS_BENCH_FIDELITY_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define ROW_TEXT 24u

/* Reads of about the same size: low to high bytes, together bytes. */
struct size_class {
    uint64_t low, high, count, bytes;
};

/* Settings of a run. */
#define ROW_SETTINGS(X)                                                        \
    X(heap_mb)                                                                 \
    X(max_messages_per_read)                                                   \
    X(body_bytes)                                                              \
    X(connections)                                                             \
    X(workers)                                                                 \
    X(initial_buffer_size)                                                     \
    X(max_components)                                                          \
    X(parse_work)                                                              \
    X(service_delay_ms)                                                        \
    X(warmup_bytes)                                                            \
    X(es_body_copy)                                                            \
    X(hdr_count)                                                               \
    X(hdr_len)                                                                 \
    X(bytes_target)

/* What the JVM did. */
#define ROW_RESULTS(X)                                                         \
    X(bytes_ingested)                                                          \
    X(requests)                                                                \
    X(reads)                                                                   \
    X(recv_buf_alloc_bytes)                                                    \
    X(out_tlab_bytes)                                                          \
    X(out_tlab_max)                                                            \
    X(tlab_count)                                                              \
    X(tlab_bytes)                                                              \
    X(gc_young_count)                                                          \
    X(gc_old_count)                                                            \
    X(eden_bytes)                                                              \
    X(survivor_bytes)                                                          \
    X(old_bytes)

struct row {
    uint64_t run;
    char phase[ROW_TEXT], link[ROW_TEXT], rmem[ROW_TEXT], gc[ROW_TEXT];
    char predictor[ROW_TEXT], outcome[ROW_TEXT];
#define X(name) uint64_t name;
    ROW_SETTINGS(X)
    ROW_RESULTS(X)
#undef X
    struct size_class *sizes; /* [n_sizes] of kind "read", ascending */
    size_t n_sizes;
};

struct rows {
    struct row *of;
    size_t n;
};

/* Read both tables. Errors name file and line. Owns: rows_free. */
CHECKED enum err rows_load(struct rows *rows, const char *reference,
                           const char *histograms, struct why *why);
void rows_free(struct rows *rows);

/* Whether both runs had the same settings: repeats of one cell. */
bool row_same_cell(const struct row *a, const struct row *b);

/* Whether the run counts: links lo and eth200m and rmem low, as far as the
 * collector is Serial, the one that is built. */
bool row_scored(const struct row *row);

/* Whether it ran out of memory. */
bool row_oom(const struct row *row);

#endif
