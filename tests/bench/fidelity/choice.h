/* Which runs of the reference are asked for. */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_CHOICE_H
#define PITWALL_TESTS_BENCH_FIDELITY_CHOICE_H

#include "tests/bench/fidelity/args.h"
#include "tests/bench/fidelity/row.h"

struct choice {
    const struct row **rows; /* [n], of the reference */
    size_t n;
};

/* Choose by --run, --fixed20 or --cells; without them all. ERR_NOTFOUND: there
 * is no such run. Owns: choice_free. */
CHECKED enum err choice_make(struct choice *choice, const struct rows *rows,
                             const struct args *args, struct why *why);
void choice_free(struct choice *choice);

#endif
