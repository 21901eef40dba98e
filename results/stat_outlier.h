/* Trials far from what their block and their cell let expect: marked, listed,
 * and kept (statistics.md section 7, "Outlier mark"). Pure. */
#ifndef PITWALL_RESULTS_STAT_OUTLIER_H
#define PITWALL_RESULTS_STAT_OUTLIER_H

#include <stdbool.h>
#include <stddef.h>

/* y [n_blocks][n_cells], logarithms or plain values; NAN: no value. */
struct stat_sitting {
    const double *y;
    size_t n_blocks, n_cells;
};

/* marks [n_blocks][n_cells]: residuals of a median polish of two passes (Tukey
 * 1977) beyond 5 times the scaled median distance of all of them. residual and
 * room [n_blocks * n_cells] each: the residuals, and room for the work. No
 * marks below four blocks, or when half of the residuals are alike. Returns
 * their number. */
size_t stat_outliers(const struct stat_sitting *sitting, bool *marks,
                     double *residual, double *room);

#endif
