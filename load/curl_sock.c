/* What is made sure of (libcurl 7.88):
 *
 * - libcurl sends a request again, POST too, when a kept connection ends before
 *   the first byte of the answer, and no option forbids it. It needs a second
 *   connection for that, which open_socket denies once a byte of the request
 *   has gone out: the request is LOST, as with the raw engine, and nothing is
 *   sent twice. Where not a byte had gone out the new connection is right.
 * - A socket that libcurl needs no more stays in the epoll set, for the next
 *   request waits for the same. close_socket tells when it is really gone. */
#include "load/curl_sock.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "load/dial.h"

#define SET(easy, option, value) (!curl_easy_setopt(easy, option, value))

static struct curl_sock *find(struct curl_lane *l, int fd)
{
    for (size_t i = 0; i < CURL_LANE_SOCKS; i++)
        if (l->socks[i].fd == fd)
            return &l->socks[i];
    return NULL;
}

static struct curl_sock *add(struct curl_lane *l, int fd, bool own)
{
    struct curl_sock *sock = find(l, -1);
    if (sock)
        *sock = (struct curl_sock){.fd = fd, .own = own};
    return sock;
}

bool curl_sock_connected(const struct curl_lane *l)
{
    bool any = false;
    for (size_t i = 0; i < CURL_LANE_SOCKS; i++)
        any = any || (l->socks[i].fd >= 0 && l->socks[i].own);
    return any;
}

static bool sent_any(const struct curl_lane *l)
{
    long bytes = 0;
    (void)curl_easy_getinfo(l->easy, CURLINFO_REQUEST_SIZE, &bytes);
    return bytes;
}

/* The peer may have closed a connection that waited for the clock to start. */
static bool is_alive(int fd)
{
    char byte;
    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EINTR);
}

static curl_socket_t open_socket(void *ctx, curlsocktype purpose,
                                 struct curl_sockaddr *to)
{
    struct curl_lane *l = ctx;
    int fd = l->ready_fd;
    l->took = fd >= 0 && is_alive(fd);
    if (fd >= 0 && !l->took)
        (void)close(fd);
    l->ready_fd = -1;
    l->answered = 0;
    if (l->took) {
        (void)add(l, fd, true);
        return fd;
    }
    if (purpose != CURLSOCKTYPE_IPCXN)
        return CURL_SOCKET_BAD;
    if (sent_any(l)) {
        l->again = true;
        return CURL_SOCKET_BAD;
    }
    l->dialed = true;
    fd = dial_socket(to->family, l->engine->config.congestion);
    if (fd < 0)
        return CURL_SOCKET_BAD;
    if (!add(l, fd, true)) {
        (void)close(fd);
        return CURL_SOCKET_BAD;
    }
    return fd;
}

/* libcurl need not connect the one that was there beforehand. */
static int set_socket(void *ctx, curl_socket_t fd, curlsocktype purpose)
{
    (void)fd;
    (void)purpose;
    const struct curl_lane *l = ctx;
    return l->took ? CURL_SOCKOPT_ALREADY_CONNECTED : CURL_SOCKOPT_OK;
}

static int close_socket(void *ctx, curl_socket_t fd)
{
    struct curl_lane *l = ctx;
    struct curl_sock *sock = find(l, fd);
    if (sock)
        sock->fd = -1;
    return close(fd); /* leaves the epoll set with it */
}

static void watch(const struct curl_lane *l, struct curl_sock *sock,
                  uint32_t events)
{
    struct epoll_event event = {.events = events,
                                .data.u64 = (uint64_t)l->lane << 32 |
                                            (uint32_t)sock->fd};
    int op = !events            ? EPOLL_CTL_DEL
             : sock->registered ? EPOLL_CTL_MOD
                                : EPOLL_CTL_ADD;
    if (sock->registered != events)
        (void)epoll_ctl(l->engine->epoll_fd, op, sock->fd, &event);
    sock->registered = events;
}

void curl_sock_sending(struct curl_lane *l, bool sending)
{
    struct engine *engine = l->engine;
    if (l->sending == sending)
        return;
    l->sending = sending;
    if (sending && !engine->n_sending++)
        engine->sending_ns = clock_mono_ns();
    if (!sending && !--engine->n_sending)
        engine->stats.send_blocked_ns += clock_mono_ns() - engine->sending_ns;
}

/* The lane of the transfer; NULL: of one of libcurl's own. */
static struct curl_lane *lane_of(CURL *easy)
{
    char *lane = NULL;
    (void)curl_easy_getinfo(easy, CURLINFO_PRIVATE, &lane);
    return (struct curl_lane *)(void *)lane;
}

/* libcurl says which events it wants. */
static int want(CURL *easy, curl_socket_t fd, int what, void *ctx, void *unused)
{
    (void)ctx;
    (void)unused;
    struct curl_lane *l = lane_of(easy);
    if (!l)
        return 0;
    struct curl_sock *sock = find(l, fd);
    if (!sock && what != CURL_POLL_REMOVE)
        sock = add(l, fd, false);
    if (!sock)
        return what == CURL_POLL_REMOVE ? 0 : -1;
    sock->wanted = 0;
    if (what == CURL_POLL_IN || what == CURL_POLL_INOUT)
        sock->wanted |= EPOLLIN;
    if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT)
        sock->wanted |= EPOLLOUT;
    curl_sock_sending(l, sock->wanted & EPOLLOUT && sent_any(l));
    if (!sock->own && !sock->wanted) {
        watch(l, sock, 0);
        sock->fd = -1;
    } else if (sock->wanted & ~sock->registered) {
        watch(l, sock, sock->wanted);
    } else if (sock->registered & EPOLLOUT & ~sock->wanted) {
        watch(l, sock, EPOLLIN);
    }
    return 0;
}

bool curl_sock_set(struct curl_lane *l)
{
    return SET(l->easy, CURLOPT_PRIVATE, l) &&
           SET(l->easy, CURLOPT_OPENSOCKETFUNCTION, open_socket) &&
           SET(l->easy, CURLOPT_OPENSOCKETDATA, l) &&
           SET(l->easy, CURLOPT_SOCKOPTFUNCTION, set_socket) &&
           SET(l->easy, CURLOPT_SOCKOPTDATA, l) &&
           SET(l->easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket) &&
           SET(l->easy, CURLOPT_CLOSESOCKETDATA, l);
}

bool curl_sock_set_multi(struct engine *engine, CURLM *multi)
{
    return !curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, want) &&
           !curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, engine);
}

int curl_sock_event(struct engine *engine, const struct epoll_event *event,
                    struct curl_lane **lane, int *fd)
{
    struct curl_lane *l = &engine->lanes[event->data.u64 >> 32];
    uint32_t failed = event->events & (EPOLLERR | EPOLLHUP);
    *lane = l;
    *fd = (int)(event->data.u64 & 0xffffffff);
    struct curl_sock *sock = find(l, *fd);
    if (!sock)
        return 0;
    if (!sock->wanted || !(failed || event->events & sock->wanted)) {
        watch(l, sock, sock->wanted);
        return 0;
    }
    return (event->events & EPOLLIN ? CURL_CSELECT_IN : 0) |
           (event->events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
           (failed ? CURL_CSELECT_ERR : 0);
}
