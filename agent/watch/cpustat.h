/* /proc/stat: what the machine's CPUs did since it was started. */
#ifndef PITWALL_AGENT_WATCH_CPUSTAT_H
#define PITWALL_AGENT_WATCH_CPUSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In clock ticks, summed over CPUs. Guest time is inside user and nice. */
struct cpustat {
    uint64_t user, nice, system, idle, iowait, irq, softirq, steal;
};

/* Read the first line ("cpu ..."); the rest need not be there. False when it
 * is of another shape. */
bool cpustat_parse(const char *text, size_t len, struct cpustat *out);

#endif
