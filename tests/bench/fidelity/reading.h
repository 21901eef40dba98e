/* What a live trial's target said at its end, read back from the store by
 * `pitwall query --json`. */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_READING_H
#define PITWALL_TESTS_BENCH_FIDELITY_READING_H

#include "tests/bench/fidelity/figures.h"

/* The statement: one row. */
const char *reading_sql(void);

/* Read what the query printed: the figures of the window, and why the trial is
 * invalid as the note. ERR_CHILD: the trial failed, with its error;
 * ERR_INVALID: another document than expected. */
CHECKED enum err reading_take(const char *json, struct result *out,
                              struct why *why);

#endif
