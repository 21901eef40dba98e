/* Runs of the reference done again live, by the product itself: `pitwall run`
 * with the row's settings, on links of this machine. */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_LIVE_H
#define PITWALL_TESTS_BENCH_FIDELITY_LIVE_H

#include "tests/bench/fidelity/reading.h"
#include "tests/bench/fidelity/row.h"

struct live;

/* Get ready: a folder for files, signals held back (they end a run in good
 * order). pitwall: the program's path (borrowed). Owns: *out, for live_close,
 * which removes the folder; NULL on failure. Thread: before any is started. */
CHECKED enum err live_open(struct live **out, const char *pitwall,
                           struct why *why);
void live_close(struct live *live);

/* Run a row (levels_lacking: nothing) until about as much is allocated as in
 * the JVM's run, and add what the target did to out. Errors of the program;
 * ERR_INTERRUPTED. */
CHECKED enum err live_run(struct live *live, const struct row *row,
                          struct result *out, struct why *why);

#endif
