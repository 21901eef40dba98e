/* The figures of many metrics for some trials of a matrix, in one pass over the
 * store. */
#ifndef PITWALL_RESULTS_FIGURES_H
#define PITWALL_RESULTS_FIGURES_H

#include "results/matrix.h"

struct figures_key {
    const struct metric *metric;
    const char *task; /* "": of the whole trial */
    bool per_mb;      /* divided by the MB (10^6) of bodies that were
                         acknowledged in the window */
};

struct figures {
    double **values; /* [n_keys][n_trials of the matrix], NAN: none */
    size_t n_keys;
};

/* Read keys [n] for the trials that are wanted [n_trials] and count: those that
 * ended well. Checks each row's checksum (ERR_CORRUPT).
 * Owns  figures_fini (a zeroed one is fine). */
struct figures_wish {
    const struct figures_key *keys;
    size_t n_keys;
    const bool *trials;
};
CHECKED enum err figures_load(struct figures *out, const struct matrix *matrix,
                              struct db *db, const struct figures_wish *wish,
                              struct why *why);
void figures_fini(struct figures *figures);

#endif
