/* The control groups of one attempt: one of the target, one of load, and one of
 * the watches, whose use of the machine is not the others'. */
#ifndef PITWALL_AGENT_EXECUTOR_ATTEMPT_GROUPS_H
#define PITWALL_AGENT_EXECUTOR_ATTEMPT_GROUPS_H

#include "agent/executor/attempt.h"
#include "agent/executor/cgroup.h"

enum { GROUP_TARGET, GROUP_LOAD, GROUP_WATCH, ATTEMPT_GROUPS };

/* Start zeroed: no groups. */
struct attempt_groups {
    struct cgroup of[ATTEMPT_GROUPS];
    struct limits limits[ATTEMPT_GROUPS];
    struct cgroup_events seen[ATTEMPT_GROUPS]; /* once closed */
};

/* Make those that parts (PART_BITs) need. Errors as cgroup_open; then none is
 * there. */
CHECKED enum err
attempt_groups_open(struct attempt_groups *a, const struct groups *groups,
                    unsigned parts, const struct limits *target,
                    const struct limits *load, struct why *why);

/* Where a part belongs. Valid as long as a. */
const struct cgroup *attempt_groups_of(const struct attempt_groups *a,
                                       enum part part);

/* Whether the kernel has killed a process of the part's group for want of
 * memory; then of what, in words. */
bool attempt_groups_starved(const struct attempt_groups *a, enum part part,
                            char *buf, size_t size);

/* Kill everything in them. */
void attempt_groups_kill(const struct attempt_groups *a);

/* Note what they have seen, then remove them with whatever is inside. */
void attempt_groups_close(struct attempt_groups *a);

#endif
