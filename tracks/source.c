#include "tracks/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* All of a regular file into a malloc'ed text. */
static enum err file_read(const char *path, size_t max, char **text,
                          size_t *len, struct why *why)
{
    enum err e = ERR_OK;
    struct stat st;
    char *buf = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st)) {
        e = err_errno(why, errno, "%s", path);
        goto out;
    }
    if (!S_ISREG(st.st_mode)) {
        e = err_set(why, ERR_INVALID, "%s: not a file", path);
        goto out;
    }
    if (st.st_size > (off_t)max) {
        e = err_set(why, ERR_RANGE, "%s: longer than %zu bytes", path, max);
        goto out;
    }
    buf = malloc((size_t)st.st_size + 1);
    if (!buf) {
        e = err_set(why, ERR_NOMEM, "%s: out of memory", path);
        goto out;
    }
    ssize_t n = pread(fd, buf, (size_t)st.st_size, 0);
    if (n < 0) {
        e = err_errno(why, errno, "%s", path);
        goto out;
    }
    *text = buf;
    buf = NULL;
    *len = (size_t)n;
out:
    if (fd >= 0)
        (void)close(fd);
    free(buf);
    return e;
}

enum err source_parse(struct expand *expand, const char *path, size_t max,
                      struct jv **out, struct why *why)
{
    char *text = NULL, *expanded = NULL;
    size_t len = 0;
    enum err e = file_read(path, max, &text, &len, why);
    if (!e)
        e = expand_text(expand, path, text, len, &expanded, why);
    if (!e)
        e = jv_parse(out, path, expanded, strlen(expanded), why);
    free(text);
    free(expanded);
    return e;
}
