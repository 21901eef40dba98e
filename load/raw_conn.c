/* A connection's life:
 *
 *   CLOSED --open--> CONNECTING --opened--> OPEN --receive--> answer
 *      ^                  |                   |  (keep-alive: stays OPEN)
 *      +----- fail -------+------ close ------+
 *
 * A request submitted while CLOSED waits for the connection. When the peer
 * closed an idle connection and the first send is refused before a byte of it
 * was taken, nothing was sent: the request goes out on a new connection. Once a
 * byte was taken it is never sent again. */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/clock.h"
#include "load/dial.h"
#include "load/raw.h"

static bool on_begin(void *ctx)
{
    const struct raw_conn *c = ctx;
    return c->request && !c->complete; /* else nobody asked */
}

static bool on_head(void *ctx, const struct http1_head *head)
{
    struct raw_conn *c = ctx;
    const struct engine_config *config = &c->engine->config;
    c->status = head->status;
    c->keep_alive = head->keep_alive;
    config->events->head(config->ctx, c->lane, head->status);
    return true;
}

static bool on_body(void *ctx, const char *data, size_t len)
{
    struct raw_conn *c = ctx;
    const struct engine_config *config = &c->engine->config;
    c->received_bytes += len;
    config->events->body(config->ctx, c->lane, data, len);
    return true;
}

static bool on_end(void *ctx)
{
    struct raw_conn *c = ctx;
    c->complete = true;
    return true;
}

const struct http1_events raw_conn_events = {
    .begin = on_begin, .head = on_head, .body = on_body, .end = on_end};

void raw_conn_enqueue(struct raw_conn *c)
{
    if (c->queued)
        return;
    c->queued = true;
    c->engine->queue[c->engine->n_queue++] = c;
}

void raw_conn_blocked(struct raw_conn *c, bool blocked)
{
    struct engine *engine = c->engine;
    if (c->blocked == blocked)
        return;
    c->blocked = blocked;
    if (blocked && !engine->n_blocked++)
        engine->blocked_ns = clock_mono_ns();
    if (!blocked && !--engine->n_blocked)
        engine->stats.send_blocked_ns += clock_mono_ns() - engine->blocked_ns;
}

bool raw_conn_take(struct raw_conn *c, int fd)
{
    struct epoll_event event = {
        .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = c};
    assert(c->state == RAW_CLOSED);
    c->fd = fd;
    if (epoll_ctl(c->engine->epoll_fd, EPOLL_CTL_ADD, c->fd, &event)) {
        int saved = errno;
        raw_conn_close(c);
        errno = saved;
        return false;
    }
    c->state = RAW_CONNECTING;
    return true;
}

bool raw_conn_open(struct raw_conn *c)
{
    const struct engine_config *config = &c->engine->config;
    const struct address *to = engine_address(config, c->lane);
    int fd = dial_begin((const struct sockaddr *)&to->sockaddr, to->len,
                        config->congestion);
    return fd >= 0 && raw_conn_take(c, fd);
}

void raw_conn_opened(struct raw_conn *c)
{
    c->state = RAW_OPEN;
    c->answered = 0;
    c->dying = false;
    c->fresh = c->request;
    http1_reset(c->parser);
    c->engine->stats.connects++;
    if (c->request)
        raw_conn_send(c);
}

void raw_conn_close(struct raw_conn *c)
{
    raw_conn_blocked(c, false);
    if (c->fd >= 0)
        (void)close(c->fd); /* leaves the epoll set with it */
    c->fd = -1;
    c->state = RAW_CLOSED;
}

/* The request is over: tell, with the connection in its final state, since the
 * listener may submit the next request at once. */
static void tell(struct raw_conn *c, const struct engine_answer *answer)
{
    const struct engine_config *config = &c->engine->config;
    c->request = NULL;
    c->complete = false;
    config->events->answer(config->ctx, c->lane, answer);
}

void raw_conn_fail(struct raw_conn *c, const char *text, bool given_up)
{
    struct engine_answer answer = {.outcome =
                                       c->sent ? ENGINE_LOST : ENGINE_UNSENT,
                                   .sent_ns = c->sent_ns,
                                   .done_ns = clock_mono_ns(),
                                   .sent_bytes = c->sent,
                                   .received_bytes = c->received_bytes,
                                   .given_up = given_up,
                                   .text = text};
    raw_conn_close(c);
    if (c->request)
        tell(c, &answer);
}

