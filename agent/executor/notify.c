#include "agent/executor/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/units.h"

#define USEC_MAX 86400000000ull /* a day */

static void say(const struct notify *n, const char *text)
{
    if (n->fd >= 0)
        (void)sendto(n->fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT,
                     (const struct sockaddr *)&n->to, n->to_len);
}

void notify_open(struct notify *n, const char *socket_name,
                 const char *watchdog)
{
    uint64_t usec = 0;
    *n = (struct notify){.fd = -1, .due_ns = UINT64_MAX};
    size_t len = socket_name ? strlen(socket_name) : 0;
    if (len < 2 || len >= sizeof n->to.sun_path ||
        (socket_name[0] != '/' && socket_name[0] != '@'))
        return;
    n->to.sun_family = AF_UNIX;
    memcpy(n->to.sun_path, socket_name, len);
    if (socket_name[0] == '@') /* abstract */
        n->to.sun_path[0] = '\0';
    n->to_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
    n->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (n->fd < 0 || !watchdog || units_u64(watchdog, USEC_MAX, &usec, NULL) ||
        !usec)
        return;
    n->period_ns = usec * 1000 / 2;
    n->due_ns = 0;
}

void notify_close(struct notify *n)
{
    if (n->fd >= 0)
        (void)close(n->fd);
    *n = (struct notify){.fd = -1, .due_ns = UINT64_MAX};
}

void notify_ready(struct notify *n)
{
    if (!n->ready)
        say(n, "READY=1");
    n->ready = true;
}

void notify_stopping(const struct notify *n)
{
    say(n, "STOPPING=1");
}

void notify_alive(struct notify *n, uint64_t now_ns)
{
    if (now_ns < n->due_ns)
        return;
    say(n, "WATCHDOG=1");
    n->due_ns = now_ns + n->period_ns;
}
