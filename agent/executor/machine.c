#include "agent/executor/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/executor/machine_facts.h"

#define DROP "/proc/sys/vm/drop_caches"

static enum err set(struct host *host, enum change_kind kind,
                    const char *target, const char *wanted, struct why *why)
{
    char value[CHANGE_VALUE_MAX];
    (void)snprintf(value, sizeof value, "%s", wanted);
    return host_set(host, kind, target, value, why);
}

static enum err set_governors(struct host *host, const char *wanted,
                              struct why *why)
{
    glob_t found = {.gl_pathc = 0};
    enum err e = ERR_OK;
    if (glob(MACHINE_GOVERNORS, 0, NULL, &found) || found.gl_pathc == 0)
        e = err_set(why, ERR_NOTFOUND,
                    "this machine has no processor whose frequency Linux "
                    "governs");
    for (size_t i = 0; !e && i < found.gl_pathc; i++)
        e = set(host, CHANGE_SYSFS, found.gl_pathv[i], wanted, why);
    globfree(&found);
    return e;
}

/* Nothing to undo: the cache fills again by itself. */
static enum err drop_caches(struct why *why)
{
    int fd = open(DROP, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return err_errno(why, errno, "open %s", DROP);
    ssize_t n = write(fd, "1", 1);
    int saved = errno;
    (void)close(fd);
    return n == 1 ? ERR_OK : err_errno(why, saved, "write %s", DROP);
}

/* intel_pstate says it the other way round. */
static enum err set_turbo(struct host *host, const char *wanted,
                          struct why *why)
{
    bool on = !strcmp(wanted, "on");
    if (!access(MACHINE_NO_TURBO, F_OK))
        return set(host, CHANGE_SYSFS, MACHINE_NO_TURBO, on ? "0" : "1", why);
    if (!access(MACHINE_BOOST, F_OK))
        return set(host, CHANGE_SYSFS, MACHINE_BOOST, on ? "1" : "0", why);
    return err_set(why, ERR_NOTFOUND,
                   "this machine has no processor whose turbo Linux switches");
}

static enum err set_thp(struct host *host, const char *wanted, struct why *why)
{
    return set(host, CHANGE_SYSFS, MACHINE_THP, wanted, why);
}

static enum err set_swappiness(struct host *host, const char *wanted,
                               struct why *why)
{
    return set(host, CHANGE_SYSCTL, "vm.swappiness", wanted, why);
}

static enum err set_balancing(struct host *host, const char *wanted,
                              struct why *why)
{
    return set(host, CHANGE_SYSCTL, "kernel.numa_balancing",
               strcmp(wanted, "on") ? "0" : "1", why);
}

enum err machine_settle(const struct config *config, struct host *host,
                        int state_fd, struct why *why)
{
    const struct {
        const char *name, *wanted;
        enum err (*set)(struct host *host, const char *wanted, struct why *why);
    } knobs[] = {{"governor", config->governor, set_governors},
                 {"turbo", config->turbo, set_turbo},
                 {"thp", config->thp, set_thp},
                 {"swappiness", config->swappiness, set_swappiness},
                 {"numa_balancing", config->numa_balancing, set_balancing}};
    if (syncfs(state_fd))
        return err_errno(why, errno, "write dirty pages");
    if (config->drop_caches) {
        enum err e = drop_caches(why);
        if (e)
            return err_wrap(why, e, "drop_caches");
    }
    for (size_t i = 0; i < sizeof knobs / sizeof *knobs; i++) {
        enum err e = knobs[i].wanted[0]
                         ? knobs[i].set(host, knobs[i].wanted, why)
                         : ERR_OK;
        if (e)
            return err_wrap(why, e, "%s %s", knobs[i].name, knobs[i].wanted);
    }
    return ERR_OK;
}
