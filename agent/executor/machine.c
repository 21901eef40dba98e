#include "agent/executor/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define GOVERNORS "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor"
#define THP       "/sys/kernel/mm/transparent_hugepage/enabled"
#define DROP      "/proc/sys/vm/drop_caches"

static enum err set(struct host *host, const char *path, const char *wanted,
                    struct why *why)
{
    char value[CHANGE_VALUE_MAX];
    (void)snprintf(value, sizeof value, "%s", wanted);
    return host_set(host, CHANGE_SYSFS, path, value, why);
}

static enum err set_governors(struct host *host, const char *wanted,
                              struct why *why)
{
    glob_t found = {.gl_pathc = 0};
    enum err e = ERR_OK;
    if (glob(GOVERNORS, 0, NULL, &found) || found.gl_pathc == 0)
        e = err_set(why, ERR_NOTFOUND,
                    "this machine has no processor whose frequency Linux "
                    "governs");
    for (size_t i = 0; !e && i < found.gl_pathc; i++)
        e = set(host, found.gl_pathv[i], wanted, why);
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

enum err machine_settle(const struct config *config, struct host *host,
                        int state_fd, struct why *why)
{
    enum err e = ERR_OK;
    if (syncfs(state_fd))
        e = err_errno(why, errno, "write dirty pages");
    if (!e && config->drop_caches) {
        e = drop_caches(why);
        if (e)
            return err_wrap(why, e, "drop_caches");
    }
    if (!e && config->governor[0]) {
        e = set_governors(host, config->governor, why);
        if (e)
            return err_wrap(why, e, "governor %s", config->governor);
    }
    if (!e && config->thp[0]) {
        e = set(host, THP, config->thp, why);
        if (e)
            return err_wrap(why, e, "thp %s", config->thp);
    }
    return e;
}
