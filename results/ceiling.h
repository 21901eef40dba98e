/* The driver's ceiling: what a load reached over a link against a target that
 * only reads and answers, measured before an experiment's first block and
 * stored beside its results. What a trial reached is held against it. */
#ifndef PITWALL_RESULTS_CEILING_H
#define PITWALL_RESULTS_CEILING_H

#include "results/db.h"
#include "results/grid.h"
#include "results/store.h"

/* In SQL that has a cell c and a trial t: the row of driver_ceiling that holds
 * for the trial, its own bench's; one of before that was told has no bench. */
#define CEILING_OF_TRIAL                                                       \
    "(select x.id from driver_ceiling x join driver_ceiling y on y.id = "      \
    "c.driver_ceiling join block k on k.id = t.block where x.experiment = "    \
    "y.experiment and x.link = y.link and x.load = y.load and (x.bench = "     \
    "k.bench or x.bench is null) order by x.bench is null, x.id desc limit 1)"

/* One calibration. */
struct ceiling_run {
    const char *bench;       /* its name */
    const char *link, *load; /* words for them */
    const uint32_t *cells;   /* [n_cells] positions of those that it is for */
    size_t n_cells;
    const char *error;              /* NULL, or why nothing was measured */
    const struct store_part *parts; /* [n_parts], as of an attempt */
    size_t n_parts;
};

/* What it came to; 0: nothing of that kind. */
struct ceiling_figures {
    double docs_s, ops_s, mb_s;
    double link_bit_s; /* that the link itself carries, by libiperf */
    uint64_t window_ns;
};

/* Add up the loads' records and store the result, in one transaction. Spools
 * that do not decode, or without a task, are stored as an error.
 * Errors  as db_run. */
CHECKED enum err ceiling_add(struct store *store, int64_t experiment,
                             const struct ceiling_run *run,
                             struct ceiling_figures *out, struct why *why);

/* Cells that were added since load alike: give those of run->cells that have
 * none the experiment's ceiling for run->link and run->load. */
CHECKED enum err ceiling_share(struct store *store, int64_t experiment,
                               const struct ceiling_run *run, struct why *why);

/* A note for each of the experiment's calibrations. */
CHECKED enum err ceiling_notes(struct db *db, int64_t experiment,
                               struct grid *grid, struct why *why);

/* A note for the trial's own, if there is one. */
CHECKED enum err ceiling_note(struct db *db, int64_t trial, struct grid *grid,
                              struct why *why);

#endif
