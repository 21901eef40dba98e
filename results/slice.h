/* Some cells of a matrix by their levels, as people write them:
 * "heap=2g,link=eth200"; and one experiment's, "3:heap=2g". */
#ifndef PITWALL_RESULTS_SLICE_H
#define PITWALL_RESULTS_SLICE_H

#include "results/matrix.h"

#define SLICE_ID_MAX 200u

struct slice {
    bool **levels; /* [n_factors] wanted [n_levels]; NULL: any */
    size_t n_factors;
};

/* Read factor=level terms; several levels of one factor: any of them. NULL and
 * "": every cell.
 * Errors  ERR_NOTFOUND naming the word and what there is; ERR_USAGE.
 * Owns    slice_fini (a zeroed one is fine). */
CHECKED enum err slice_parse(struct slice *out, const struct matrix *matrix,
                             const char *terms, struct why *why);
void slice_fini(struct slice *slice);

/* Whether the cell has the levels; canaries and profiles are in no slice. */
bool slice_has(const struct slice *slice, const struct matrix_cell *cell);

/* Whether the slice wants the level of a factor. */
bool slice_wants(const struct slice *slice, size_t factor, size_t level);

/* Part "ID:terms" at its first colon: the id into id ("" where there is none),
 * the terms to *terms ("" likewise). ERR_USAGE: an id beyond SLICE_ID_MAX
 * bytes. */
CHECKED enum err slice_split(const char *text, char id[SLICE_ID_MAX + 1],
                             const char **terms, struct why *why);

#endif
