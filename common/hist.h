/* A log-linear histogram of u64 values: constant memory, exact merging, three
 * significant digits.
 *
 * Values below 2048 have a bucket each; above, each power of two is cut into
 * 1024 buckets, so a bucket's width is at most 1/1024 of its lowest value and
 * the highest equivalent value is at most 0.1 % above the true one. Values of
 * 2^43 (8.8e12: two and a half hours in ns) and more count in the last bucket
 * and in `over`.
 *
 * Percentiles are nearest rank on the bucket's highest equivalent value
 * (statistics.md section 7), never above the largest recorded value. */
#ifndef PITWALL_COMMON_HIST_H
#define PITWALL_COMMON_HIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define HIST_BUCKETS  34816u
#define HIST_BLOB_MAX (64u + HIST_BUCKETS * 10u)

/* What one histogram may hold: nine years at a million per second, and sums of
 * 32,768 such histograms still fit u64. */
#define HIST_TOTAL_MAX (1ull << 48)

/* 278,568 bytes: keep it in static or heap memory, not on a stack. */
struct hist {
    uint64_t total;
    uint64_t sum;      /* stays at 2^64-1 when it would be more */
    uint64_t min, max; /* of the recorded values; 0 while total is 0 */
    uint64_t over;     /* values that did not fit, part of total */
    uint64_t counts[HIST_BUCKETS];
};

/* Bucket of a value and the highest value that falls into a bucket. */
uint32_t hist_bucket(uint64_t value);
uint64_t hist_bucket_high(uint32_t bucket);

/* Record one value, or n of the same (as many of them as HIST_TOTAL_MAX leaves
 * room for). Never allocates. */
void hist_record(struct hist *h, uint64_t value);
void hist_record_n(struct hist *h, uint64_t value, uint64_t n);

/* All zero again. */
void hist_reset(struct hist *h);

/* Add all of from to into, bucket by bucket: exact. */
void hist_merge(struct hist *into, const struct hist *from);

/* Value at quantile p in 0..1: rank max(1, ceil(p * total - 1e-9)). 0 when
 * empty. */
uint64_t hist_percentile(const struct hist *h, double p);

/* Mean of the recorded values; 0 when empty. */
double hist_mean(const struct hist *h);

/* Encode into buf of size bytes (HIST_BLOB_MAX always suffices): a version
 * byte (1), LEB128 of total, sum, min, max and over, then per bucket count << 1
 * or zero-run << 1 | 1, trailing zeros left out. Returns the length, 0 when buf
 * is too small. */
size_t hist_encode(const struct hist *h, uint8_t *buf, size_t size);

/* Decode what hist_encode made. Every length is checked; the counts must add up
 * to total, at most HIST_TOTAL_MAX, and min, max, sum and over must agree with
 * them: else ERR_CORRUPT and *h is zero. */
CHECKED enum err hist_decode(struct hist *h, const uint8_t *buf, size_t len,
                             struct why *why);

/* Whether hist_decode would take it: the same errors, and no histogram. */
CHECKED enum err hist_check(const uint8_t *buf, size_t len, struct why *why);

#endif
