/* What of the whole machine shapes a measurement, as it is during an attempt:
 * the processors' governor and turbo, transparent huge pages, swap, NUMA. What
 * the machine does not have is said to be not there. */
#ifndef PITWALL_AGENT_EXECUTOR_MACHINE_FACTS_H
#define PITWALL_AGENT_EXECUTOR_MACHINE_FACTS_H

#include "agent/executor/notes.h"

#define MACHINE_NO_TURBO "/sys/devices/system/cpu/intel_pstate/no_turbo"
#define MACHINE_BOOST    "/sys/devices/system/cpu/cpufreq/boost"
#define MACHINE_THP      "/sys/kernel/mm/transparent_hugepage/enabled"
#define MACHINE_GOVERNORS                                                      \
    "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor"

/* Add them, each named machine.X: governor, turbo, thp, swap, swappiness,
 * numa_nodes, numa_balancing. root is before each path: "" but in tests. */
void machine_facts_add(struct notes *notes, const char *root);

#endif
