/* The checksum of an attempt's own row, once it says how it ended. */
#ifndef PITWALL_RESULTS_SEAL_H
#define PITWALL_RESULTS_SEAL_H

#include "results/db.h"

/* Sum up the attempt's row as it stands into its column crc, within the
 * caller's transaction. Errors as db_run. */
CHECKED enum err seal_attempt(struct db *db, int64_t attempt, struct why *why);

#endif
