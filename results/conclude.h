/* What follows from an attempt's tally, stored: its metrics, the validity rules
 * that it breaks, what bounded it. */
#ifndef PITWALL_RESULTS_CONCLUDE_H
#define PITWALL_RESULTS_CONCLUDE_H

#include "common/state.h"
#include "results/db.h"
#include "results/tally.h"

/* Store all of it within the caller's transaction. Errors as db_run. */
CHECKED enum err conclude(struct db *db, int64_t attempt,
                          const struct tally *tally,
                          enum attempt_outcome outcome, struct why *why);

/* Store one broken rule; what another agent said of it stays beside it. Errors
 * as db_run. */
CHECKED enum err conclude_invalid(struct db *db, int64_t attempt,
                                  const char *rule, const char *evidence,
                                  struct why *why);

#endif
