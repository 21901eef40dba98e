/* Which processors target and load may use. */
#ifndef PITWALL_AGENT_EXECUTOR_PIN_H
#define PITWALL_AGENT_EXECUTOR_PIN_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

/* As text too ("0-1,3"), for the record; "" when not pinned. */
struct pin {
    bool pinned;
    cpu_set_t target, load;
    char target_text[64], load_text[64];
};

/* Read "0-3,6". ERR_INVALID: anything else, or above CPU_SETSIZE. */
CHECKED enum err pin_parse(const char *list, cpu_set_t *set, struct why *why);

/* rule: "" or "none": as they are; "auto": the target on the lower half of
 * allowed (the larger one of an odd number), load on the rest, nothing where
 * there is but one processor; else a list for the target, load gets the rest
 * of allowed. ERR_INVALID: a list with a processor that is not allowed, or
 * that leaves none to load. */
CHECKED enum err pin_make(struct pin *pin, const char *rule,
                          const cpu_set_t *allowed, struct why *why);

#endif
