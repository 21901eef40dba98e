/* The levels of one factor in a field of gains: their means and the one to
 * start from. Pure. */
#ifndef PITWALL_RESULTS_EFFECT_LEVEL_H
#define PITWALL_RESULTS_EFFECT_LEVEL_H

#include "results/effects.h"

/* Means per block and level of the groups in which every level that is not out
 * has its cell: [n_blocks][levels], NAN for those that are out. False: there is
 * no such group. */
bool effect_level_means(const struct effect_field *field, size_t factor,
                        const bool *out, double *mean);

/* Of levels that are equals the one to start from: the smallest heap, else the
 * first as written. SIZE_MAX: none stays. */
size_t effect_level_preferred(const struct matrix_factor *factor,
                              const bool *stays);

/* The level's mean over its cells and blocks, as stored; NAN: no value. */
double effect_level_centre(const struct effect_field *field, size_t factor,
                           size_t level);

#endif
