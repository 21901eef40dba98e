/* Copying one table's rows of one experiment from a store to another. */
#ifndef PITWALL_RESULTS_ADOPT_TABLE_H
#define PITWALL_RESULTS_ADOPT_TABLE_H

#include "results/db.h"

#define ADOPT_COLUMNS_MAX 64u
#define ADOPT_TABLES_MAX  64u

/* What a table's ids become: those of there, plus offset. */
struct adopt_shift {
    char table[64];
    int64_t offset;
};

struct adopt {
    struct db *from, *to;
    struct adopt_shift shifts[ADOPT_TABLES_MAX]; /* of tables with ids */
    size_t n_shifts;
    uint64_t rows; /* copied */
};

/* Fill shifts so that no id of there meets one of ours. */
CHECKED enum err adopt_shifts(struct adopt *adopt, struct why *why);

/* Copy the table's rows that belong to experiment (its id there), within a
 * transaction whose foreign keys are deferred. Columns that ours does not have
 * are left out. Benches are known by their names.
 * Errors  ERR_CORRUPT: a row fails its checksum; as db_run. */
CHECKED enum err adopt_table(struct adopt *adopt, const char *table,
                             int64_t experiment, struct why *why);

#endif
