#include "controller/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Beyond what any file holds, and what SQLite locks. */
#define FIRST (1ll << 60)

static struct flock lock_of(int64_t experiment)
{
    return (struct flock){.l_type = F_WRLCK,
                          .l_whence = SEEK_SET,
                          .l_start = (off_t)(FIRST + experiment),
                          .l_len = 1};
}

enum err guard_take(const char *path, int64_t experiment, int *fd,
                    struct why *why)
{
    struct flock lock = lock_of(experiment);
    *fd = open(path, O_RDWR | O_CLOEXEC);
    if (*fd < 0)
        return err_errno(why, errno, "%s", path);
    if (!fcntl(*fd, F_OFD_SETLK, &lock))
        return ERR_OK;
    int failed = errno;
    (void)close(*fd);
    *fd = -1;
    if (failed != EAGAIN && failed != EACCES)
        return err_errno(why, failed, "lock %s", path);
    return err_set(why, ERR_BUSY,
                   "experiment %lld is being run by another pitwall (see "
                   "pitwall status %lld)",
                   (long long)experiment, (long long)experiment);
}

bool guard_held(const char *path, int64_t experiment)
{
    struct flock lock = lock_of(experiment);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool held = !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
    (void)close(fd);
    return held;
}
