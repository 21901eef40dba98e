#include "agent/executor/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/executor/small_file.h"
#include "common/clock.h"

#define CLOSE_NS  (2 * NS_PER_S)
#define AGAIN_NS  (2 * NS_PER_MS)
#define PERIOD_US 100000u /* the kernel's default */
#define PROCS_MAX 65536u  /* bytes of cgroup.procs that are read at once */

/* The tree that has a controller; n_trees: none has. */
static size_t tree_of(const struct groups *g, unsigned can)
{
    size_t i = 0;
    while (i < g->n && !(g->trees[i].can & can))
        i++;
    return i;
}

/* Limits ------------------------------------------------------------------- */

static enum err set(const struct cgroup *c, size_t tree, const char *file,
                    const char *value, struct why *why)
{
    char got[64];
    int failed = small_file_write(c->dirs[tree], file, value);
    if (failed)
        return err_errno(why, failed, "limit: write \"%s\" to %s", value, file);
    if (!small_file_read(c->dirs[tree], file, got, sizeof got))
        return err_set(why, ERR_IO, "limit: %s cannot be read back", file);
    got[strcspn(got, "\n")] = '\0';
    return strcmp(got, value) ? err_set(why, ERR_IO,
                                        "limit: %s is \"%s\" after writing "
                                        "\"%s\"",
                                        file, got, value)
                              : ERR_OK;
}

static enum err lacking(const struct cgroup *c, const char *limit,
                        struct why *why)
{
    return err_set(why, ERR_UNSUPPORTED, "limit of %s: %s", limit,
                   c->groups->missing);
}

static enum err limit_memory(const struct cgroup *c, uint64_t bytes,
                             struct why *why)
{
    char value[24];
    size_t i = tree_of(c->groups, HIERARCHY_MEMORY);
    if (i == c->groups->n)
        return lacking(c, "memory", why);
    bool v2 = c->groups->trees[i].v2;
    (void)snprintf(value, sizeof value, "%" PRIu64, bytes);
    enum err e =
        set(c, i, v2 ? "memory.max" : "memory.limit_in_bytes", value, why);
    if (e)
        return e;
    /* A machine without swap, or without its accounting, lacks these. */
    if (v2)
        (void)small_file_write(c->dirs[i], "memory.swap.max", "0");
    else
        (void)small_file_write(c->dirs[i], "memory.memsw.limit_in_bytes",
                               value);
    return ERR_OK;
}

static enum err limit_cpus(const struct cgroup *c, uint32_t milli,
                           struct why *why)
{
    char value[40];
    size_t i = tree_of(c->groups, HIERARCHY_CPU);
    if (i == c->groups->n)
        return lacking(c, "cpus", why);
    uint64_t quota_us = (uint64_t)milli * PERIOD_US / 1000;
    bool v2 = c->groups->trees[i].v2;
    (void)snprintf(value, sizeof value, v2 ? "%" PRIu64 " %u" : "%" PRIu64,
                   quota_us, PERIOD_US);
    return set(c, i, v2 ? "cpu.max" : "cpu.cfs_quota_us", value, why);
}

static enum err limit_pids(const struct cgroup *c, uint32_t pids,
                           struct why *why)
{
    char value[24];
    size_t i = tree_of(c->groups, HIERARCHY_PIDS);
    (void)snprintf(value, sizeof value, "%u", pids);
    return i == c->groups->n ? lacking(c, "pids", why)
                             : set(c, i, "pids.max", value, why);
}

enum err cgroup_limit(const struct cgroup *group, const struct limits *limits,
                      struct why *why)
{
    enum err e = ERR_OK;
    if (!group->groups)
        return ERR_OK;
    if (limits->memory_bytes)
        e = limit_memory(group, limits->memory_bytes, why);
    if (!e && limits->cpus_milli)
        e = limit_cpus(group, limits->cpus_milli, why);
    if (!e && limits->pids)
        e = limit_pids(group, limits->pids, why);
    return e;
}

/* Life --------------------------------------------------------------------- */

static void init(struct cgroup *c, const struct groups *groups)
{
    *c = CGROUP_NONE;
    c->groups = groups;
    for (size_t i = 0; i < HIERARCHIES_MAX; i++)
        c->dirs[i] = -1;
}

