/* The target's last word: the JSON that it writes when it stops (stream
 * target-final), read without trust. */
#ifndef PITWALL_RESULTS_FINAL_H
#define PITWALL_RESULTS_FINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/hist.h"

#define FINAL_BYTES_MAX (8u << 20)

/* The numbers taken from it, by object and member. NaN: not told. */
#define FINAL_NUMBERS(X)                                                       \
    X(total, docs)                                                             \
    X(total, docs_failed)                                                      \
    X(total, body_bytes)                                                       \
    X(window, t0_ns)                                                           \
    X(window, t1_ns)                                                           \
    X(window, docs)                                                            \
    X(window, requests)                                                        \
    X(window, rejected)                                                        \
    X(window, reads)                                                           \
    X(window, read_bytes)                                                      \
    X(window, zero_reads)                                                      \
    X(window, buffer_count)                                                    \
    X(window, buffer_bytes)                                                    \
    X(window, cpu_ns)                                                          \
    X(window, bulk_ns)                                                         \
    X(window, wait_ns)                                                         \
    X(window, queue_full)                                                      \
    X(window, disk_ns)                                                         \
    X(heap, used_max_bytes)                                                    \
    X(heap, alloc_bytes)                                                       \
    X(heap, tlab_count)                                                        \
    X(heap, tlab_bytes)                                                        \
    X(heap, tlab_min_bytes)                                                    \
    X(heap, tlab_max_bytes)                                                    \
    X(heap, outside_count)                                                     \
    X(heap, outside_bytes)                                                     \
    X(heap, outside_min_bytes)                                                 \
    X(heap, outside_max_bytes)                                                 \
    X(heap, young_count)                                                       \
    X(heap, young_pause_ns)                                                    \
    X(heap, old_count)                                                         \
    X(heap, old_pause_ns)                                                      \
    X(heap, pause_max_ns)                                                      \
    X(heap, safepoint_ns)                                                      \
    X(heap, young_since_start)                                                 \
    X(heap_worker, outside_bytes)                                              \
    X(index, docs)                                                             \
    X(index, segments)                                                         \
    X(index, store_bytes)                                                      \
    X(index, indexing_ns)                                                      \
    X(index, indexing_min_ns)                                                  \
    X(index, indexing_median_ns)                                               \
    X(index, indexing_max_ns)                                                  \
    X(index, merge_count)                                                      \
    X(index, merge_ns)                                                         \
    X(index, merge_min_ns)                                                     \
    X(index, merge_median_ns)                                                  \
    X(index, merge_max_ns)                                                     \
    X(index, refresh_count)                                                    \
    X(index, refresh_ns)                                                       \
    X(index, refresh_min_ns)                                                   \
    X(index, refresh_median_ns)                                                \
    X(index, refresh_max_ns)                                                   \
    X(index, flush_count)                                                      \
    X(index, flush_ns)                                                         \
    X(index, flush_min_ns)                                                     \
    X(index, flush_median_ns)                                                  \
    X(index, flush_max_ns)                                                     \
    X(index, native_max_bytes)

/* Its histograms ([[value, count], ...]), by the kind they are stored as. */
enum final_hist {
    FINAL_READ_BYTES,
    FINAL_READS_PER_LOOP,
    FINAL_SERVICE,
    FINAL_HICCUP,
    FINAL_HISTS
};

struct final {
    bool known;   /* a document was read */
    bool partial; /* it ended within the window */
    char outcome[16];
    uint64_t fixed_bytes; /* of a fixed predictor's buffers; 0: another */
#define X(object, member) double object##_##member;
    FINAL_NUMBERS(X)
#undef X
    struct hist *hists[FINAL_HISTS]; /* NULL: not told or empty */
};

/* The kind word of a histogram: "read_bytes", "reads_per_loop",
 * "target_service", "hiccup". */
const char *final_hist_name(enum final_hist i);

/* Everything NaN and empty; fini frees the histograms. */
void final_init(struct final *final);
void final_fini(struct final *final);

/* Read the document into *final (initialised). Members of other names are
 * passed over; a number that is negative, above 2^53 or none at all, or a
 * histogram of another shape: ERR_INVALID naming the place, *final is as
 * initialised. */
CHECKED enum err final_read(struct final *final, const uint8_t *json,
                            size_t len, struct why *why);

#endif
