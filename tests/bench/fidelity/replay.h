/* Feed the reads of one reference run into the target's receive path and heap,
 * deterministically: one thread, a clock of its own, seeded chance. */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_REPLAY_H
#define PITWALL_TESTS_BENCH_FIDELITY_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "target/heap/heap.h"
#include "tests/bench/fidelity/row.h"

/* What ours did in the measured window, summed over several replays of a row;
 * those that did not end as the JVM did (out of memory or not) are only
 * counted. */
struct figures {
    unsigned replays, ooms;
    uint64_t bytes;   /* read */
    uint64_t buffers; /* bytes of all read buffers */
    struct heap_stats heap;
};

/* Replay a row with the given seed and add what it did to out. ERR_NOMEM (of
 * the machine), ERR_UNSUPPORTED. */
CHECKED enum err replay_run(const struct row *row, uint64_t seed,
                            struct figures *out, struct why *why);

#endif