static void open_dirs(struct cgroup *c)
{
    for (size_t i = 0; i < c->groups->n; i++)
        c->dirs[i] = openat(c->groups->trees[i].dir, c->name,
                            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

void cgroup_find(struct cgroup *out, const struct groups *groups,
                 const char *name)
{
    init(out, groups);
    (void)snprintf(out->name, sizeof out->name, "%s", name);
    open_dirs(out);
}

enum err cgroup_open(struct cgroup *out, const struct groups *groups,
                     const char *part, const struct limits *limits,
                     struct why *why)
{
    *out = CGROUP_NONE;
    if (!groups || !groups->n)
        return ERR_OK;
    init(out, groups);
    (void)snprintf(out->name, sizeof out->name, "%s%.12s", groups->prefix,
                   part);
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < groups->n; i++)
        if (mkdirat(groups->trees[i].dir, out->name, 0755) && errno != EEXIST)
            e = err_errno(why, errno, "make %s in %s", out->name,
                          groups->trees[i].path);
    open_dirs(out);
    if (!e)
        e = cgroup_limit(out, limits, why);
    if (e) {
        (void)err_wrap(why, e, "control group of %s", part);
        (void)cgroup_close(out);
    }
    return e;
}

int cgroup_join(const struct cgroup *group)
{
    int failed = 0;
    for (size_t i = 0; !failed && group->groups && i < group->groups->n; i++)
        failed = small_file_write(group->dirs[i], "cgroup.procs", "0");
    return failed;
}

/* Kill --------------------------------------------------------------------- */

/* SIGKILL what a tree lists; whether there was anybody. */
static bool kill_listed(int dir)
{
    bool any = false;
    char *text = malloc(PROCS_MAX);
    if (text && small_file_read(dir, "cgroup.procs", text, PROCS_MAX))
        for (char *at = text, *end; *at; at = end + (*end == '\n')) {
            long pid = strtol(at, &end, 10);
            if (end == at)
                break;
            any = true;
            if (pid > 1)
                (void)kill((pid_t)pid, SIGKILL);
        }
    free(text);
    return any;
}

/* Frozen, none can fork while the list is walked. */
static void kill_frozen(const struct cgroup *c, size_t freezer)
{
    bool frozen = freezer < c->groups->n && c->dirs[freezer] >= 0;
    if (frozen)
        (void)small_file_write(c->dirs[freezer], "freezer.state", "FROZEN");
    for (size_t i = 0; i < c->groups->n; i++)
        if (c->dirs[i] >= 0)
            (void)kill_listed(c->dirs[i]);
    if (frozen)
        (void)small_file_write(c->dirs[freezer], "freezer.state", "THAWED");
}

void cgroup_kill(const struct cgroup *group)
{
    if (!group->groups)
        return;
    size_t i = 0, n = group->groups->n;
    while (i < n && !group->groups->trees[i].v2)
        i++;
    /* Kernels before 5.14 lack the file. */
    if (i == n || small_file_write(group->dirs[i], "cgroup.kill", "1"))
        kill_frozen(group, tree_of(group->groups, HIERARCHY_FREEZER));
}

/* Remove it where it is empty; true: it is gone everywhere. */
static bool removed(struct cgroup *c)
{
    bool gone = true;
    for (size_t i = 0; i < c->groups->n; i++)
        if (unlinkat(c->groups->trees[i].dir, c->name, AT_REMOVEDIR) &&
            errno != ENOENT)
            gone = false;
    return gone;
}

bool cgroup_close(struct cgroup *group)
{
    if (!group->groups)
        return true;
    uint64_t due_ns = clock_mono_ns() + CLOSE_NS;
    bool gone = removed(group);
    while (!gone && clock_mono_ns() < due_ns) {
        cgroup_kill(group);
        /* A process may be in one tree only, on its way in or out. */
        for (size_t i = 0; i < group->groups->n; i++)
            if (group->dirs[i] >= 0)
                (void)kill_listed(group->dirs[i]);
        gone = removed(group);
        if (!gone)
            clock_sleep_until(clock_mono_ns() + AGAIN_NS);
    }
    for (size_t i = 0; i < group->groups->n; i++)
        if (group->dirs[i] >= 0)
            (void)close(group->dirs[i]);
    *group = CGROUP_NONE;
    return gone;
}

/* Read --------------------------------------------------------------------- */

/* The number behind a word that begins a line; 0: no such line. */
static uint64_t number_of(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at != 0)
        if (!strncmp(at, word, n) && at[n] == ' ')
            return strtoull(at + n + 1, NULL, 10);
    return 0;
}

uint64_t cgroup_throttled_ns(const char *cpu_stat, bool v2)
{
    return v2 ? number_of(cpu_stat, "throttled_usec") * 1000
              : number_of(cpu_stat, "throttled_time");
}

void cgroup_read(const struct cgroup *group, struct cgroup_events *out)
{
    char text[1024];
    *out = (struct cgroup_events){0};
    for (size_t i = 0; group->groups && i < group->groups->n; i++) {
        const struct groups_tree *t = &group->groups->trees[i];
        int dir = group->dirs[i];
        if ((t->can & HIERARCHY_MEMORY) &&
            small_file_read(dir, t->v2 ? "memory.events" : "memory.oom_control",
                            text, sizeof text))
            out->oom_kills = number_of(text, "oom_kill");
        if ((t->can & HIERARCHY_MEMORY) &&
            small_file_read(dir,
                            t->v2 ? "memory.peak" : "memory.max_usage_in_bytes",
                            text, sizeof text))
            out->memory_peak_bytes = strtoull(text, NULL, 10);
        if ((t->can & HIERARCHY_PIDS) &&
            small_file_read(dir, "pids.events", text, sizeof text))
            out->pids_refused = number_of(text, "max");
        if (!(t->can & HIERARCHY_CPU) ||
            !small_file_read(dir, "cpu.stat", text, sizeof text))
            continue;
        out->throttled = number_of(text, "nr_throttled");
        out->throttled_ns = cgroup_throttled_ns(text, t->v2);
    }
}
