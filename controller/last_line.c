#include "controller/last_line.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *last_line(const char *path, char *buf, size_t size)
{
    char tail[512];
    buf[0] = '\0';
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return buf;
    off_t end = lseek(fd, 0, SEEK_END);
    off_t from =
        end > (off_t)sizeof tail - 1 ? end - (off_t)sizeof tail + 1 : 0;
    ssize_t n = pread(fd, tail, sizeof tail - 1, from);
    (void)close(fd);
    while (n > 0 && (tail[n - 1] == '\n' || tail[n - 1] == '\r'))
        n--;
    if (n <= 0)
        return buf;
    tail[n] = '\0';
    char *line = strrchr(tail, '\n');
    (void)snprintf(buf, size, "%s", line ? line + 1 : tail);
    return buf;
}
