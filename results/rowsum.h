/* The checksum that stored rows carry in their column crc, because SQLite's
 * own integrity check does not see a flipped bit in a value.
 *
 * It is the sum of one crc32c per column over its name, type and value: the
 * order of columns does not matter and a NULL counts nothing, so that rows
 * stay good when a migration adds columns to their table. */
#ifndef PITWALL_RESULTS_ROWSUM_H
#define PITWALL_RESULTS_ROWSUM_H

#include "results/db.h"

/* sum (0 at first) with one column more. */
uint32_t rowsum_add(uint32_t sum, const char *column,
                    const struct db_value *value);

/* The same for a column whose name was summed up before, by rowsum_name. */
uint32_t rowsum_name(const char *column);
uint32_t rowsum_add_to(uint32_t sum, uint32_t name,
                       const struct db_value *value);

/* The current row's columns before the one named crc, added up, agree with it
 * (columns behind it are not the row's): else ERR_CORRUPT naming table and the
 * row's first columns. */
CHECKED enum err rowsum_check(struct db_stmt *stmt, const char *table,
                              struct why *why);

#endif
