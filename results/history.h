/* Cells across experiments: a point per finished experiment, in series of one
 * machine and build, with the places where they change. */
#ifndef PITWALL_RESULTS_HISTORY_H
#define PITWALL_RESULTS_HISTORY_H

#include "results/grid.h"
#include "results/store.h"

struct history_options {
    const char *metric; /* NULL: throughput */
    const char *where;  /* "heap=2g,track=geonames", NULL: every cell */
    double margin_ratio;
};

/* Fill grid: a row per cell, series and experiment, in that order. Cells are
 * the same when track, challenge, target and all levels are. Imported
 * experiments are left out. Missing stays missing.
 * Errors  ERR_NOTFOUND: no such metric; no cell as wanted. ERR_USAGE: where.
 *         ERR_CORRUPT: a figure fails its checksum. */
CHECKED enum err answer_history(struct store *store,
                                const struct history_options *options,
                                struct grid *grid, struct why *why);

#endif
