/* How near ours came to the run of the real JVM. */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_SCORE_H
#define PITWALL_TESTS_BENCH_FIDELITY_SCORE_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/bench/fidelity/figures.h"
#include "tests/bench/fidelity/row.h"

/* Nearness that counts as agreement: either of the two.
 *
 * Not every run can agree: neither do the JVM's own repeats. Where a buffer is
 * larger than a 64th of an allocation buffer, an event loop fills one per cycle
 * and then allocates outside, as long as what is left at its end exceeds that
 * 64th. Where it happens not to, the loop takes the next one, of the same size
 * and with the same rest, and so on to the end of its cycle. With 512 KB at
 * 2 GB one loop's cycle in twelve is so (rest and limit 45 KB of 524 KB), each
 * worth up to 66 allocation buffers: in a replay of run 153 six of 36 cycles
 * took 164 of 217. A handful of such events in a run make its share of them,
 * from 2.9 to 9.6 bytes per byte over eight seeds, with the JVM's one run at
 * 3.8; the two of run 1037's cell had 5.4 and 7.9. */
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
    bool reads_agree; /* by buffers per byte; live ones may be other reads */
    bool per_buffer;  /* within by what a byte of buffers costs, whatever the
                         reads were */
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
