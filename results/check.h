/* Whether an experiment's figures can be believed: each trial's validity, the
 * figures that several sources tell, its steady state, and what the order of
 * the trials did. */
#ifndef PITWALL_RESULTS_CHECK_H
#define PITWALL_RESULTS_CHECK_H

#include "results/grid.h"
#include "results/matrix.h"
#include "results/store.h"

struct check_counts {
    size_t trials, invalid; /* with a chosen attempt; of them broke a rule */
    size_t figures;         /* that several sources tell */
    size_t differ;          /* of them do not agree */
};

/* Fill grid: a row per trial and check, a column per source; notes for the
 * whole. faults: only rows that are not in order. The store's checksums are
 * read first.
 * Errors  ERR_CORRUPT: a row of the store does not match its checksum. */
CHECKED enum err answer_check(struct store *store, int64_t experiment,
                              bool faults, struct grid *grid,
                              struct check_counts *counts, struct why *why);

#endif
