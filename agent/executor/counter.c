#include "agent/executor/counter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/units.h"

static enum err write_all(int fd, const void *data, size_t len, struct why *why)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = write(fd, (const char *)data + done, len - done);
        if (n < 0 && errno != EINTR)
            return err_errno(why, errno, "write");
        done += n > 0 ? (size_t)n : 0;
    }
    return ERR_OK;
}

enum err counter_replace(int dirfd, const char *name, const void *data,
                         size_t len, struct why *why)
{
    char beside[80];
    (void)snprintf(beside, sizeof beside, "%s.new", name);
    int fd =
        openat(dirfd, beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_errno(why, errno, "create %s", beside);
    enum err e = write_all(fd, data, len, why);
    if (!e && fsync(fd))
        e = err_errno(why, errno, "fsync");
    if (close(fd) && !e)
        e = err_errno(why, errno, "close");
    if (!e && renameat(dirfd, beside, dirfd, name))
        e = err_errno(why, errno, "rename");
    if (!e && fsync(dirfd))
        e = err_errno(why, errno, "fsync of the folder");
    if (e) {
        (void)unlinkat(dirfd, beside, 0);
        return err_wrap(why, e, "replace %s", name);
    }
    return ERR_OK;
}

static enum err counter_read(int dirfd, const char *name, uint64_t *value,
                             struct why *why)
{
    *value = 0;
    int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? ERR_OK : err_errno(why, errno, "open");
    char text[32] = "";
    ssize_t n = read(fd, text, sizeof text - 1);
    int saved = errno;
    (void)close(fd);
    if (n < 0)
        return err_errno(why, saved, "read");
    text[n] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (units_u64(text, UINT64_MAX - 1, value, NULL))
        return err_set(why, ERR_CORRUPT, "\"%.20s\" is no number", text);
    return ERR_OK;
}

enum err counter_next(int dirfd, const char *name, uint64_t *value,
                      struct why *why)
{
    uint64_t old;
    enum err e = counter_read(dirfd, name, &old, why);
    if (e)
        return err_wrap(why, e, "%s", name);
    char text[32];
    int n = snprintf(text, sizeof text, "%llu\n", (unsigned long long)old + 1);
    e = counter_replace(dirfd, name, text, (size_t)n, why);
    if (!e)
        *value = old + 1;
    return e;
}
