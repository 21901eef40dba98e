/* An experiment that goes on: from what its store tells to the experiment and
 * its trials in their stored order. No I/O but the track's files. */
#ifndef PITWALL_CONTROLLER_SEQUEL_H
#define PITWALL_CONTROLLER_SEQUEL_H

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

#endif
