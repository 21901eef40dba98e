/* An experiment of chosen size whose trials have chosen throughputs, for tests
 * of what compares them. */
#ifndef PITWALL_TESTS_RESULTS_FIELD_H
#define PITWALL_TESTS_RESULTS_FIELD_H

#include "tests/unit/results/lab.h"

#define FIELD_LEVELS_MAX 8u
#define FIELD_CELLS_MAX  128u

/* heap {h0, h1, ...} x link {l0, l1, ...} x rmem {r0, r1, ...} (n_rmems 0: one
 * level), the last varying fastest; a canary of the first cell where asked for.
 */
struct field {
    const char *name;
    size_t n_heaps, n_links, n_blocks;
    bool canary;
    size_t n_rmems;
};

/* Plan it in an open lab, whose experiment it becomes. */
void field_plan(struct lab *lab, const struct field *field);

/* The trial of a cell in a block, both from 0. */
uint32_t field_tid(const struct field *field, size_t block, size_t cell);

/* Run every trial: throughput [n_blocks][cells], documents a second; 0: out of
 * memory, -1: failed, NAN: not run. */
void field_run(struct lab *lab, const struct field *field,
               const double *throughput);

#endif
