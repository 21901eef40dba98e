/* How many trials had which bound, and the words for it. */
#ifndef PITWALL_RESULTS_BOUND_COUNT_H
#define PITWALL_RESULTS_BOUND_COUNT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/state.h"

struct bound_count {
    size_t n[ATTEMPT_N_BOUNDS], all;
    size_t shared; /* of all: with the mark "shared host" */
};

/* Start from zeros. Add one trial's. */
void bound_count_add(struct bound_count *count, enum attempt_bound bound,
                     bool shared);

/* "target-cpu*" when all have it, else "driver* 2, rate 1", most first; "" for
 * none. The star is for BOUND_COUNT_STAR. Returns buf. */
const char *bound_count_show(const struct bound_count *count, char *buf,
                             size_t size);

#define BOUND_COUNT_STAR                                                       \
    "* shared host: load and target ran on one machine, where each has the "   \
    "other's soft interrupts among its own"

#endif
