/* What stands behind struct store; for results/ alone. */
#ifndef PITWALL_RESULTS_HANDLE_H
#define PITWALL_RESULTS_HANDLE_H

#include "results/db.h"
#include "results/store.h"

struct store {
    struct db *db;
    enum store_mode mode;
    char *path;
    uint64_t settled_ns; /* when it was settled after an attempt, last */
};

/* Move what was committed from the -wal file into the store's own file, as far
 * as readers let it, so that a copy made without -wal lacks nothing. Its
 * failure is no failure of the commit. The disk is waited for twice. */
void store_settle(struct store *store);

#endif
