#include "common/place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Folder of the running program, without the last slash. */
static enum err own_folder(char *buf, size_t size, struct why *why)
{
    ssize_t n = readlink("/proc/self/exe", buf, size - 1);
    if (n < 0)
        return err_errno(why, errno, "read /proc/self/exe");
    buf[n] = '\0';
    char *slash = strrchr(buf, '/');
    if (slash)
        *slash = '\0';
    return ERR_OK;
}

struct search {
    const char *folder;
    const char *const *relative; /* NULL-terminated */
    const char *name;
    int mode; /* of access() */
};

/* Try folder/relative/name for each relative; the first that access() allows,
 * made absolute, wins. */
static enum err first_of(const struct search *s, char *buf, size_t size,
                         struct why *why)
{
    for (size_t i = 0; s->relative[i]; i++) {
        char path[PATH_MAX], full[PATH_MAX];
        int n = snprintf(path, sizeof path, "%s/%s/%s", s->folder,
                         s->relative[i], s->name);
        if (n < 0 || (size_t)n >= sizeof path || access(path, s->mode) ||
            !realpath(path, full) || strlen(full) >= size)
            continue;
        memcpy(buf, full, strlen(full) + 1);
        return ERR_OK;
    }
    return err_set(why, ERR_NOTFOUND, "%s: not found from %s", s->name,
                   s->folder);
}

enum err place_program(const char *name, char *buf, size_t size,
                       struct why *why)
{
    /* Installed; then the build tree, from each folder that has programs. */
    static const char *const relative[] = {".",
                                           "../libexec/pitwall",
                                           "../../bin",
                                           "../agent/executor",
                                           "../gate",
                                           "../watch",
                                           "../agent/gate",
                                           "../agent/watch",
                                           "../load",
                                           "../target",
                                           "../controller",
                                           "../../load",
                                           "../../target",
                                           NULL};
    char folder[PATH_MAX];
    enum err e = own_folder(folder, sizeof folder, why);
    struct search s = {folder, relative, name, X_OK};
    return e ? e : first_of(&s, buf, size, why);
}

static const char *const self[] = {".", NULL};

enum err place_data(const char *name, char *buf, size_t size, struct why *why)
{
    const struct search here = {".", self, name, R_OK};
    if (!first_of(&here, buf, size, NULL))
        return ERR_OK;
    return place_shipped(name, buf, size, why);
}

enum err place_shipped(const char *name, char *buf, size_t size,
                       struct why *why)
{
    static const char *const share[] = {"../share/pitwall", NULL};
    char folder[PATH_MAX];
    const struct search installed = {folder, share, name, R_OK};
    const struct search built = {PITWALL_BUILD_DIR, self, name, R_OK};
    const struct search source = {PITWALL_SOURCE_DIR, self, name, R_OK};
    enum err e = own_folder(folder, sizeof folder, why);
    if (e || !first_of(&installed, buf, size, NULL) ||
        !first_of(&built, buf, size, NULL))
        return e;
    return first_of(&source, buf, size, why);
}
