/* From an attempt's spool to its rows: records, histograms, artifacts, metrics
 * and broken validity rules. Within the caller's transaction. */
#ifndef PITWALL_RESULTS_INGEST_H
#define PITWALL_RESULTS_INGEST_H

#include "common/state.h"
#include "common/wire.h"
#include "results/db.h"

/* What came out, for the attempt's own row. */
struct ingest_summary {
    bool partial; /* the target says that it ended within the window */
    uint64_t unknown, damaged, invalid;
};

/* Store everything that the spool holds under the attempt.
 * Errors  ERR_CORRUPT: the spool's frames; else as db_run. The caller rolls
 *         back. */
CHECKED enum err ingest_spool(struct db *db, int64_t attempt,
                              enum attempt_outcome outcome,
                              const struct wire_blob *spool,
                              struct ingest_summary *out, struct why *why);

#endif
