/* An attempt's stacks become artifacts: for each side its stacks as flame graph
 * tools read them, most samples first, and a flame graph. */
#ifndef PITWALL_RESULTS_PROFILE_H
#define PITWALL_RESULTS_PROFILE_H

#include "results/db.h"

#define PROFILE_FOLDED_MAX (16u << 20) /* bytes; rarer stacks are left out */

/* Add stacks-SIDE.folded and flame-SIDE.svg of each side that has stacks, in
 * the caller's transaction. Errors as db_run. */
CHECKED enum err profile_add(struct db *db, int64_t attempt, struct why *why);

#endif
