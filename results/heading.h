/* The lines above a report: what was measured, where, in which order, how it
 * ended, and how far the lab itself can be trusted. One place for all who print
 * answers about an experiment. */
#ifndef PITWALL_RESULTS_HEADING_H
#define PITWALL_RESULTS_HEADING_H

#include "results/grid.h"
#include "results/matrix.h"

/* Add all lines for the matrix's experiment to grid as notes: title,
 * conditions, trust. */
CHECKED enum err heading_add(const struct matrix *matrix, struct db *db,
                             struct grid *grid, struct why *why);

/* Which experiment: one line. */
CHECKED enum err heading_title(const struct matrix *matrix, struct db *db,
                               struct grid *grid, struct why *why);

/* What was planned: track, blocks, order, seed, times: two lines. */
CHECKED enum err heading_plan(const struct matrix *matrix, struct db *db,
                              struct grid *grid, struct why *why);

/* What ran where: plan with its seed, machines, links, ceilings. */
CHECKED enum err heading_conditions(const struct matrix *matrix, struct db *db,
                                    struct grid *grid, struct why *why);

/* How far it can be believed: how the trials ended and what bounded them, by
 * which rules they are invalid and which rules were off, documents that nobody
 * counted, the noise floor by the canary, people's notes. */
CHECKED enum err heading_trust(const struct matrix *matrix, struct db *db,
                               struct grid *grid, struct why *why);

/* People's notes, the newest 16, a line each: on the experiment and, of its
 * trials, on all (trial 0) or on this one. */
CHECKED enum err heading_notes(struct db *db, int64_t experiment, int64_t trial,
                               struct grid *grid, struct why *why);

/* Add a line for each link of an experiment that stands for ethernet and is
 * none. */
CHECKED enum err heading_emulated(struct db *db, int64_t experiment,
                                  struct grid *grid, struct why *why);

/* Of ln(canary / base) in a metric's values [n_trials] over the iterations in
 * which both went well: how many, their mean and deviation (NAN below 1 and 2
 * of them). */
size_t heading_canary(const struct matrix *matrix, const double *values,
                      double *mean, double *deviation);

#endif
