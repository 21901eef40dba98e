/* --slow SHARE: a thread that works longer than it has to, by a known share.
 * With it the target is a slower build of itself by a figure that is known, to
 * see which differences a lab finds. */
#ifndef PITWALL_TARGET_SLOW_H
#define PITWALL_TARGET_SLOW_H

#include <stdint.h>

#include "target/heap/heap.h"

/* A thread's own. */
struct slow {
    double share;     /* of the work; 0: none */
    uint64_t paid_ns; /* CPU time of the thread until it was last paid */
};

/* CPU time of the thread, in ns, at which what it did until now_ns is paid. */
uint64_t slow_due_ns(const struct slow *slow, uint64_t now_ns);

/* Use a CPU, as native, for the share of the time that this thread used since
 * the last call (or its start). Thread: the one whose slow it is. */
void slow_pay(struct slow *slow, struct mutator *mutator);

#endif
