/* Taking the experiments of another store into ours, with all that belongs to
 * them. */
#ifndef PITWALL_RESULTS_ADOPT_H
#define PITWALL_RESULTS_ADOPT_H

#include "results/grid.h"
#include "results/store.h"

/* Take in every experiment of the store at path that ours does not have, by
 * its uuid; those that it has are told and skipped. Each row's checksum is
 * verified, and summed up anew under the ids that it has here. All or nothing.
 * A store of an older schema is migrated in a copy beside ours, which is
 * removed. What was running there is interrupted here. grid: a row per
 * experiment, what it became and why not.
 * Errors  as store_open of path; ERR_CORRUPT: a row fails its checksum;
 *         ERR_USAGE: path is our own store. */
CHECKED enum err adopt_store(struct store *store, const char *path,
                             struct grid *grid, struct why *why);

#endif
