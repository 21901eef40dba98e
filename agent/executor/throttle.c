#include "agent/executor/throttle.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/executor/cgroup.h"
#include "agent/executor/small_file.h"

static uint64_t sum_files(const char *sysfs, const char *pattern)
{
    char path[512], text[32];
    glob_t found = {.gl_pathc = 0};
    uint64_t sum = 0;
    (void)snprintf(path, sizeof path, "%.200s/%s", sysfs, pattern);
    if (glob(path, 0, NULL, &found))
        return 0;
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (small_file_read(AT_FDCWD, found.gl_pathv[i], text, sizeof text))
            sum += strtoull(text, NULL, 10);
    globfree(&found);
    return sum;
}

/* From our own group up to the mount, which is the root's, or a container's. */
static uint64_t sum_quotas(const struct groups_tree *t)
{
    char path[HIERARCHY_PATH + 16], text[1024];
    uint64_t sum = 0;
    for (size_t len = strlen(t->path); len >= t->mount && len; len--) {
        if (len > t->mount && t->path[len] && t->path[len] != '/')
            continue;
        (void)snprintf(path, sizeof path, "%.*s/cpu.stat", (int)len, t->path);
        if (small_file_read(AT_FDCWD, path, text, sizeof text))
            sum += cgroup_throttled_ns(text, t->v2);
    }
    return sum;
}

void throttle_read(struct throttle *out, const struct groups *groups,
                   const char *sysfs)
{
    static const char cores[] =
        "devices/system/cpu/cpu*/thermal_throttle/core_throttle_count";
    static const char packages[] =
        "devices/system/cpu/cpu*/thermal_throttle/package_throttle_count";
    *out = (struct throttle){.thermal = sum_files(sysfs, cores) +
                                        sum_files(sysfs, packages)};
    for (size_t i = 0; groups && i < groups->n; i++)
        if (groups->trees[i].v2 || (groups->trees[i].can & HIERARCHY_CPU))
            out->quota_ns += sum_quotas(&groups->trees[i]);
}

static uint64_t since(uint64_t before, uint64_t now)
{
    return now > before ? now - before : 0;
}

struct throttle throttle_since(const struct throttle *before,
                               const struct throttle *now)
{
    return (struct throttle){.thermal = since(before->thermal, now->thermal),
                             .quota_ns =
                                 since(before->quota_ns, now->quota_ns)};
}
