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

/* The same with a spooler_docs. */
int64_t lab_docs(struct lab *lab, uint32_t tid, uint64_t docs,
                 uint64_t counted);

/* Two blocks with every kind of end:
 *   256m, loopback  1000, 1210      1g, loopback  2000, failed
 *   256m, eth200    oom, 500        1g, eth200    invalid, 900
 *   the canary of the first one 1010, 1210 */
void lab_measure(struct lab *lab);

/* The first column of sql's first row, on a connection of its own. */
int64_t lab_int(const struct lab *lab, const char *sql);
double lab_real(const struct lab *lab, const char *sql);

/* Run a statement that writes, past the store. */
void lab_exec(const struct lab *lab, const char *sql);

/* Make the file of lab->path from a script of SQL in this folder. */
void lab_script(const struct lab *lab, const char *name);

/* From now on files are met with the test's own rights, or with those of nobody
 * where it runs as root. */
void lab_rights(bool own);

/* Close the store, remove the folder. */
void lab_fini(struct lab *lab);

#endif
