#include "agent/executor/cage_tmp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define TMP "/tmp"

/* What the old entry is mounted on. */
static bool make_place(int old, int new, const char *name)
{
    struct stat st;
    char target[4096];
    if (fstatat(old, name, &st, AT_SYMLINK_NOFOLLOW))
        return false;
    if (S_ISDIR(st.st_mode))
        return mkdirat(new, name, 0700) == 0;
    if (S_ISLNK(st.st_mode)) {
        ssize_t n = readlinkat(old, name, target, sizeof target - 1);
        if (n > 0) {
            target[n] = '\0';
            (void)!symlinkat(target, new, name);
        }
        return false;
    }
    int fd = openat(new, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        (void)close(fd);
    return fd >= 0;
}

/* With all that is mounted below it. One that has gone meanwhile is empty. */
static void show(int old, int new, const char *name)
{
    if (!make_place(old, new, name))
        return;
    int tree = open_tree(old, name,
                         OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE |
                             AT_SYMLINK_NOFOLLOW);
    if (tree < 0)
        return;
    (void)!move_mount(tree, "", new, name, MOVE_MOUNT_F_EMPTY_PATH);
    (void)close(tree);
}

/* Java virtual machines name files by their process's number, which is another
 * one's in here: the machine's would be in the way of the cage's. */
static bool of_jvms(const char *name)
{
    static const char *const prefixes[] = {"hsperfdata_", ".java_pid",
                                           ".attach_pid"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
            return true;
    return false;
}

static int cover(DIR *old)
{
    const struct dirent *d = NULL;
    if (mount("tmpfs", TMP, "tmpfs", MS_NOSUID | MS_NODEV,
              "mode=1777,size=64m"))
        return errno;
    int new = open(TMP, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (new < 0)
        return errno;
    for (unsigned n = 0; n < CAGE_TMP_ENTRIES_MAX && (d = readdir(old)); n++)
        if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0 &&
            !of_jvms(d->d_name))
            show(dirfd(old), new, d->d_name);
    (void)close(new);
    return 0;
}

int cage_tmp_make(void)
{
    int fd = open(TMP, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return 0;
    DIR *old = fdopendir(fd);
    if (!old) {
        int errnum = errno;
        (void)close(fd);
        return errnum;
    }
    int errnum = cover(old);
    (void)closedir(old);
    return errnum;
}
