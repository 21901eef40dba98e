#include "load/dial.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"

#define CONNECT_WAIT_NS (5 * NS_PER_S)

static bool socket_set(int fd, const char *congestion)
{
    const int one = 1;
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one))
        return false;
    return !congestion ||
           !setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion,
                       (socklen_t)strlen(congestion));
}

static void give_up(int fd)
{
    int saved = errno;
    (void)close(fd);
    errno = saved;
}

int dial_socket(int family, const char *congestion)
{
    int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || socket_set(fd, congestion))
        return fd;
    give_up(fd);
    return -1;
}

int dial_begin(const struct sockaddr *to, socklen_t len, const char *congestion)
{
    int fd = dial_socket(to->sa_family, congestion);
    if (fd < 0 || !connect(fd, to, len) || errno == EINPROGRESS)
        return fd;
    give_up(fd);
    return -1;
}

int dial_result(int fd)
{
    int e = 0;
    socklen_t len = sizeof e;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &e, &len))
        return errno;
    return e;
}

/* What the kernel would have taken. */
static enum err refused(const char *congestion, bool allowed, struct why *why)
{
    char path[80], list[200] = "";
    (void)snprintf(path, sizeof path,
                   "/proc/sys/net/ipv4/tcp_%s_congestion_control",
                   allowed ? "available" : "allowed");
    FILE *in = fopen(path, "re");
    if (in && fgets(list, sizeof list, in))
        list[strcspn(list, "\n")] = '\0';
    if (in)
        (void)fclose(in);
    return err_set(why, ERR_INVALID,
                   "congestion control \"%s\" is not %s here; accepted: %s",
                   congestion, allowed ? "available" : "allowed", list);
}

enum err dial(int *out, const struct address *to, const char *congestion,
              struct why *why)
{
    uint64_t due_ns = clock_mono_ns() + CONNECT_WAIT_NS, now_ns;
    *out = -1;
    int fd =
        dial_begin((const struct sockaddr *)&to->sockaddr, to->len, congestion);
    int saved = errno;
    if (fd < 0 && congestion && (saved == ENOENT || saved == EPERM))
        return refused(congestion, saved == ENOENT, why);
    if (fd < 0)
        return err_errno(why, saved, "connect %s", to->text);
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    while ((now_ns = clock_mono_ns()) < due_ns)
        if (poll(&p, 1, clock_poll_ms(now_ns, due_ns)) > 0)
            break;
    int result = p.revents ? dial_result(fd) : ETIMEDOUT;
    if (result) {
        (void)close(fd);
        return err_errno(why, result, "connect %s", to->text);
    }
    *out = fd;
    return ERR_OK;
}
