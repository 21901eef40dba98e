/* How fast an experiment's trials go, by what they took so far. */
#ifndef PITWALL_RESULTS_PACE_H
#define PITWALL_RESULTS_PACE_H

#include "results/store.h"

#define PACE_FAR 4.0 /* medians: an attempt beyond was waited for by nobody */

struct pace {
    uint32_t n;        /* attempts that were measured */
    uint64_t trial_ns; /* mean of them; 0: none yet */
    uint64_t spent_ns; /* on the attempt under way; 0: none is */
    char benches[400]; /* that hold blocks: "rack1, rack2" */
};

/* Lengths from the stored times of an attempt's first and last state; those
 * that a sitting's end lies in are left out. */
CHECKED enum err pace_read(struct store *store, int64_t experiment,
                           struct pace *out, struct why *why);

#endif
