/* What the order of the trials did to their throughput: drift over the sitting,
 * effects of a trial's place in its block, single trials far off. */
#ifndef PITWALL_RESULTS_CHECK_ORDER_H
#define PITWALL_RESULTS_CHECK_ORDER_H

#include "results/grid.h"
#include "results/matrix.h"

/* Add a line to grid's notes for each. Cells of which a trial is missing are
 * left out. ERR_CORRUPT: a figure fails its checksum. */
CHECKED enum err check_order(const struct matrix *matrix, struct db *db,
                             struct grid *grid, struct why *why);

#endif
