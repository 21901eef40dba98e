#include "common/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static enum err check(int fd, const char *path, struct why *why)
{
    struct stat st;
    if (fstat(fd, &st))
        return err_errno(why, errno, "%s", path);
    if (!S_ISREG(st.st_mode))
        return err_set(why, ERR_INVALID, "%s: not a regular file", path);
    if (st.st_mode & 077)
        return err_set(why, ERR_PERMISSION,
                       "%s: a private key that others may open (mode %04o); "
                       "accepted: 0600 (chmod 600, and a new key if others "
                       "have seen it)",
                       path, st.st_mode & 07777u);
    return ERR_OK;
}

enum err secret_open(const char *path, int *fd, struct why *why)
{
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0)
        return err_errno(why, errno, "%s", path);
    enum err e = check(*fd, path, why);
    if (e) {
        (void)close(*fd);
        *fd = -1;
    }
    return e;
}

/* 0 or errno. */
static int write_all(int fd, const char *data, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = write(fd, data, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        data += n;
        bytes -= (size_t)n;
    }
    return fsync(fd) ? errno : 0;
}

enum err secret_write(const char *path, const void *data, size_t bytes,
                      unsigned mode, struct why *why)
{
    char part[PATH_MAX];
    int n = snprintf(part, sizeof part, "%s.part", path);
    if (n < 0 || (size_t)n >= sizeof part)
        return err_set(why, ERR_RANGE, "path \"%.60s...\" is too long", path);
    (void)unlink(part); /* what a killed one has left, with whatever mode */
    int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0)
        return err_errno(why, errno, "write %s", path);
    int number = write_all(fd, data, bytes);
    if (close(fd) && !number)
        number = errno;
    if (!number && rename(part, path))
        number = errno;
    if (!number)
        return ERR_OK;
    (void)unlink(part);
    return err_errno(why, number, "write %s", path);
}
