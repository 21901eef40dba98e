/* Which cells of a matrix a report shows, and in which row and column group
 * each falls. Pure. */
#ifndef PITWALL_RESULTS_PIVOT_H
#define PITWALL_RESULTS_PIVOT_H

#include "results/matrix.h"

/* What the rows or the column groups are made of: factors, and for each row or
 * group one level of each. */
struct pivot_axis {
    size_t *factors; /* [n_factors] indexes into the matrix */
    size_t n_factors;
    uint32_t *levels; /* [n][n_factors], in the matrix's order */
    size_t n;
};

struct pivot {
    struct pivot_axis rows, cols; /* cols.n is 1 without column factors */
    size_t *group; /* [n_cells] row * cols.n + column; SIZE_MAX: not shown */
};

/* rows, cols: factor names, comma separated, "" for none; NULL as in struct
 * answer_report. where: "heap=2g,link=eth200" (several levels of one factor:
 * any of them), NULL: all. Canaries are never shown.
 * Errors  ERR_NOTFOUND naming the word and what there is; ERR_USAGE.
 * Owns    pivot_fini (a zeroed one is fine). */
CHECKED enum err pivot_make(struct pivot *out, const struct matrix *matrix,
                            const char *rows, const char *cols,
                            const char *where, struct why *why);
void pivot_fini(struct pivot *pivot);

#endif
