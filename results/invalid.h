/* The validity rules: written before any trial, never by value. A trial that
 * breaks one is kept, counted and shown, and enters no centre. */
#ifndef PITWALL_RESULTS_INVALID_H
#define PITWALL_RESULTS_INVALID_H

#include <stdbool.h>
#include <stddef.h>

#include "common/state.h"
#include "results/tally.h"

#define INVALID_EVIDENCE_BYTES 320

struct invalid_rule {
    const char *name;
    /* True: broken; the evidence is written to buf. */
    bool (*broken)(const struct tally *tally, enum attempt_outcome outcome,
                   char *buf, size_t size);
};

/* Rule i, NULL past the last. */
const struct invalid_rule *invalid_rule(size_t i);

#endif
