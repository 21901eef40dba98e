/* Which cells cannot be told apart from the best. Pure (statistics.md section
 * 2, "Best cell set"; Gupta 1965, with the t test of each pair's own blocks).
 */
#ifndef PITWALL_RESULTS_STAT_BEST_H
#define PITWALL_RESULTS_STAT_BEST_H

#include <stdbool.h>
#include <stddef.h>

/* Cells in blocks as gains: logarithms, less is worse (negate where lower is
 * better). A cell with a NAN, such as a failed trial's, is not eligible: it
 * neither stays nor beats another. */
struct stat_field {
    const double *gain; /* [n_blocks][n_cells] */
    size_t n_blocks, n_cells;
};

/* stays [n_cells]: no other cell beats it, by a one-sided paired t test at
 * alpha / (eligible cells - 1); the best is among them with probability 1 -
 * alpha at least. least_p [n_cells]: of the tests against it, NAN for a cell
 * that is not eligible. room [n_blocks]: for the work. Returns the cell with
 * the best centre, n_cells when none is eligible or with fewer than two blocks.
 */
size_t stat_best(const struct stat_field *field, double alpha, bool *stays,
                 double *least_p, double *room);

#endif
