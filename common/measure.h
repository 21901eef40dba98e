/* What a figure means: the measured window and which percentiles a number of
 * samples can bear. Shared by results/ and pitwall-load --json, so that both
 * print the same number for the same data (statistics.md section 7). */
#ifndef PITWALL_COMMON_MEASURE_H
#define PITWALL_COMMON_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/hist.h"

/* Load starts at t0; the warm-up follows, then the window [begin, end). All in
 * CLOCK_MONOTONIC ns of the machine that drives. */
struct measure_window {
    uint64_t t0_ns;
    uint64_t begin_ns; /* t0 + warm-up */
    uint64_t end_ns;   /* begin + measured time */
};

/* The window of START_AT's three numbers. */
struct measure_window measure_window(uint64_t t0_ns, uint64_t warmup_ns,
                                     uint64_t measure_ns);

/* An operation belongs to the window by its INTENDED start. */
static inline bool measure_holds(const struct measure_window *w,
                                 uint64_t intended_ns)
{
    return intended_ns >= w->begin_ns && intended_ns < w->end_ns;
}

/* Second of a moment counted from the window's begin: 0 is the first measured
 * second, negative ones are warm-up. */
int64_t measure_second(const struct measure_window *w, uint64_t t_ns);

/* Operations in the window over its length, per second; 0 for no length. */
double measure_rate(uint64_t ops, uint64_t window_ns);

/* The percentiles that are ever printed, ascending, and how many samples each
 * needs (10 beyond it): p50 from 20, p90 from 100, p99 from 1000, p99.9 from
 * 10,000, p99.99 from 100,000. */
struct measure_percentile {
    double p;         /* 0..1 */
    const char *name; /* "p99.9" */
    uint64_t samples_min;
};

#define MEASURE_PERCENTILES 5
extern const struct measure_percentile measure_percentiles[MEASURE_PERCENTILES];

/* Value of percentile i of the table, or false when h has too few samples. */
bool measure_value(const struct hist *h, size_t i, uint64_t *value);

#endif
