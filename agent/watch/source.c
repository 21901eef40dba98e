#include "agent/watch/source.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void source_open(struct source *source, const char *path)
{
    source->path = path;
    source->fd = open(path, O_RDONLY | O_CLOEXEC);
    source->error = source->fd < 0 ? errno : 0;
}

void source_close(struct source *source)
{
    if (source->fd >= 0)
        (void)close(source->fd);
    source->fd = -1;
}

size_t source_read(struct source *source, char *buf, size_t size)
{
    size_t len = 0;
    while (source->fd >= 0 && len < size) {
        ssize_t n = pread(source->fd, buf + len, size - len, (off_t)len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            if (!source->error)
                source->error = errno;
            return 0;
        }
        if (n == 0)
            break;
        len += (size_t)n;
    }
    return len;
}
