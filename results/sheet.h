/* Several tables under one heading, as a value: what a report is to people.
 * controller/paper.c prints it. */
#ifndef PITWALL_RESULTS_SHEET_H
#define PITWALL_RESULTS_SHEET_H

#include "results/grid.h"

struct sheet {
    struct grid title, trust, conditions; /* notes only */
    struct grid *tables;                  /* [n_tables], each under its notes */
    size_t n_tables;
    struct grid legend; /* notes only: marks that stand in the tables */
};

/* Start empty; fini frees all. */
void sheet_init(struct sheet *sheet);
void sheet_fini(struct sheet *sheet);

/* Append an empty table; valid until the next call. Aborts without memory, as
 * grids do. */
struct grid *sheet_table(struct sheet *sheet);

#endif
