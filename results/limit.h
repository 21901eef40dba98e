/* What held the target back, by documented rules over its figures (results/
 * metric_limit.c). Pure. Each is looked at by itself; which one is called the
 * bound is results/bound.h's to say.
 *
 * refused  1 % of its answers or more: 429, its queue was full.
 * gc       its collections stopped it for 20 % of the window or more.
 * cpu      its busiest thread was on a CPU, or ready and waiting for one, for
 *          90 % of the window or more, and on one for 5 % (a thread that naps
 *          waits at each waking); or its machine's CPUs were idle for 10 % of
 *          the window or less, and half of what they did or more was its own;
 *          or its control group, with a limit of CPUs, took 90 % of that limit
 *          or more, and was held back by it.
 * disk     its index waited for its files for half of the window or more; of a
 *          target that does not tell: a disk was busy for 90 % of it and some
 *          task waited for a disk for half of it.
 * waiting  at least one request waited for a thread, on average, and that was
 *          half of the time or more that requests spent in the target.
 * rwnd     the receive window held the load's connections back for half of
 *          their time or more, while the target had read what came (a quarter
 *          of its receive buffers or less was filled) and was at ease (no
 * thread wanted a CPU for more than 70 % of the window). */
#ifndef PITWALL_RESULTS_LIMIT_H
#define PITWALL_RESULTS_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "results/tally.h"

enum limit {
    LIMIT_REFUSED,
    LIMIT_GC,
    LIMIT_CPU,
    LIMIT_DISK,
    LIMIT_WAITING,
    LIMIT_RWND,
    LIMITS
};

/* The figures as the rules see them; NaN: not known, and no rule holds. */
struct limits {
    double refused, gc, thread, thread_wait, idle, cores_share;
    double disk_wait, disk_busy, pressure, queue_length, queue_wait;
    double rwnd, rcvq;
    double quota_share, quota_cpus, quota_wait_s; /* of its limit of CPUs */
    const char *thread_name;                      /* of the tally */
    bool holds[LIMITS];
};

/* Hold the figures against the rules. tally outlives *out. */
void limit_look(const struct tally *tally, struct limits *out);

/* Write what the rule saw to buf: "its thread bulk-0 ..."; for CPU, DISK and
 * WAITING of what the rule held by, when it holds. Returns the length, below
 * size; 0: nothing is known. */
size_t limit_tell(const struct limits *l, enum limit rule, char *buf,
                  size_t size);

#endif
