/* The cells that cannot be told from the best, in words. */
#ifndef PITWALL_RESULTS_EFFECTS_BEST_H
#define PITWALL_RESULTS_EFFECTS_BEST_H

#include "results/effects.h"

/* Add them as notes: first the cell with the fewest settings away from the
 * factors' first levels, then the smaller heap, then in the plan's order; how
 * many blocks it would take where the set is too large to mean much; which
 * cells are not eligible. Errors: ERR_NOMEM. */
CHECKED enum err effects_best_note(const struct effects *effects,
                                   struct grid *grid, struct why *why);

#endif
