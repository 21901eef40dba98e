/* Expansion of an experiment's axes to cells: zips advance together, excludes
 * leave cells out, the first axis turns slowest. Pure. */
#ifndef PITWALL_CONTROLLER_MATRIX_H
#define PITWALL_CONTROLLER_MATRIX_H

#include "controller/experiment.h"

#define MATRIX_CELLS_MAX   10000u
#define MATRIX_PRODUCT_MAX 1000000u /* before excludes */

struct matrix {
    uint32_t *levels; /* [n_cells][n_axes] index of each axis's level */
    size_t n_cells, n_axes;
};

/* Expand; without axes there is one cell. ERR_RANGE: too many cells;
 * ERR_INVALID: an exclude that matches nothing, or none is left.
 * Owns  matrix_free(out); empty on failure. */
CHECKED enum err matrix_expand(const struct experiment *ex, struct matrix *out,
                               struct why *why);
void matrix_free(struct matrix *matrix);

#endif
