#include "agent/executor/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool small_file_read(int dir, const char *name, char *buf, size_t size)
{
    size_t len = 0;
    ssize_t n = -1;
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
    buf[0] = '\0';
    if (fd < 0)
        return false;
    while (len + 1 < size && (n = read(fd, buf + len, size - 1 - len)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        len += (size_t)n;
    }
    (void)close(fd);
    buf[n < 0 ? 0 : len] = '\0';
    return n >= 0;
}

int small_file_write(int dir, const char *name, const char *text)
{
    int fd = openat(dir, name, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    ssize_t n = write(fd, text, strlen(text));
    int saved = n < 0 ? errno : 0;
    (void)close(fd);
    return saved;
}
