/* Which cells of two slices are held against each other, and what each block
 * says of them. Pure but for memory.
 *
 * Cells that have equal levels of all factors which both slices leave alike
 * make a group; a side's number for a group in a block is the mean over its
 * cells there, a block's number the mean over the groups. Within an experiment
 * blocks are paired; between two they are not. */
#ifndef PITWALL_RESULTS_PAIRING_H
#define PITWALL_RESULTS_PAIRING_H

#include "results/slice.h"

enum pairing_side { PAIRING_BASE, PAIRING_CONTENDER, PAIRING_SIDES };

/* One side's cells. */
struct pairing_part {
    const struct matrix *matrix; /* borrowed */
    const struct slice *slice;   /* borrowed */
    size_t *group;               /* [n_cells] SIZE_MAX: in none */
    size_t *sizes;               /* [n_groups] cells in each */
    int64_t *iterations;         /* [n_blocks] rising */
    size_t n_blocks;
};

struct pairing {
    bool paired;
    struct pairing_part part[PAIRING_SIDES];
    size_t n_groups;
    bool *ended; /* [n_groups] a trial failed or ran out of memory: the rest
                    alone would flatter the group */
    size_t n_ended;
    char alike[256]; /* the factors that groups are made by: "heap, link" */
};

/* Of two parts of which matrix and slice are set, both zeroed else. Paired when
 * they have one matrix, and it has no block that is paired with nothing.
 * ERR_NOTFOUND: no cell of one has a counterpart in the other. Owns:
 * pairing_fini (a zeroed one is fine). */
CHECKED enum err pairing_make(struct pairing *out,
                              const struct pairing_part *base,
                              const struct pairing_part *contender,
                              struct why *why);
void pairing_fini(struct pairing *pairing);

/* A number for each block that counts; paired: alike long, in the same order.
 * n_groups: of those that no trial ended, which the numbers are over. A metric
 * that lacks values costs the groups or the blocks that lack one, whichever
 * loses less. */
struct pairing_numbers {
    double *y[PAIRING_SIDES]; /* [n] */
    size_t n[PAIRING_SIDES];
    size_t n_groups;
};

/* values: of each side's trials, NAN: none; logs: their logarithms are meant.
 * Owns: pairing_numbers_fini (a zeroed one is fine). */
CHECKED enum err pairing_numbers(struct pairing_numbers *out,
                                 const struct pairing *pairing,
                                 const double *const values[PAIRING_SIDES],
                                 bool logs, struct why *why);
void pairing_numbers_fini(struct pairing_numbers *numbers);

#endif
