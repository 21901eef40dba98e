/* Run another program to its end, without a shell. */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_PROGRAM_H
#define PITWALL_TESTS_BENCH_FIDELITY_PROGRAM_H

#include <stdint.h>

#include "common/err.h"

#define PROGRAM_ARGS_MAX 64u

struct program {
    const char *folder; /* where what it says is kept meanwhile */
    int signals;        /* interrupt_open's: one that comes is passed on */
    uint64_t limit_ns;  /* its time; then it is interrupted, at last killed */
};

/* How it ended. */
struct program_end {
    int status;     /* exit status */
    char *said;     /* on stdout, terminated, at most 1 MiB */
    char last[400]; /* its last line on stderr */
};

/* Run argv (argv[0] its path, NULL-terminated) and wait.
 * Errors  ERR_INTERRUPTED: a signal came; ERR_TIMEOUT; ERR_CHILD: it was killed
 *         by another; errno's. It is gone in any case.
 * Owns    end->said, for free; NULL on failure. */
CHECKED enum err program_run(const struct program *program, char **argv,
                             struct program_end *end, struct why *why);

#endif
