#include "agent/port.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Room for one descriptor beside the packet. */
union control {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
};

enum err port_send(int sock, const void *packet, size_t size, int fd,
                   struct why *why)
{
    union control control = {0};
    struct iovec iov = {(void *)(uintptr_t)packet, size};
    struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
    if (fd >= 0) {
        m.msg_control = &control;
        m.msg_controllen = sizeof control.bytes;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    ssize_t n;
    do
        n = sendmsg(sock, &m, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n < 0 ? err_errno(why, errno, "send on the port") : ERR_OK;
}

/* Take the first descriptor; close any others. */
static int take_fd(struct msghdr *m)
{
    int taken = -1;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < n; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            if (taken < 0)
                taken = fd;
            else
                (void)close(fd);
        }
    }
    return taken;
}

enum err port_receive(int sock, void *packet, size_t size, int *fd,
                      struct why *why)
{
    union control control;
    struct iovec iov = {packet, size};
    struct msghdr m = {.msg_iov = &iov,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof control.bytes};
    ssize_t n;
    *fd = -1;
    do
        n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return err_errno(why, errno, "receive on the port");
    *fd = take_fd(&m);
    if (n == 0)
        return err_set(why, ERR_GONE, "the port was closed");
    if ((size_t)n != size || (m.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
        if (*fd >= 0)
            (void)close(*fd);
        *fd = -1;
        return err_set(why, ERR_PROTOCOL, "a packet of another size (%zd)", n);
    }
    return ERR_OK;
}
