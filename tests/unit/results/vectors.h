/* The reference values of the statistics, tests/data/stat-vectors.json: made
 * with R 4.2.2 or, where it says R-def, from the design's definition. */
#ifndef PITWALL_TESTS_UNIT_RESULTS_VECTORS_H
#define PITWALL_TESTS_UNIT_RESULTS_VECTORS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/json.h"

#define VECTOR_MAX 256 /* the longest list is of 120 seconds */

struct vector {
    const char *id;
    const struct jv *in, *want;
    double tolerance; /* times max(1, |want|) */
};

/* Call check with each vector of this function; fails when there is none. */
void vectors_each(const char *function, void (*check)(const struct vector *v));

/* The input's number, truth and list; of a list its length. */
double vector_number(const struct vector *v, const char *key);
bool vector_true(const struct vector *v, const char *key);
size_t vector_list(const struct vector *v, const char *key,
                   double out[VECTOR_MAX]);

/* Matrix of rows [block][cell], row after row; the number of rows. */
size_t vector_rows(const struct vector *v, const char *key,
                   double out[VECTOR_MAX], size_t *n_columns);

/* What came out is what was expected under the key. */
void vector_check(const struct vector *v, const char *key, double got);
void vector_check_list(const struct vector *v, const char *key,
                       const double *got, size_t n);
void vector_check_text(const struct vector *v, const char *key,
                       const char *got);

#endif
