/* Trials far from what their block and their cell let expect, in words. */
#ifndef PITWALL_RESULTS_EFFECTS_ODD_H
#define PITWALL_RESULTS_EFFECTS_ODD_H

#include "results/effects.h"

/* Add them as a note, the farthest first; they are kept in all figures. Errors:
 * ERR_NOMEM. */
CHECKED enum err effects_odd_note(const struct effects *effects,
                                  struct grid *grid, struct why *why);

#endif
