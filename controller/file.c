#include "controller/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum err file_write(const char *path, const void *data, size_t bytes,
                    struct why *why)
{
    char part[4096];
    int n = snprintf(part, sizeof part, "%s.part", path);
    if (n < 0 || (size_t)n >= sizeof part)
        return err_set(why, ERR_RANGE, "path \"%.60s...\" is too long", path);
    FILE *f = fopen(part, "we");
    if (!f)
        return err_errno(why, errno, "write %s", path);
    bool bad = fwrite(data, 1, bytes, f) != bytes;
    bad = fclose(f) != 0 || bad;
    if (!bad && !rename(part, path))
        return ERR_OK;
    enum err e = err_errno(why, errno, "write %s", path);
    (void)remove(part);
    return e;
}

static enum err read_all(FILE *f, const char *path, size_t max, char **data,
                         size_t *bytes, struct why *why)
{
    struct stat st;
    if (fstat(fileno(f), &st))
        return err_errno(why, errno, "%s", path);
    if (!S_ISREG(st.st_mode))
        return err_set(why, ERR_INVALID, "%s: not a regular file", path);
    if (st.st_size > (off_t)max)
        return err_set(why, ERR_RANGE, "%s: %lld bytes, at most %zu are read",
                       path, (long long)st.st_size, max);
    *data = malloc((size_t)st.st_size + 1);
    if (!*data)
        return err_set(why, ERR_NOMEM, "%s", path);
    *bytes = fread(*data, 1, (size_t)st.st_size, f);
    (*data)[*bytes] = '\0';
    return ferror(f) ? err_errno(why, errno, "%s", path) : ERR_OK;
}

enum err file_read(const char *path, size_t max, char **data, size_t *bytes,
                   struct why *why)
{
    *data = NULL;
    /* Not to wait for a writer where it is a pipe. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    if (!f)
        return err_errno(why, errno, "%s", path);
    enum err e = read_all(f, path, max, data, bytes, why);
    (void)fclose(f);
    if (e) {
        free(*data);
        *data = NULL;
    }
    return e;
}
