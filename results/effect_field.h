/* One metric of an experiment's trials as a full factorial matrix of gains in
 * the blocks that count: what effects are computed from. Pure but for memory.
 *
 * Factors of a single level are left out. A cell with a trial that failed or
 * ran out of memory has no value in any block: its survivors would flatter it.
 * What is missing besides costs the cells or the blocks that lack it, whichever
 * loses less. */
#ifndef PITWALL_RESULTS_EFFECT_FIELD_H
#define PITWALL_RESULTS_EFFECT_FIELD_H

#include "results/finding.h"
#include "results/matrix.h"
#include "results/stat_factor.h"

#define EFFECT_VALUES_MAX 4000000u /* 32 MB */

struct effect_field {
    struct stat_grid grid; /* its y: gains; NAN: no value in any block */
    double *y;
    size_t *levels, *factor; /* [grid.n_factors]; of the matrix */
    size_t *cell;            /* [grid.n_cells] of the matrix; SIZE_MAX: none */
    double *planned;         /* [grid.n_cells] 0, NAN where no cell is */
    bool *ended;             /* [matrix cells] */
    int64_t *iteration;      /* [grid.n_blocks] */
    size_t n_dropped;        /* blocks that were begun and do not count */
    struct finding_rule rule;
};

/* values [n_trials]; margin and alpha as compare's. Errors  ERR_RANGE: too many
 * factors or cells. ERR_NOTFOUND: no factor of several levels. Owns:
 * effect_field_fini (a zeroed one is fine). */
struct effect_question {
    const struct metric *metric;
    const double *values;
    double margin_ratio, alpha;
};
CHECKED enum err effect_field_make(struct effect_field *out,
                                   const struct matrix *matrix,
                                   const struct effect_question *question,
                                   struct why *why);
void effect_field_fini(struct effect_field *field);

/* A contrast's finding, not yet of a family, and how many of the pairs of cells
 * that were planned it is over. Errors: ERR_NOMEM. */
CHECKED enum err effect_contrast(const struct effect_field *field,
                                 const struct stat_contrast *contrast,
                                 struct finding *out,
                                 struct stat_matched *matched, struct why *why);

#endif
