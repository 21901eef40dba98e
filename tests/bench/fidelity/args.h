/* The command line. */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_ARGS_H
#define PITWALL_TESTS_BENCH_FIDELITY_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

struct args {
    const char *reference, *histograms;
    bool replay, fixed20, json;
    uint64_t cells; /* 0: all */
    uint64_t run;   /* 0: all */
    uint64_t seed, replays, jobs;
    const char *pitwall; /* its path */
    double require;      /* share that must agree */
};

/* Read the command line; --help and usage end the process. ERR_USAGE. */
CHECKED enum err args_read(struct args *args, int argc, char **argv,
                           struct why *why);

#endif
