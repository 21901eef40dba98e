/* What an executor found when an attempt was over (stream closing, JSON): how
 * the machine is against before, what was set and is not so any more, what
 * kept its processes off the CPUs. Of several agents, all together. */
#ifndef PITWALL_RESULTS_CLOSING_H
#define PITWALL_RESULTS_CLOSING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define CLOSING_BYTES_MAX (1u << 20)
#define CLOSING_TEXT_MAX  300u

/* Start zeroed. */
struct closing {
    bool known;                     /* an agent told */
    bool altered;                   /* a machine is not as it was */
    char differs[CLOSING_TEXT_MAX]; /* how; "" */
    char changed[CLOSING_TEXT_MAX]; /* settings that somebody else changed
                                       while they were in force; "": none */
    uint64_t thermal;               /* events of processors too hot */
    uint64_t throttled_ns; /* by quotas of the groups above the agent's own */
    uint64_t limited_ns;   /* the target, by its own limit of processors */
};

/* Add one agent's document to *all. Members of other names are passed over;
 * these of another shape: ERR_INVALID naming the place, *all is as before. */
CHECKED enum err closing_add(struct closing *all, const char *agent,
                             const uint8_t *json, size_t len, struct why *why);

#endif
