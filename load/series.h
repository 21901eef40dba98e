/* A task's seconds, collected by the main thread while the load runs: each
 * thread's blocks of the same second added up, then kept encoded. */
#ifndef PITWALL_LOAD_SERIES_H
#define PITWALL_LOAD_SERIES_H

#include "load/recorder.h"

/* Of encoded histograms in one task; beyond it seconds have counts only. */
#define SERIES_BLOBS_MAX ((size_t)64 << 20)
#define SERIES_OPEN      (2 * RECORDER_BLOCKS)

struct series_blob {
    uint8_t *data; /* hist_encode; NULL: empty */
    size_t len;
};

struct series_second {
    int64_t second;
    struct recorder_counts counts;
    uint64_t in_flight;
    struct series_blob latency, service;
};

/* A second that not all threads have handed over yet. */
struct series_sum {
    struct recorder_second sum;
    uint32_t n_threads; /* that did; 0: free */
};

struct series {
    struct series_second *seconds; /* [n], ascending but for lost ones */
    size_t n, cap;
    size_t blob_bytes;
    uint64_t lost; /* seconds, or their histograms, that found no memory */
    uint64_t bare; /* histograms left out, beyond SERIES_BLOBS_MAX */
    uint32_t n_threads;
    struct series_sum *open; /* [SERIES_OPEN] */
    uint8_t *buf;            /* [HIST_BLOB_MAX] */
};

/* For n_threads recorders. ERR_NOMEM. */
CHECKED enum err series_init(struct series *s, uint32_t n_threads,
                             struct why *why);
void series_fini(struct series *s);

/* Add one thread's block of a second. */
void series_add(struct series *s, const struct recorder_second *block);

/* Take all full blocks of one recorder. */
void series_collect(struct series *s, struct recorder *r);

/* No more comes: close what is open, put the seconds in order, leave out empty
 * ones at the end. */
void series_end(struct series *s);

#endif
