/* Reading comma-separated values (RFC 4180), of strangers: bounded. */
#ifndef PITWALL_RESULTS_CSV_H
#define PITWALL_RESULTS_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

#define CSV_FIELDS_MAX 64u
#define CSV_ROW_MAX    65536u /* bytes of one row's fields */

struct csv {
    const char *name; /* heads the errors: "NAME:LINE: what" */
    const char *text;
    size_t len, at, line;
    size_t n; /* fields of the current row */
    char *fields[CSV_FIELDS_MAX];
    char *row;       /* what they point into */
    size_t row_line; /* the one that it begins on */
};

/* Start before the first row of text [len], which is borrowed. ERR_NOMEM.
 * Owns: csv_close (a zeroed one is fine). */
CHECKED enum err csv_open(struct csv *csv, const char *name, const char *text,
                          size_t len, struct why *why);
void csv_close(struct csv *csv);

/* The next row into fields, valid until the next call; *row false: there is
 * none. Lines end with \n or \r\n, empty ones are skipped; blanks around a
 * field that is not quoted are dropped.
 * Errors  ERR_INVALID: a quote in the wrong place, bytes that are no text;
 *         ERR_RANGE: more than CSV_FIELDS_MAX fields or CSV_ROW_MAX bytes. */
CHECKED enum err csv_next(struct csv *csv, bool *row, struct why *why);

#endif
