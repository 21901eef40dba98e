/* A folder of its own for a test, removed with all that came into it. */
#ifndef PITWALL_TESTS_UNIT_LOAD_FOLDER_H
#define PITWALL_TESTS_UNIT_LOAD_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void folder_make(char dir[64])
{
    (void)snprintf(dir, 64, "/tmp/pitwall-load-XXXXXX");
    if (!mkdtemp(dir))
        abort();
}

static inline int folder_remove_one(const char *path, const struct stat *st,
                                    int type, struct FTW *where)
{
    (void)st;
    (void)type;
    (void)where;
    return remove(path);
}

static inline void folder_remove(const char *dir)
{
    (void)nftw(dir, folder_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
