/* One cell set up and kept, without load: for whoever wants to look at it. */
#ifndef PITWALL_CONTROLLER_HOLD_H
#define PITWALL_CONTROLLER_HOLD_H

#include "controller/lab.h"
#include "controller/trials.h"

struct hold {
    struct lab *lab; /* its target's agent holds the cell; leases are taken */
    const struct trials *trials;
    uint32_t cell;
    const char *uuid; /* owner of the lease */
    uint64_t for_ns;  /* at most so long */
    int interrupt_fd;
};

/* Set it up, print where its target listens on stdout, wait for Ctrl-C, its
 * time or its death, tear it down. Nothing of it is stored.
 * Errors  ERR_TIMEOUT: it was not ready, or not down, in time; ERR_CHILD: it
 *         ended by itself, as the text says; the agent's. */
CHECKED enum err hold_run(const struct hold *hold, struct why *why);

#endif
