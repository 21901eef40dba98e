/* A store in a folder of its own with a small planned experiment, for tests. */
#ifndef PITWALL_TESTS_RESULTS_LAB_H
#define PITWALL_TESTS_RESULTS_LAB_H

#include "results/store.h"
#include "tests/lib/check.h"
#include "tests/unit/results/spooler.h"

struct lab {
    char dir[64], path[96];
    struct store *store;
    int64_t experiment;
};

/* A fresh folder; lab->path names a file in it that is not there yet. */
void lab_init(struct lab *lab);

/* And a store open for writing at that path. */
void lab_open(struct lab *lab);

/* Also planned: "demo", heap {256m, 1g} x link {loopback, eth200}, a canary of
 * cell 0, 2 blocks: 10 trials in the order 0 1 2 3 canary, then reversed. */
void lab_plan(struct lab *lab);

/* Run trial tid to its end with this outcome and spool (NULL: none); the
 * attempt's id. */
int64_t lab_end(struct lab *lab, uint32_t tid, enum attempt_outcome outcome,
                const struct spooler *spool);

/* The first column of sql's first row, on a connection of its own. */
int64_t lab_int(const struct lab *lab, const char *sql);
double lab_real(const struct lab *lab, const char *sql);

/* Run a statement that writes, past the store. */
void lab_exec(const struct lab *lab, const char *sql);

/* Close the store, remove the folder. */
void lab_fini(struct lab *lab);

#endif
