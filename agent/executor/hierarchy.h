/* Where the control groups of this machine are: the folder of our own group in
 * each mounted hierarchy, read from /proc/self/cgroup and /proc/self/mountinfo
 * (cgroups(7)). Pure. One unified hierarchy (v2), several of one or two
 * controllers (v1), or both, which is called hybrid. */
#ifndef PITWALL_AGENT_EXECUTOR_HIERARCHY_H
#define PITWALL_AGENT_EXECUTOR_HIERARCHY_H

#include <stdbool.h>
#include <stddef.h>

/* Controllers, bits: what a hierarchy can limit, or do to its processes. Which
 * of them a v2 hierarchy has is for its files to say. */
enum hierarchy_can {
    HIERARCHY_MEMORY = 1,
    HIERARCHY_CPU = 2,
    HIERARCHY_PIDS = 4,
    HIERARCHY_FREEZER = 8
};

#define HIERARCHY_LIMITS (HIERARCHY_MEMORY | HIERARCHY_CPU | HIERARCHY_PIDS)
#define HIERARCHIES_MAX  5u
#define HIERARCHY_PATH   512u

struct hierarchy {
    bool v2;
    unsigned can;              /* enum hierarchy_can; 0 for v2 */
    char path[HIERARCHY_PATH]; /* of our own group */
    size_t mount;              /* bytes of path that are the mount's */
};

/* Both files as texts. Returns how many of out there are: the unified one
 * first. Hierarchies that are not mounted, or whose mount does not show our
 * group, are passed over. */
size_t hierarchy_find(const char *cgroup, const char *mountinfo,
                      struct hierarchy out[HIERARCHIES_MAX]);

#endif
