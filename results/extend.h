/* Adding to an experiment that is in the store: blocks, levels and their cells.
 * What was planned and measured stays as it is. */
#ifndef PITWALL_RESULTS_EXTEND_H
#define PITWALL_RESULTS_EXTEND_H

#include "results/store.h"

struct extend {
    int64_t experiment;
    /* The experiment as it is to be: factors and cells of before at the places
     * that they had, json, conduct; order [n_blocks][n_cells] holds the new
     * blocks alone, bench theirs. */
    const struct store_plan *plan;
    const uint32_t *positions; /* [n_cells] in the store, new ones from n_old */
    size_t n_old;              /* cells that are there */
};

/* Add it. Where there are results, this is a look (look.h): verdicts from now
 * on have half of the alpha that those of before had. */
CHECKED enum err store_extend(struct store *store, const struct extend *extend,
                              struct why *why);

#endif
