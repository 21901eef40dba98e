/* A reference run's settings as one cell of an experiment: the command line of
 * `pitwall run` that measures it. */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_LEVELS_H
#define PITWALL_TESTS_BENCH_FIDELITY_LEVELS_H

#include "tests/bench/fidelity/program.h"
#include "tests/bench/fidelity/row.h"

#define LEVELS_TEXT_MAX 128u

/* argv points into text: do not copy the struct. */
struct levels {
    char *argv[PROGRAM_ARGS_MAX + 1]; /* NULL-terminated */
    char text[PROGRAM_ARGS_MAX][LEVELS_TEXT_MAX];
    size_t n;
};

/* What else the command line names. */
struct levels_ground {
    const char *pitwall, *track, *db;
    uint64_t warmup_ns, measure_ns; /* whole milliseconds */
};

/* Why the row cannot be run live; NULL: it can. */
const char *levels_lacking(const struct row *row);

/* Make the command line of a row for which nothing is lacking.
 * ERR_RANGE: a path that is too long. */
CHECKED enum err levels_make(struct levels *levels, const struct row *row,
                             const struct levels_ground *ground,
                             struct why *why);

#endif
