/* What an attempt's tally has from elsewhere than records: the JSON documents
 * of its spools, and what was planned. */
#ifndef PITWALL_RESULTS_DOCUMENTS_H
#define PITWALL_RESULTS_DOCUMENTS_H

#include "results/db.h"
#include "results/part.h"
#include "results/tally.h"

/* Read the part's documents into tally. One that cannot be read is the trial's
 * fault: a broken rule, stored. Errors as db_run. */
CHECKED enum err documents_read(struct db *db, int64_t attempt,
                                struct tally *tally, const struct part *part,
                                struct why *why);

/* The window as planned, and what of disturbances is accepted. */
CHECKED enum err documents_plan(struct db *db, int64_t attempt,
                                struct tally *tally, struct why *why);

/* Whether the agents' machines were as before, into the attempt's row. */
CHECKED enum err documents_restored(struct db *db, int64_t attempt,
                                    const struct tally *tally, struct why *why);

#endif
