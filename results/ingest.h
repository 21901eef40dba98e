/* From an attempt's spools to its rows: records, histograms, artifacts, metrics
 * and broken validity rules. Within the caller's transaction. */
#ifndef PITWALL_RESULTS_INGEST_H
#define PITWALL_RESULTS_INGEST_H

#include "results/db.h"
#include "results/store.h"

/* What came out, for the attempt's own row. */
struct ingest_summary {
    bool partial; /* the target says that it ended within the window */
    uint64_t unknown, damaged, invalid;
};

/* Store everything that the spools of an attempt's agents hold.
 * Errors  ERR_CORRUPT: a spool's frames, naming the agent; else as db_run. The
 *         caller rolls back. */
CHECKED enum err ingest_parts(struct db *db, int64_t attempt,
                              const struct store_result *result,
                              struct ingest_summary *out, struct why *why);

#endif
