/* What the executor had in force for a trial (stream executor, JSON), as far
 * as results need it. */
#ifndef PITWALL_RESULTS_EFFECTIVE_H
#define PITWALL_RESULTS_EFFECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define EFFECTIVE_BYTES_MAX (1u << 20)

struct effective {
    bool rmem_known;        /* the target's namespace was read back */
    uint64_t rmem_bytes[3]; /* net.ipv4.tcp_rmem: min, default, max */
    uint64_t link_rate_bit; /* of the shaper at the load's end; 0: none */
    char congestion[17];    /* asked of the load's sockets; "": the system's */
};

/* Read the document into *out (zeroed first). Members of other names are
 * passed over; these of another shape: ERR_INVALID naming the place. */
CHECKED enum err effective_read(struct effective *out, const uint8_t *json,
                                size_t len, struct why *why);

#endif
