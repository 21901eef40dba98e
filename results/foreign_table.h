/* Reading tables as people publish them: factors and figures as columns, or a
 * row per figure with a column per level. */
#ifndef PITWALL_RESULTS_FOREIGN_TABLE_H
#define PITWALL_RESULTS_FOREIGN_TABLE_H

#include "results/csv.h"
#include "results/foreign.h"

/* Read the rows behind the head, csv's current row. factors: names of columns
 * that are factors, comma separated; every other one is then a known column or
 * a metric of its own name. NULL: all columns are known ones.
 * Errors  ERR_INVALID, ERR_RANGE, ERR_EXISTS naming file, line, column, value
 *         and what is accepted. Owns: *out for foreign_fini, also then. */
CHECKED enum err foreign_table_read(struct foreign *out, struct csv *csv,
                                    const char *factors, struct why *why);

#endif
