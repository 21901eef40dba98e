/* What the store has of one attempt from each source that counted. */
#ifndef PITWALL_RESULTS_CHECK_FACTS_H
#define PITWALL_RESULTS_CHECK_FACTS_H

#include "results/agree.h"
#include "results/db.h"

/* Read it into *out; what nobody told is NaN. ERR_CORRUPT: a figure fails its
 * checksum. An artifact that cannot be read tells nothing. */
CHECKED enum err check_facts(struct agree_facts *out, struct db *db,
                             int64_t attempt, struct why *why);

#endif
