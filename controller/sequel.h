/* An experiment that goes on: from what its store tells to the experiment, its
 * trials in their stored order, and what there is to take up. No I/O but the
 * track's files. */
#ifndef PITWALL_CONTROLLER_SEQUEL_H
#define PITWALL_CONTROLLER_SEQUEL_H

#include "controller/bench.h"
#include "controller/ceiling_plan.h"
#include "controller/conduct.h"
#include "controller/lab.h"
#include "results/past.h"

/* The experiment as it was planned. Owns: *out is the caller's, for free. */
CHECKED enum err sequel_experiment(const struct past *past,
                                   const struct conduct *conduct,
                                   struct experiment **out, struct why *why);

/* Give trials, made of that experiment, the stored order. ERR_INVALID: the
 * track's files now give other plans or cells than when it began. */
CHECKED enum err sequel_trials(const struct past *past,
                               const struct conduct *conduct,
                               struct trials *trials, struct why *why);

/* A cell's place in the store. */
uint32_t sequel_position(const struct trials *trials, uint32_t cell);

/* Leave out the calibrations that came to figures on each of these benches;
 * theirs hold for cells that were added since, in the store as well. */
CHECKED enum err sequel_ceilings(struct store *store, const struct past *past,
                                 const struct trials *trials,
                                 const struct labs *labs,
                                 struct ceiling_plans *plans, struct why *why);

/* What the last sitting may have left with the agents of a bench (NULL: of the
 * only one), in running order: every attempt that is open, the newest stored
 * one (was it acknowledged?), a calibration under way. Owns: *out [n], the
 * caller's to free. */
CHECKED enum err sequel_left(const struct past *past,
                             const struct ceiling_plans *plans,
                             const char *bench, struct bench_left **out,
                             uint32_t *n, struct why *why);

/* Tell the bench how the stored attempts ended. */
void sequel_recall(const struct past *past, struct bench *bench);

/* Number of trials that a bench with so many retries has still to do. */
CHECKED enum err sequel_count(const struct past *past, uint32_t retries,
                              uint32_t *n, struct why *why);

#endif
