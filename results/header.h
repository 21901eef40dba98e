/* The lines above a report: what was measured, where, in which order, how it
 * ended, and how far the lab itself can be trusted. */
#ifndef PITWALL_RESULTS_HEADER_H
#define PITWALL_RESULTS_HEADER_H

#include "results/grid.h"
#include "results/matrix.h"

/* Add the lines for the matrix's experiment to grid. */
CHECKED enum err header_add(const struct matrix *matrix, struct db *db,
                            struct grid *grid, struct why *why);

/* Add a line for each link of an experiment that stands for ethernet and is
 * none. */
CHECKED enum err header_emulated(struct db *db, int64_t experiment,
                                 struct grid *grid, struct why *why);

#endif
