#include "agent/watch/listeners.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX 32768 /* some 200 sockets; the rest is not told */
#define LISTEN   0x0a  /* TCP_LISTEN, as the kernel prints it */

static bool has_port(const char *list, unsigned port)
{
    for (const char *at = list; *at;) {
        unsigned one = 0;
        if (sscanf(at, "%u", &one) == 1 && one == port)
            return true;
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    return false;
}

static void add(char *buf, size_t size, unsigned port)
{
    size_t used = strlen(buf);
    if (has_port(buf, port) || used + 8 > size)
        return;
    (void)snprintf(buf + used, size - used, "%s%u", used ? ", " : "", port);
}

void listeners_add(const char *text, char *buf, size_t size)
{
    while (text && *text) {
        unsigned port = 0, state = 0;
        char local[33];
        /* "  0: 0100007F:23F0 00000000:0000 0A ..." */
        if (sscanf(text, " %*u: %32[0-9A-Fa-f]:%x %*32[0-9A-Fa-f]:%*x %x",
                   local, &port, &state) == 3 &&
            state == LISTEN && port <= 65535)
            add(buf, size, port);
        text = strchr(text, '\n');
        text += text != NULL;
    }
}

const char *listeners_show(const char *proc_dir, char *buf, size_t size)
{
    static const char *const files[] = {"net/tcp", "net/tcp6"};
    char text[TEXT_MAX];
    buf[0] = '\0';
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[300];
        (void)snprintf(path, sizeof path, "%s/%s", proc_dir, files[i]);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        size_t len = 0;
        ssize_t n = 0;
        while (fd >= 0 && len < sizeof text - 1 &&
               (n = read(fd, text + len, sizeof text - 1 - len)) > 0)
            len += (size_t)n;
        if (fd >= 0)
            (void)close(fd);
        text[len] = '\0';
        listeners_add(text, buf, size);
    }
    return buf;
}
