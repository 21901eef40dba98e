#include "agent/executor/attempt_groups.h"

#include <stdio.h>

#include "common/log.h"
#include "common/units.h"

static unsigned group_of(enum part part)
{
    static const unsigned of[PARTS] = {[PART_TARGET] = GROUP_TARGET,
                                       [PART_LOAD] = GROUP_LOAD,
                                       [PART_WATCH_TARGET] = GROUP_WATCH,
                                       [PART_WATCH_LOAD] = GROUP_WATCH};
    return of[part];
}

enum err attempt_groups_open(struct attempt_groups *a,
                             const struct groups *groups, unsigned parts,
                             const struct limits *target,
                             const struct limits *load, struct why *why)
{
    static const char *const names[ATTEMPT_GROUPS] = {[GROUP_TARGET] = "target",
                                                      [GROUP_LOAD] = "load",
                                                      [GROUP_WATCH] = "watch"};
    enum err e = ERR_OK;
    *a = (struct attempt_groups){.limits = {*target, *load}};
    for (unsigned p = 0; !e && p < PARTS; p++) {
        unsigned i = group_of((enum part)p);
        if ((parts & PART_BIT(p)) && !a->of[i].groups)
            e = cgroup_open(&a->of[i], groups, names[i], &a->limits[i], why);
    }
    if (e)
        attempt_groups_close(a);
    return e;
}

const struct cgroup *attempt_groups_of(const struct attempt_groups *a,
                                       enum part part)
{
    return &a->of[group_of(part)];
}

bool attempt_groups_starved(const struct attempt_groups *a, enum part part,
                            char *buf, size_t size)
{
    struct cgroup_events seen;
    char limit[32];
    unsigned i = group_of(part);
    cgroup_read(&a->of[i], &seen);
    uint64_t bytes = a->limits[i].memory_bytes;
    (void)snprintf(buf, size, "%s%s",
                   bytes ? "its limit of memory is " : "the machine's is spent",
                   bytes ? units_show_bytes(limit, sizeof limit, bytes) : "");
    return seen.oom_kills > 0;
}

void attempt_groups_kill(const struct attempt_groups *a)
{
    for (unsigned i = 0; i < ATTEMPT_GROUPS; i++)
        cgroup_kill(&a->of[i]);
}

void attempt_groups_close(struct attempt_groups *a)
{
    for (unsigned i = 0; i < ATTEMPT_GROUPS; i++) {
        cgroup_read(&a->of[i], &a->seen[i]);
        char name[CGROUP_NAME_MAX];
        (void)snprintf(name, sizeof name, "%s", a->of[i].name);
        if (!cgroup_close(&a->of[i]))
            log_warn("control group %s does not go", name);
    }
}
