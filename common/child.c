#include "common/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/clock.h"

#define SEND_RETRY_MS 10

enum err child_send(int fd, const struct child_msg *msg, struct why *why)
{
    uint64_t due_ns = clock_mono_ns() + NS_PER_S;
    for (;;) {
        if (send(fd, msg, sizeof *msg, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
            return ERR_OK;
        int saved = errno;
        if (saved == EINTR)
            continue;
        if (saved != EAGAIN)
            return err_errno(why, saved, "send on the control socket");
        if (msg->kind == CHILD_PROGRESS)
            return ERR_OK;
        uint64_t now_ns = clock_mono_ns();
        if (now_ns >= due_ns)
            return err_set(why, ERR_TIMEOUT,
                           "send on the control socket: "
                           "nobody reads");
        /* A local socket calls itself writable only when three quarters of it
         * are free: look for room of one packet now and then. */
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        (void)poll(&p, 1, SEND_RETRY_MS);
    }
}

static bool known(uint32_t kind)
{
    return (kind >= CHILD_READY && kind <= CHILD_MEET) ||
           (kind >= CHILD_ARM && kind <= CHILD_GO);
}

enum err child_receive(int fd, struct child_msg *msg, struct why *why)
{
    ssize_t n;
    do
        n = recv(fd, msg, sizeof *msg, MSG_DONTWAIT | MSG_TRUNC);
    while (n < 0 && errno == EINTR);
    int saved = errno;
    msg->text[sizeof msg->text - 1] = '\0';
    if (n < 0 && saved == EAGAIN)
        return ERR_AGAIN; /* no news is no text */
    if (n < 0)
        return err_errno(why, saved, "receive on the control socket");
    if (n == 0)
        return err_set(why, ERR_GONE, "the control socket was closed");
    if ((size_t)n != sizeof *msg)
        return err_set(why, ERR_PROTOCOL, "a control packet of %zd bytes", n);
    if (!known(msg->kind))
        return err_set(why, ERR_PROTOCOL, "a control packet of kind %u",
                       msg->kind);
    if (msg->kind == CHILD_FAILED && (!msg->err || msg->err >= ERR_LAST))
        return err_set(why, ERR_PROTOCOL, "a failure with the error %u",
                       msg->err);
    return ERR_OK;
}

void child_report(int fd, enum child_kind kind, const char *text)
{
    struct child_msg msg = {.kind = kind, .t_ns = clock_mono_ns()};
    (void)snprintf(msg.text, sizeof msg.text, "%s", text ? text : "");
    enum err ignored = child_send(fd, &msg, NULL);
    (void)ignored;
}

void child_fail(int fd, enum err e, const struct why *why)
{
    struct child_msg msg = {
        .kind = CHILD_FAILED, .err = e, .t_ns = clock_mono_ns()};
    (void)snprintf(msg.text, sizeof msg.text, "%s",
                   why && why->text[0] ? why->text : err_text(e));
    enum err ignored = child_send(fd, &msg, NULL);
    (void)ignored;
}

void child_pipe_init(struct child_pipe *pipe, int fd, uint8_t *buf, size_t size)
{
    *pipe = (struct child_pipe){.fd = fd, .buf = buf, .size = size};
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0)
        (void)fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

/* Write what the pipe takes now; ERR_AGAIN when it takes no more. */
static enum err drain(struct child_pipe *pipe, struct why *why)
{
    while (pipe->len) {
        size_t first = pipe->size - pipe->head;
        if (first > pipe->len)
            first = pipe->len;
        struct iovec parts[] = {
            {.iov_base = pipe->buf + pipe->head, .iov_len = first},
            {.iov_base = pipe->buf, .iov_len = pipe->len - first}};
        ssize_t n = writev(pipe->fd, parts, pipe->len > first ? 2 : 1);
        int saved = errno;
        if (n < 0 && saved == EINTR)
            continue;
        if (n < 0 && saved == EAGAIN)
            return ERR_AGAIN;
        if (n < 0)
            return err_errno(why, saved, "write to the data pipe");
        pipe->head = (pipe->head + (size_t)n) % pipe->size;
        pipe->len -= (size_t)n;
    }
    return ERR_OK;
}

static void append(struct child_pipe *pipe, const void *data, size_t len)
{
    size_t at = (pipe->head + pipe->len) % pipe->size;
    size_t first = len < pipe->size - at ? len : pipe->size - at;
    if (first)
        memcpy(pipe->buf + at, data, first);
    if (len > first)
        memcpy(pipe->buf, (const uint8_t *)data + first, len - first);
    pipe->len += len;
}

bool child_pipe_put(struct child_pipe *pipe, const void *data, size_t len)
{
    size_t need = len + 4;
    /* What stays unwritten waits in the ring; a lost reader shows in flush. */
    enum err pending = ERR_OK;
    if (len > UINT32_MAX || need > pipe->size)
        goto dropped;
    if (need > pipe->size - pipe->len)
        pending = drain(pipe, NULL);
    if (need > pipe->size - pipe->len)
        goto dropped;
    uint8_t head[4] = {(uint8_t)len, (uint8_t)(len >> 8), (uint8_t)(len >> 16),
                       (uint8_t)(len >> 24)};
    append(pipe, head, sizeof head);
    append(pipe, data, len);
    pipe->records++;
    if (!pending)
        pending = drain(pipe, NULL);
    (void)pending;
    return true;
dropped:
    pipe->blocked++;
    return false;
}

enum err child_pipe_flush(struct child_pipe *pipe, uint64_t due_ns,
                          struct why *why)
{
    for (;;) {
        enum err e = drain(pipe, why);
        if (e != ERR_AGAIN)
            return e;
        uint64_t now_ns = clock_mono_ns();
        if (now_ns >= due_ns)
            return err_set(why, ERR_TIMEOUT,
                           "%zu bytes for the data pipe: nobody reads",
                           pipe->len);
        struct pollfd p = {.fd = pipe->fd, .events = POLLOUT};
        (void)poll(&p, 1, clock_poll_ms(now_ns, due_ns));
    }
}
