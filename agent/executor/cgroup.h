/* One control group of an attempt, in every hierarchy that there is: what holds
 * a part's processes wherever they go (setsid and double forks do not leave
 * it), limits them, and kills them all. */
#ifndef PITWALL_AGENT_EXECUTOR_CGROUP_H
#define PITWALL_AGENT_EXECUTOR_CGROUP_H

#include "agent/executor/groups.h"
#include "agent/executor/limit.h"

#define CGROUP_NAME_MAX (GROUPS_PREFIX_MAX + 16u)

/* A plain value; start with CGROUP_NONE. */
struct cgroup {
    const struct groups *groups; /* borrowed; NULL: no group */
    char name[CGROUP_NAME_MAX];
    int dirs[HIERARCHIES_MAX]; /* as groups->trees; -1: not there */
};

#define CGROUP_NONE ((struct cgroup){.groups = NULL})

/* What a group has seen until now. */
struct cgroup_events {
    uint64_t oom_kills; /* processes that the kernel killed for memory */
    uint64_t memory_peak_bytes;       /* 0: not known */
    uint64_t throttled, throttled_ns; /* by the limit of processors */
    uint64_t pids_refused;            /* forks beyond the limit of pids */
};

/* Make the group of a part ("target") and put limits in force, each read back.
 * Where the machine has no groups at all it is CGROUP_NONE, and limits are
 * ignored: groups->missing says why.
 * Errors  ERR_UNSUPPORTED: a limit whose controller is not to be had; ERR_IO:
 *         it reads back differently; as mkdir.
 * Owns    *out is the caller's, for cgroup_close; CGROUP_NONE on failure. */
CHECKED enum err cgroup_open(struct cgroup *out, const struct groups *groups,
                             const char *part, const struct limits *limits,
                             struct why *why);

/* One that is there, by its whole name; never fails. For cgroup_close. */
void cgroup_find(struct cgroup *out, const struct groups *groups,
                 const char *name);

/* Put limits in force in a group that is open. Errors as cgroup_open. */
CHECKED enum err cgroup_limit(const struct cgroup *group,
                              const struct limits *limits, struct why *why);

/* Move the calling process into it: for a child before its exec. Returns 0 or
 * errno. CGROUP_NONE: 0. */
int cgroup_join(const struct cgroup *group);

/* Read what it has seen; zeros for CGROUP_NONE. */
void cgroup_read(const struct cgroup *group, struct cgroup_events *out);

/* The time in a text of cpu.stat that a quota kept tasks waiting. Pure. */
uint64_t cgroup_throttled_ns(const char *cpu_stat, bool v2);

/* SIGKILL everything inside, as one step where the kernel has cgroup.kill, else
 * frozen and by number. CGROUP_NONE is fine. */
void cgroup_kill(const struct cgroup *group);

/* cgroup_kill until it is empty, then remove it, at most 2 s; forget it in any
 * case. False: something of it is left. */
bool cgroup_close(struct cgroup *group);

#endif
