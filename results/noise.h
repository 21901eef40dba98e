/* The noise that a bench showed before: what a plan may hope to see through. */
#ifndef PITWALL_RESULTS_NOISE_H
#define PITWALL_RESULTS_NOISE_H

#include "results/metric.h"
#include "results/store.h"

#define NOISE_NAME_BYTES 129u

struct noise {
    int64_t experiment; /* that it was seen in */
    char name[NOISE_NAME_BYTES], bench[NOISE_NAME_BYTES];
    double sd; /* of a trial's logarithm, without what its block and its cell
                  explain */
    size_t df; /* degrees of freedom behind it */
};

/* Of the newest experiment on a bench (NULL: on any) that has enough trials of
 * a ratio metric to tell. ERR_NOTFOUND: none has. */
CHECKED enum err noise_seen(struct store *store, const char *bench,
                            const struct metric *metric, struct noise *out,
                            struct why *why);

#endif
