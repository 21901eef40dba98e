/* What ours did in the measured window of one run of the reference, replayed or
 * live. */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_FIGURES_H
#define PITWALL_TESTS_BENCH_FIDELITY_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "target/heap/heap.h"

/* Of one run, or summed over several of a row; those that did not end as the
 * JVM did (out of memory or not) are only counted. */
struct figures {
    unsigned runs, ooms;
    uint64_t bytes;   /* read */
    uint64_t buffers; /* bytes of all read buffers */
    struct heap_stats heap;
};

#define FIGURES_NOTE 200u

/* What came of a row. */
struct result {
    struct figures figures;
    const char *lacking;     /* why it could not be run; NULL: it was */
    char note[FIGURES_NOTE]; /* why not to trust it; "" */
};

/* Add one run (one->runs is 1) to sum. */
void figures_add(struct figures *sum, const struct figures *one, bool jvm_oom);

#endif
