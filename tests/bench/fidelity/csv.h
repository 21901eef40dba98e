/* A table of comma-separated values with a head line, wholly in memory. */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_CSV_H
#define PITWALL_TESTS_BENCH_FIDELITY_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define CSV_BYTES_MAX (64u << 20)

struct csv {
    const char *path; /* borrowed, for errors */
    char *text;
    const char **cells; /* [rows * columns], row by row; the head is row 0 */
    size_t columns, rows;
};

/* Read a file of at most CSV_BYTES_MAX bytes. Quotes are not known here: a
 * table with one is refused. ERR_INVALID naming file and line where a line has
 * more or fewer cells than the head; errors of reading. Owns: csv_free. */
CHECKED enum err csv_read(struct csv *csv, const char *path, struct why *why);
void csv_free(struct csv *csv);

/* The cell of a column by name, row 1 being the first below the head; NULL
 * where there is no such column. */
const char *csv_text(const struct csv *csv, size_t row, const char *column);

/* The same as a number, 0 where the cell is empty. ERR_INVALID naming file,
 * line, column and what stands there. */
CHECKED enum err csv_number(const struct csv *csv, size_t row,
                            const char *column, double *out, struct why *why);
CHECKED enum err csv_u64(const struct csv *csv, size_t row, const char *column,
                         uint64_t *out, struct why *why);

#endif
