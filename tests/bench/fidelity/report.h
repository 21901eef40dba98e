/* What is printed: a line per run, the JVM against itself, the sum. */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_REPORT_H
#define PITWALL_TESTS_BENCH_FIDELITY_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/bench/fidelity/score.h"

struct report {
    bool json;
    struct jv *root, *cells; /* of --json */
    size_t cells_scored, lacking, within, per_buffer, reads_differ,
        sizes_differ, largest_known, largest_agree;
};

/* Begin: the JVM against its own repeats, and the table's head. */
void report_begin(struct report *report, const struct rows *rows, bool json);

/* One run. One that could not be run is named and not counted. */
void report_row(struct report *report, const struct row *row,
                const struct result *result);

/* The last line, with a JSON document on standard error. Returns the share of
 * scored runs that agree. */
double report_end(struct report *report);

#endif
