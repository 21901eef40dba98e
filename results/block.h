/* Which bench runs a block. */
#ifndef PITWALL_RESULTS_BLOCK_H
#define PITWALL_RESULTS_BLOCK_H

#include "results/store.h"

/* The block of this iteration, of which no trial was tried, is to be run on the
 * bench of that name; of one that was begun nothing changes. */
CHECKED enum err block_take(struct store *store, int64_t experiment,
                            uint32_t iteration, const char *bench,
                            struct why *why);

/* Its bench is lost: it is superseded, and a block of the same trials in the
 * same order follows the last one. ERR_NOTFOUND. */
CHECKED enum err block_redo(struct store *store, int64_t experiment,
                            uint32_t iteration, struct why *why);

#endif
