#include "agent/executor/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define LEVELS_MAX 32

static enum err remove_level(int dirfd, const char *name, int level,
                             struct why *why);

static enum err empty(DIR *dir, int level, struct why *why)
{
    enum err e = ERR_OK;
    for (struct dirent *d; !e && (d = readdir(dir));)
        if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
            e = remove_level(dirfd(dir), d->d_name, level + 1, why);
    return e;
}

static enum err remove_level(int dirfd, const char *name, int level,
                             struct why *why)
{
    if (!unlinkat(dirfd, name, 0) || errno == ENOENT)
        return ERR_OK;
    if (errno != EISDIR && errno != EPERM)
        return err_errno(why, errno, "remove %s", name);
    if (level > LEVELS_MAX)
        return err_set(why, ERR_RANGE, "%s: more than %d folders deep", name,
                       LEVELS_MAX);
    int fd =
        openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        enum err e = err_errno(why, errno, "remove %s", name);
        if (fd >= 0)
            (void)close(fd);
        return e;
    }
    enum err e = empty(dir, level, why);
    (void)closedir(dir);
    if (!e && unlinkat(dirfd, name, AT_REMOVEDIR))
        e = err_errno(why, errno, "remove %s", name);
    return e;
}

enum err tree_remove(int dirfd, const char *name, struct why *why)
{
    return remove_level(dirfd, name, 1, why);
}
