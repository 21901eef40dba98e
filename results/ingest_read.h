/* What the loads of several agents recorded, added up in memory: no row is
 * written. */
#ifndef PITWALL_RESULTS_INGEST_READ_H
#define PITWALL_RESULTS_INGEST_READ_H

#include "results/store.h"
#include "results/tally.h"

/* Read the load records of parts [n], at most 64 loads, into a new tally of
 * tasks, driver and histograms, and the link's capacity; records that are
 * damaged are left out. Errors  ERR_CORRUPT: a spool, naming its agent. Owns:
 * *out, for tally_free; NULL on failure. */
CHECKED enum err ingest_read(struct tally **out, const struct store_part *parts,
                             size_t n, struct why *why);

#endif