static size_t request_bytes(const struct raw_conn *c)
{
    return c->request->head_bytes + c->request->body_bytes;
}

static void answered(struct raw_conn *c)
{
    const struct engine_config *config = &c->engine->config;
    struct engine_answer answer = {.outcome = ENGINE_ANSWERED,
                                   .status = c->status,
                                   .sent_ns = c->sent_ns,
                                   .done_ns = c->engine->read_ns,
                                   .sent_bytes = c->sent,
                                   .received_bytes = c->received_bytes};
    c->answered++;
    c->fresh = false;
    /* An answer before the whole request: the rest would be taken for the
     * next one. */
    if (!c->keep_alive || c->dying || c->sent < request_bytes(c) ||
        c->answered == config->requests_per_connection)
        raw_conn_close(c);
    tell(c, &answer);
}

/* What of head and body is not sent yet. They mostly lie side by side, and one
 * piece costs the kernel less than two. */
static ssize_t send_rest(struct raw_conn *c)
{
    const struct engine_request *r = c->request;
    struct iovec parts[2];
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    if (!r->body_bytes || r->head + r->head_bytes == r->body)
        return send(c->fd, r->head + c->sent, request_bytes(c) - c->sent,
                    MSG_NOSIGNAL);
    if (c->sent >= r->head_bytes) {
        size_t sent = c->sent - r->head_bytes;
        return send(c->fd, r->body + sent, r->body_bytes - sent, MSG_NOSIGNAL);
    }
    parts[0] =
        (struct iovec){.iov_base = (void *)(uintptr_t)(r->head + c->sent),
                       .iov_len = r->head_bytes - c->sent};
    parts[1] = (struct iovec){.iov_base = (void *)(uintptr_t)r->body,
                              .iov_len = r->body_bytes};
    return sendmsg(c->fd, &message, MSG_NOSIGNAL);
}

void raw_conn_send(struct raw_conn *c)
{
    size_t all = request_bytes(c);
    if (!c->sent) {
        c->sent_ns = clock_mono_ns();
        if (c->request->expects_no_body)
            http1_expect_no_body(c->parser);
    }
    while (c->sent < all) {
        ssize_t n = send_rest(c);
        if (n >= 0) {
            c->sent += (size_t)n;
            continue;
        }
        if (errno == EINTR)
            continue;
        if (errno == EAGAIN) {
            raw_conn_blocked(c, true);
            return;
        }
        /* An answer may have come before the peer closed: read it first. */
        c->dying = true;
        raw_conn_enqueue(c);
        break;
    }
    raw_conn_blocked(c, false);
}

/* The peer sent an end, or the connection failed. */
static void ended(struct raw_conn *c, const char *text)
{
    if (!c->request) {
        raw_conn_close(c);
        return;
    }
    /* The end may be that of an answer without a length. */
    if (!text && !http1_feed(c->parser, NULL, 0, NULL) && c->complete) {
        c->keep_alive = false;
        answered(c);
        return;
    }
    if (!c->sent && !c->fresh) { /* an idle connection, closed meanwhile */
        raw_conn_close(c);
        raw_conn_enqueue(c);
        return;
    }
    c->engine->stats.connects_lost++;
    raw_conn_fail(c, text ? text : "connection closed before the answer",
                  false);
}

void raw_conn_receive(struct raw_conn *c)
{
    while (c->state == RAW_OPEN) {
        ssize_t n = recv(c->fd, c->engine->buf, RAW_RECEIVE_BYTES, 0);
        c->engine->read_ns = clock_mono_ns();
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN) {
            if (c->dying)
                ended(c, "connection closed while sending");
            return;
        }
        if (n <= 0) {
            ended(c, n ? "connection reset by the peer" : NULL);
            return;
        }
        enum err e = http1_feed(c->parser, c->engine->buf, (size_t)n, NULL);
        if (c->request && c->complete) {
            c->keep_alive = c->keep_alive && !e; /* more than was asked for */
            answered(c);
        } else if (e) {
            if (c->request)
                raw_conn_fail(c, "the answer is not HTTP/1.1", false);
            else
                raw_conn_close(c);
            return;
        }
        /* Edge-triggered: a short read means that the socket is empty, but the
         * end of a dying one will not be told again. */
        if ((size_t)n < RAW_RECEIVE_BYTES && !c->dying)
            return;
    }
}
