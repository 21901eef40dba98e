/* The grammar of the target's settings as levels: heap and predictor. Each
 * parses one level into the spec; errors name the value and what is accepted
 * (ERR_INVALID, ERR_RANGE). */
#ifndef PITWALL_CONTROLLER_TARGET_H
#define PITWALL_CONTROLLER_TARGET_H

#include "controller/setup.h"

#define TARGET_HEAP_MIN (2ull << 20)
#define TARGET_HEAP_MAX (1ull << 40)

/* A size from 2m to 1t. */
CHECKED enum err target_heap(const char *value, struct trial_spec *spec,
                             struct why *why);

/* "fixed:SIZE", "adaptive:MIN-MAX" or "adaptive:MIN-INITIAL-MAX", sizes from 1
 * to 16m in ascending order. */
CHECKED enum err target_predictor(const char *value, struct trial_spec *spec,
                                  struct why *why);

#endif
