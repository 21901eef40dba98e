/* How near ours came to the run of the real JVM. */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_SCORE_H
#define PITWALL_TESTS_BENCH_FIDELITY_SCORE_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/bench/fidelity/figures.h"
#include "tests/bench/fidelity/row.h"

/* Nearness that counts as agreement: either of the two. */
#define SCORE_RATIO    0.25
#define SCORE_PER_BYTE 0.15

/* One figure, ours and the JVM's. */
struct pair {
    double ours, jvm;
};

struct score {
    bool scored, within; /* counts; agrees on both allocation figures, or is
                            out of memory as the JVM was */
    bool sizes_agree;    /* generations, exactly */
    bool largest_known, largest_agrees; /* see score_row */
    bool reads_agree; /* buffers per byte: live ones may be other reads */
    struct pair outside, tlab; /* bytes per ingested byte */
    struct pair tlab_avg, young, old, largest, buffers;
};

/* Whether ours ran out of memory, in more than half of the runs. */
bool score_oom(const struct figures *ours);

/* Judge one row. The largest object outside buffers is compared where the
 * predictor alone determines it: fixed, no body copied, no consolidation, and
 * both sides had such an object. */
void score_row(const struct row *row, const struct figures *ours,
               struct score *out);

/* Whether two values of an allocation figure agree. */
bool score_near(double a, double b);

/* The JVM against itself: pairs of scored runs of the same settings that did
 * not run out of memory, and how many of them agree. */
struct repeats {
    size_t pairs, agree;
};
struct repeats score_repeats(const struct rows *rows);

#endif
