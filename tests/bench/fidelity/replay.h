/* Feed the reads of one reference run into the target's receive path and heap,
 * deterministically: one thread, a clock of its own, seeded chance. */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_REPLAY_H
#define PITWALL_TESTS_BENCH_FIDELITY_REPLAY_H

#include "tests/bench/fidelity/figures.h"
#include "tests/bench/fidelity/row.h"

/* Replay a row with the given seed and add what it did to out. ERR_NOMEM (of
 * the machine), ERR_UNSUPPORTED. */
CHECKED enum err replay_run(const struct row *row, uint64_t seed,
                            struct figures *out, struct why *why);

#endif
