#include "agent/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "common/units.h"

enum err tracefs_open(int *fd, struct why *why)
{
    *fd = -1;
    int context = fsopen("tracefs", FSOPEN_CLOEXEC);
    bool bad = context < 0 ||
               fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0;
    if (!bad)
        *fd = fsmount(context, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY);
    int errnum = errno;
    if (context >= 0)
        (void)close(context);
    if (*fd >= 0)
        return ERR_OK;
    return err_set(why, errnum == EPERM ? ERR_PERMISSION : ERR_IO,
                   "tracefs: %s: its tracepoints need the agent to run as root "
                   "and a kernel with CONFIG_FTRACE_SYSCALLS",
                   strerror(errnum));
}

enum err tracefs_id(int fd, const char *event, uint64_t *id, struct why *why)
{
    char path[96], text[24] = "";
    (void)snprintf(path, sizeof path, "events/%s/id", event);
    int file = openat(fd, path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return err_set(why, ERR_NOTFOUND,
                       "tracepoint %s: %s: the kernel needs "
                       "CONFIG_FTRACE_SYSCALLS",
                       event, strerror(errno));
    ssize_t n = read(file, text, sizeof text - 1);
    (void)close(file);
    text[n > 0 ? n : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    enum err e = units_u64(text, UINT32_MAX, id, why);
    return e ? err_wrap(why, e, "tracepoint %s", event) : ERR_OK;
}
