#include "controller/show.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum err write_file(const char *path, const char *text, struct why *why)
{
    char part[4096];
    int n = snprintf(part, sizeof part, "%s.part", path);
    if (n < 0 || (size_t)n >= sizeof part)
        return err_set(why, ERR_RANGE, "path \"%.60s...\" is too long", path);
    FILE *f = fopen(part, "we");
    if (!f)
        return err_errno(why, errno, "write %s", path);
    bool bad = fputs(text, f) < 0;
    bad = fclose(f) != 0 || bad;
    if (!bad && !rename(part, path))
        return ERR_OK;
    enum err e = err_errno(why, errno, "write %s", path);
    (void)remove(part);
    return e;
}

enum err show_grid(const struct grid *grid, enum table_form form,
                   const char *path, struct why *why)
{
    char *text = NULL;
    enum err e = table_print(grid, form, &text, why);
    if (e)
        return e;
    if (path)
        e = write_file(path, text, why);
    else if (fputs(text, stdout) < 0 || fflush(stdout))
        e = err_errno(why, errno, "write to standard output");
    free(text);
    return e;
}
