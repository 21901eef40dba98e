/* The processors that the threads of a cage may use, as the kernel says while
 * they run: proof that a pinning is in effect, or the evidence that it is not.
 */
#ifndef PITWALL_AGENT_WATCH_AFFINITY_H
#define PITWALL_AGENT_WATCH_AFFINITY_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/watch/emit.h"

/* All that were ever seen, together and apart. Start zeroed. */
struct affinity {
    bool any;
    cpu_set_t all; /* of all threads together */
    bool differ;   /* they had not all the same */
    cpu_set_t first;
    uint64_t looks; /* at threads */
};

/* Look at every thread of a process; folder is /proc's descriptor. One that has
 * ended meanwhile is passed over. */
void affinity_look(struct affinity *a, int folder, uint64_t pid);

/* The fact "affinity": "0-1"; and "affinity.differs" where threads had others
 * among themselves. Nothing seen: none. */
void affinity_emit(const struct affinity *a, struct emit *emit);

#endif
