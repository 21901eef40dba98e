/* Whether a trial ran steadily: its throughput second by second. */
#ifndef PITWALL_RESULTS_CHECK_STATE_H
#define PITWALL_RESULTS_CHECK_STATE_H

#include <stdbool.h>

#include "results/db.h"

struct check_state {
    char words[160]; /* "flat", "drifting: +3.1 % ...", "not judged: ..." */
    bool judged, odd;
    /* Of the whole series, warm-up included, where it has 100 seconds: what
     * MSER-5 would cut from its begin; else 0. */
    double cut_s;
};

/* Of an attempt that was planned with this warm-up. Errors as db_run. */
CHECKED enum err check_state(struct check_state *out, struct db *db,
                             int64_t attempt, struct why *why);

#endif
