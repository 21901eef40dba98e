/* How large the reads were at a level of a factor. */
#ifndef PITWALL_RESULTS_EFFECT_READS_H
#define PITWALL_RESULTS_EFFECT_READS_H

#include "results/effects.h"

struct effect_reads {
    double p10, p50, p90; /* bytes; NAN: no histogram tells */
};

/* From the merged histograms of the level's trials, at most EFFECT_READS_MAX of
 * them, taken evenly. Errors  ERR_CORRUPT, ERR_NOMEM. */
#define EFFECT_READS_MAX 100u
CHECKED enum err effect_reads(struct effect_reads *out,
                              const struct effects *effects, struct db *db,
                              size_t factor, size_t level, struct why *why);

#endif
