/* What the reference's driver (reference/jvm/drv.c) sends: the same request
 * over and over, a body of lines of 300 to 1499 bytes. */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_DRIVER_H
#define PITWALL_TESTS_BENCH_FIDELITY_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct driver {
    char *request; /* [bytes], head and body */
    size_t bytes;
    uint32_t *lines; /* [n_lines], lengths without the line feed */
    size_t n_lines;
};

/* The request with a body of that length and, beside the usual ones, headers
 * more lines of header_bytes each. ERR_NOMEM. Owns: driver_free. */
CHECKED enum err driver_make(struct driver *driver, uint64_t body_bytes,
                             uint64_t headers, uint64_t header_bytes,
                             struct why *why);
void driver_free(struct driver *driver);

#endif
