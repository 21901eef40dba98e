/* Reading the race.json of Rally, and the test run of OpenSearch Benchmark. */
#ifndef PITWALL_RESULTS_FOREIGN_RACE_H
#define PITWALL_RESULTS_FOREIGN_RACE_H

#include "common/json.h"
#include "results/foreign.h"

/* Read one race as an experiment of one trial, or one per cluster. A race
 * without results died, or is not over: its trial is aborted. name heads the
 * errors.
 * Errors  ERR_INVALID naming the member, what it is and what is accepted.
 * Owns    *out for foreign_fini, also then. */
CHECKED enum err foreign_race_read(struct foreign *out, const char *name,
                                   const struct jv *root, struct why *why);

#endif
