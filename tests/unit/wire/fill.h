/* Fills any struct by its field table with values at its limits, and compares
 * two such structs, so that every message and record is tested alike. */
#ifndef PITWALL_TESTS_UNIT_WIRE_FILL_H
#define PITWALL_TESTS_UNIT_WIRE_FILL_H

#include "common/wire.h"

/* Field i gets its largest value; all zero first. */
void fill_most(const struct wire_field *fields, size_t n_fields, void *out);

/* Fails the running test, naming the field, unless a and b say the same. */
void fill_same(const struct wire_field *fields, size_t n_fields, const void *a,
               const void *b);

#endif
