/* What keeps processes from the CPUs without anybody asking for it: heat, and
 * quotas of control groups above the agent's own (a container's, a service's).
 * Counters since the machine or group began; their differences count. */
#ifndef PITWALL_AGENT_EXECUTOR_THROTTLE_H
#define PITWALL_AGENT_EXECUTOR_THROTTLE_H

#include <stdint.h>

#include "agent/executor/groups.h"

struct throttle {
    uint64_t thermal;  /* events of cores and packages */
    uint64_t quota_ns; /* that tasks of those groups waited */
};

/* Read them; sysfs is "/sys" (tests: a folder). What is not there counts
 * nothing. */
void throttle_read(struct throttle *out, const struct groups *groups,
                   const char *sysfs);

/* now less before; counters that went back count nothing. */
struct throttle throttle_since(const struct throttle *before,
                               const struct throttle *now);

#endif
