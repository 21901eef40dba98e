/* How well a thread's loop keeps up, measured by itself within its window.
 *
 * A loop that is busy with one socket lets the others wait. Away is the time
 * between two looks at them. Moments of the window are weighed alike: lag is
 * what something that becomes ready at a random moment waits at most, wait
 * what it waits on average. late is how long after the moment at which an
 * operation could have started, and was meant to, it was handed to the engine.
 */
#ifndef PITWALL_LOAD_SELF_H
#define PITWALL_LOAD_SELF_H

#include "common/hist.h"

struct self {
    struct hist lag;  /* weighed by microseconds */
    struct hist late; /* of operations */
    uint64_t lag_max_ns;
    double away_ns2; /* sum of squares */
    uint64_t length_ns;
    uint64_t cpu_ns, blocked_ns; /* CPU time; some body waited to be sent */
};

/* Empty. */
void self_reset(struct self *s);

/* The loop was away for away_ns after it had waited for idle_ns. */
void self_turn(struct self *s, uint64_t idle_ns, uint64_t away_ns);

/* Mean time that something ready waited for the loop. */
uint64_t self_wait(const struct self *s);

/* Add one thread's to another's: lengths and times add up. */
void self_merge(struct self *into, const struct self *from);

#endif
