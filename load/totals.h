/* What all requests of a task or a process add up to, since the start: warm-up,
 * window, tail and drain. */
#ifndef PITWALL_LOAD_TOTALS_H
#define PITWALL_LOAD_TOTALS_H

#include <stdint.h>

struct totals {
    uint64_t docs_acked, docs_refused, docs_unknown, requests, body_bytes;
    uint64_t errors;
    uint64_t docs_assumed; /* of docs_acked: the answer named none of them */
};

/* Add t to into. */
void totals_add(struct totals *into, const struct totals *t);

#endif
