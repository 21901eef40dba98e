#include "controller/show.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/file.h"

enum err show_grid(const struct grid *grid, enum table_form form,
                   const char *path, struct why *why)
{
    char *text = NULL;
    enum err e = table_print(grid, form, &text, why);
    if (e)
        return e;
    if (path)
        e = file_write(path, text, strlen(text), why);
    else if (fputs(text, stdout) < 0 || fflush(stdout))
        e = err_errno(why, errno, "write to standard output");
    free(text);
    return e;
}
