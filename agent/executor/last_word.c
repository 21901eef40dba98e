#include "agent/executor/last_word.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static enum err check(int fd, struct why *why)
{
    struct stat st;
    if (fstat(fd, &st))
        return err_errno(why, errno, "stat");
    if (!S_ISREG(st.st_mode))
        return err_set(why, ERR_INVALID, "not a plain file");
    if (st.st_size > (off_t)LAST_WORD_MAX)
        return err_set(why, ERR_INVALID, "%lld bytes, at most %u",
                       (long long)st.st_size, LAST_WORD_MAX);
    return ERR_OK;
}

/* Nobody writes it any more; the bound holds even so. */
static enum err copy(int fd, struct spool_file *spool, struct why *why)
{
    char buf[SPOOL_RECORD_MAX];
    for (size_t total = 0; total < LAST_WORD_MAX;) {
        ssize_t n = read(fd, buf, sizeof buf);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? err_errno(why, errno, "read") : ERR_OK;
        enum err e =
            spool_file_append(spool, SPOOL_TARGET_FINAL, buf, (size_t)n, why);
        if (e)
            return e;
        total += (size_t)n;
    }
    return ERR_OK;
}

enum err last_word_take(int dir, const char *name, struct spool_file *spool,
                        struct why *why)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "work/%s", name);
    /* NONBLOCK: opening a pipe must not wait for its writer. */
    int fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return ERR_OK;
    enum err e = fd < 0 ? err_errno(why, errno, "open") : check(fd, why);
    if (!e)
        e = copy(fd, spool, why);
    if (fd >= 0)
        (void)close(fd);
    return e ? err_wrap(why, e, "last word %s", name) : ERR_OK;
}
