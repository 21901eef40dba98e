/* The control groups that this machine lets the executor make, found out once
 * by trying, and the removal of those that dead agents have left.
 *
 * Groups have names, unlike namespaces, so they outlive a killed executor:
 * a name says whose they are, pitwall.PIDNS.PID.STARTTIME.PART, and whoever
 * finds that this process is no more may kill what is inside and remove them.
 * They lie in the agent's own group: what is given to it is theirs to share. */
#ifndef PITWALL_AGENT_EXECUTOR_GROUPS_H
#define PITWALL_AGENT_EXECUTOR_GROUPS_H

#include <sys/types.h>

#include "agent/executor/hierarchy.h"
#include "common/err.h"

#define GROUPS_PREFIX_MAX 72u

struct groups {
    struct groups_tree {
        bool v2;
        unsigned can; /* limits that children can have, or the freezer */
        int dir;      /* of our own group, for reading what is above, too */
        char path[HIERARCHY_PATH];
        size_t mount; /* bytes of path */
    } trees[HIERARCHIES_MAX];
    size_t n;                       /* 0: no groups at all */
    unsigned can;                   /* of all together */
    char prefix[GROUPS_PREFIX_MAX]; /* of our groups' names, with its dot */
    char missing[200];              /* what is not possible, and why; or "" */
};

#define GROUPS_NONE ((struct groups){.n = 0})

/* Find out; on v2 the controllers are passed on to children, for which this
 * process moves to a group of its own below when it is alone in the one that
 * it has. Never fails: what is lacking is said in missing.
 * Owns    descriptors, for groups_close. */
void groups_open(struct groups *g);
void groups_close(struct groups *g);

/* Kill what is in groups whose agent is dead, and remove them; with ours, in
 * groups of our own prefix instead. Returns how many there were; those that do
 * not go within 2 s each are logged and left. */
unsigned groups_sweep(const struct groups *g, bool ours);

/* State letter and start (ticks since boot) of a process; false: there is none.
 * With the pid namespace they tell it from all others of this boot. */
bool groups_look_at(pid_t pid, char *state, unsigned long long *start);

/* Whether the process that a name speaks of is dead. False also for names that
 * are none, or of another pid namespace, where numbers mean others. */
bool groups_name_is_dead(const char *name, const char *own_prefix);

#endif
