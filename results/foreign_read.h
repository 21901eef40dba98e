/* Reading a file of figures that others measured, whatever its form. */
#ifndef PITWALL_RESULTS_FOREIGN_READ_H
#define PITWALL_RESULTS_FOREIGN_READ_H

#include "results/foreign.h"

#define FOREIGN_FILE_MAX (64u << 20)

/* Read text [len]: an object is a race of Rally; CSV with columns metric and
 * value is in long form, other CSV a published table. name heads the errors;
 * factors: see foreign_table_read, NULL for other forms.
 * Errors  ERR_INVALID, ERR_RANGE, ERR_EXISTS: what is wrong with the file, by
 *         its place. ERR_USAGE: factors beside a form that has none to name.
 * Owns    *out for foreign_fini, also then. */
CHECKED enum err foreign_read(struct foreign *out, const char *name,
                              const char *text, size_t len, const char *factors,
                              struct why *why);

#endif
