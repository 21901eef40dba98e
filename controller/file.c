#include "controller/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

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
