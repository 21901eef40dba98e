/* What remains of an experiment that goes on: what its agents may still have of
 * it, and the trials that are still to be done. Pure. */
#ifndef PITWALL_CONTROLLER_REMAINDER_H
#define PITWALL_CONTROLLER_REMAINDER_H

#include "controller/bench.h"
#include "controller/ceiling_plan.h"
#include "results/past.h"

/* What the last sitting may have left with the agents of a bench (NULL: of the
 * only one), in running order: every attempt that is open, the newest stored
 * one (was it acknowledged?), a calibration under way. Owns: *out [n], the
 * caller's to free. */
CHECKED enum err remainder_find(const struct past *past,
                                const struct ceiling_plans *plans,
                                const char *bench, struct bench_left **out,
                                uint32_t *n, struct why *why);

/* Tell the bench how the stored attempts ended. */
void remainder_recall(const struct past *past, struct bench *bench);

/* Number of trials that a bench with so many retries has still to do. */
CHECKED enum err remainder_count(const struct past *past, uint32_t retries,
                                 uint32_t *n, struct why *why);

#endif
