/* Where a page's figures come from: machines, and the experiment that would
 * repeat them. */
#ifndef PITWALL_RESULTS_PAGE_FACTS_H
#define PITWALL_RESULTS_PAGE_FACTS_H

#include <stdio.h>

#include "results/db.h"

/* Write the facts of each agent's machine as a table, at most FACTS_MAX. */
CHECKED enum err page_machines(FILE *out, struct db *db, int64_t experiment,
                               struct why *why);

/* Write what made the experiment: its identity, version, seed, times, tags,
 * and its file. */
CHECKED enum err page_provenance(FILE *out, struct db *db, int64_t experiment,
                                 struct why *why);

#endif
