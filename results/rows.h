/* The tables of records: one per kind of common/record.h but hist, with the
 * columns of its field list, so that list and table cannot differ.
 *
 * Columns: attempt, the fields, crc; the key is attempt with the KEY fields.
 * OPT fields that are zero or empty are stored as NULL: on the wire "absent"
 * and "zero" are the same. */
#ifndef PITWALL_RESULTS_ROWS_H
#define PITWALL_RESULTS_ROWS_H

#include "common/record.h"
#include "results/db.h"

/* Make the tables of a new store. */
CHECKED enum err rows_create(struct db *db, struct why *why);

/* Add the columns that a store of an older build lacks. */
CHECKED enum err rows_grow(struct db *db, struct why *why);

struct rows;

/* Inserting records of one attempt after another. Owns: *out, for rows_close
 * (NULL is fine). */
CHECKED enum err rows_open(struct rows **out, struct db *db, struct why *why);
void rows_close(struct rows *rows);

/* Store one record of any kind but hist as a row of the attempt.
 * Errors  ERR_EXISTS: a row of that key is there, it stays. ERR_RANGE: a number
 *         beyond SQLite's 2^63-1. */
CHECKED enum err rows_add(struct rows *rows, int64_t attempt,
                          const struct record *record, struct why *why);

#endif
