/* What the load sends live: a track and its corpus, so that the bodies are as
 * long as a reference run's, of lines as long as its driver's. */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_WORKLOAD_H
#define PITWALL_TESTS_BENCH_FIDELITY_WORKLOAD_H

#include "tests/bench/fidelity/row.h"

/* Write both into folder unless they are there; the track's path to
 * path [size]. A line of the driver's is an action and a document here.
 * Errors  ERR_NOMEM; errno's, naming the file. */
CHECKED enum err workload_make(const char *folder, const struct row *row,
                               char *path, size_t size, struct why *why);

#endif
