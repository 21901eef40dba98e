#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "common/clock.h"
#include "load/dial.h"
#include "load/epoll.h"
#include "load/raw.h"

#define EVENTS_MAX 64

static void raw_close(struct engine *engine)
{
    if (!engine)
        return;
    for (uint32_t i = 0; engine->conns && i < engine->config.n_lanes; i++) {
        raw_conn_close(&engine->conns[i]);
        http1_free(engine->conns[i].parser);
    }
    if (engine->epoll_fd >= 0)
        (void)close(engine->epoll_fd);
    free(engine->conns);
    free(engine->queue);
    free(engine->buf);
    free(engine);
}

static enum err raw_open(struct engine **out,
                         const struct engine_config *config, struct why *why)
{
    enum err e = err_set(why, ERR_NOMEM, "connections: out of memory");
    *out = NULL;
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return e;
    engine->config = *config;
    engine->epoll_fd = -1;
    engine->conns = calloc(config->n_lanes, sizeof *engine->conns);
    engine->queue = calloc(config->n_lanes, sizeof(struct raw_conn *));
    engine->buf = malloc(RAW_RECEIVE_BYTES);
    if (!engine->conns || !engine->queue || !engine->buf)
        goto out;
    for (uint32_t i = 0; i < config->n_lanes; i++)
        engine->conns[i] =
            (struct raw_conn){.engine = engine, .fd = -1, .lane = i};
    for (uint32_t i = 0; i < config->n_lanes; i++) {
        struct raw_conn *c = &engine->conns[i];
        c->parser = http1_new(HTTP1_RESPONSE, &raw_conn_events, c);
        if (!c->parser)
            goto out;
    }
    engine->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (engine->epoll_fd < 0) {
        e = err_errno(why, errno, "epoll_create1");
        goto out;
    }
    e = ERR_OK;
    *out = engine;
    engine = NULL;
out:
    raw_close(engine);
    return e;
}

static enum err raw_connect(struct engine *engine, uint32_t lane,
                            struct why *why)
{
    int fd;
    struct raw_conn *c = &engine->conns[lane];
    const struct address *to = engine_address(&engine->config, lane);
    enum err e = dial(&fd, to, engine->config.congestion, why);
    if (e)
        return e;
    if (!raw_conn_take(c, fd))
        return err_errno(why, errno, "connect %s", to->text);
    raw_conn_opened(c);
    return ERR_OK;
}

static void raw_submit(struct engine *engine, uint32_t lane,
                       const struct engine_request *request)
{
    struct raw_conn *c = &engine->conns[lane];
    c->request = request;
    c->sent = 0;
    c->sent_ns = 0;
    c->received_bytes = 0;
    c->complete = false;
    if (c->state == RAW_OPEN)
        raw_conn_send(c);
    else
        raw_conn_enqueue(c);
}

/* What submit and send put off: reading the last of a broken connection, and
 * connecting. */
static void look_after(struct raw_conn *c)
{
    c->queued = false;
    if (c->state == RAW_OPEN && c->dying)
        raw_conn_receive(c);
    if (c->state == RAW_CLOSED && c->request && !raw_conn_open(c))
        raw_conn_fail(c, strerrordesc_np(errno), false);
}

static void handle(struct raw_conn *c, uint32_t events)
{
    if (c->state == RAW_CONNECTING) {
        int result = dial_result(c->fd);
        if (result) {
            raw_conn_fail(c, strerrordesc_np(result), false);
            return;
        }
        if (!(events & EPOLLOUT))
            return;
        raw_conn_opened(c);
    } else if (c->blocked && events & EPOLLOUT) {
        raw_conn_send(c);
    }
    if (c->state != RAW_OPEN)
        return;
    if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        c->dying = true;
    if (c->dying || events & EPOLLIN)
        raw_conn_receive(c);
}

static uint64_t raw_wait(struct engine *engine, uint64_t now_ns,
                         uint64_t until_ns)
{
    struct epoll_event events[EVENTS_MAX];
    size_t n_queue = engine->n_queue;
    uint64_t left_ns = 0;
    /* What is looked after may queue itself again, in a place that was read
     * already. */
    engine->n_queue = 0;
    for (size_t i = 0; i < n_queue; i++)
        look_after(engine->queue[i]);
    /* Who was told of an end may have work that is due before until_ns. */
    if (until_ns > now_ns && !n_queue)
        left_ns = until_ns - now_ns;
    int n = epoll_await(engine->epoll_fd, events, EVENTS_MAX, left_ns);
    uint64_t woke_ns = clock_mono_ns();
    for (int i = 0; i < n; i++)
        handle(events[i].data.ptr, events[i].events);
    return woke_ns;
}

static void raw_cancel(struct engine *engine, uint32_t lane, const char *text)
{
    struct raw_conn *c = &engine->conns[lane];
    if (c->request)
        raw_conn_fail(c, text, true);
}

static struct engine_stats raw_stats(const struct engine *engine,
                                     uint64_t now_ns)
{
    struct engine_stats stats = engine->stats;
    if (engine->n_blocked && now_ns > engine->blocked_ns)
        stats.send_blocked_ns += now_ns - engine->blocked_ns;
    return stats;
}

const struct engine_ops engine_raw = {.name = "raw",
                                      .open = raw_open,
                                      .close = raw_close,
                                      .connect = raw_connect,
                                      .submit = raw_submit,
                                      .wait = raw_wait,
                                      .cancel = raw_cancel,
                                      .stats = raw_stats};
