/* Reading figures in long form, as `pitwall export --format csv` writes them:
 * block, the factors' columns, outcome, invalid, task, metric, value. */
#ifndef PITWALL_RESULTS_FOREIGN_CSV_H
#define PITWALL_RESULTS_FOREIGN_CSV_H

#include "results/csv.h"
#include "results/foreign.h"

/* Whether these names of columns are those of the long form. */
bool foreign_csv_is(const struct csv *head);

/* Read the rows behind the head, csv's current row. Columns: metric and value
 * (with a unit behind it or in a column unit); block, outcome (ok, oom, failed,
 * aborted; "" is ok), invalid and task where they are there; every other one is
 * a factor.
 * Errors  ERR_INVALID, ERR_RANGE, ERR_EXISTS naming file, line, column, value
 *         and what is accepted. Owns: *out for foreign_fini, also then. */
CHECKED enum err foreign_csv_read(struct foreign *out, struct csv *csv,
                                  struct why *why);

#endif
