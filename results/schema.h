/* The store's tables: made in a new file, migrated in an old one, refused in a
 * newer one or in a stranger's. */
#ifndef PITWALL_RESULTS_SCHEMA_H
#define PITWALL_RESULTS_SCHEMA_H

#include "results/db.h"

#define SCHEMA_APPLICATION_ID 0x50495457 /* "PITW" */
#define SCHEMA_VERSION        13

/* Step i takes a store from version i to i + 1. */
typedef enum err schema_step(struct db *db, struct why *why);
extern schema_step *const schema_steps[SCHEMA_VERSION];

/* Check the database of the file at path and bring it to SCHEMA_VERSION when
 * write is set, views and columns of records included: one transaction.
 * Errors  ERR_CORRUPT: not a store. ERR_VERSION: newer than this build, or
 *         older and not to be written. */
CHECKED enum err schema_open(struct db *db, const char *path, bool write,
                             struct why *why);

/* Whether the database is a store of an older version than SCHEMA_VERSION. */
CHECKED enum err schema_old(struct db *db, bool *old, struct why *why);

/* Run the steps [n_steps] that the database at version from lacks. The caller
 * holds the transaction. */
CHECKED enum err schema_migrate(struct db *db, schema_step *const *steps,
                                int n_steps, int from, struct why *why);

#endif
