/* What the executor had in force for a trial (stream executor, JSON), as far
 * as results need it. */
#ifndef PITWALL_RESULTS_EFFECTIVE_H
#define PITWALL_RESULTS_EFFECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/record.h"

#define EFFECTIVE_BYTES_MAX (1u << 20)

struct effective {
    bool rmem_known;        /* the target's namespace was read back */
    uint64_t rmem_bytes[3]; /* net.ipv4.tcp_rmem: min, default, max */
    char pin_target[64], pin_load[64]; /* "0-1"; "": not pinned */
    uint64_t link_rate_bit;     /* of the shaper at the load's end; 0: none */
    uint64_t target_cpus_milli; /* the limit of its group; 0: none */
    char congestion[17]; /* asked of the load's sockets; "": the system's */
};

/* Read the document into *out (zeroed first). Members of other names are
 * passed over; these of another shape: ERR_INVALID naming the place. */
CHECKED enum err effective_read(struct effective *out, const uint8_t *json,
                                size_t len, struct why *why);

/* Tell each fact of the document's "facts" (side, name, value), in its order;
 * those that are no texts, or longer than a fact is, are left out. What visit
 * returns other than ERR_OK ends it. ERR_INVALID: no document. */
typedef enum err effective_visit(void *ctx, const struct record *fact,
                                 struct why *why);
CHECKED enum err effective_facts(const uint8_t *json, size_t len,
                                 effective_visit *visit, void *ctx,
                                 struct why *why);

#endif
