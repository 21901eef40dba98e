/* --sink none: how fast the bodies can be had. Threads read every byte of their
 * clients' bulks, again and again, and nothing is sent: what no driver on this
 * machine can exceed. */
#ifndef PITWALL_LOAD_READING_H
#define PITWALL_LOAD_READING_H

#include <stdio.h>

#include "load/job.h"

struct reading_config {
    const struct job *job; /* rendered */
    uint32_t threads;
    uint64_t measure_ns;
    bool (*stopped)(void *ctx); /* asked now and then: give up? */
    void *ctx;
};

struct reading {
    uint32_t threads;
    uint64_t took_ns;
    uint64_t docs, bytes, bodies;
    uint64_t word; /* the sum of all that was read: it was not skipped */
};

/* Read the bulks of a job.
 * Errors  ERR_INVALID: there is no bulk; ERR_NOMEM and others of threads. */
CHECKED enum err reading_run(struct reading *out,
                             const struct reading_config *config,
                             struct why *why);

/* The result, as text or as JSON. */
void reading_print(FILE *to, const struct reading *r, const struct job *job);
void reading_print_json(FILE *to, const struct reading *r,
                        const struct job *job);

#endif
