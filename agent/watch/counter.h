/* Differences of the kernel's and the target's counters. */
#ifndef PITWALL_AGENT_WATCH_COUNTER_H
#define PITWALL_AGENT_WATCH_COUNTER_H

#include <stdint.h>

/* What was counted since before. A counter that fell was begun anew (a device
 * made again, a target restarted): what it shows now is what was counted. */
static inline uint64_t counter_since(uint64_t before, uint64_t now)
{
    return now >= before ? now - before : now;
}

#endif
