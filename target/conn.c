#include "target/conn.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "target/errand.h"
#include "target/receive.h"
#include "target/worker.h"

#define STATIC_READS_PER_WAKEUP 16
#define DRAIN_READS             64 /* before an erroneous connection closes */

/* What the caller is to do with the connection. */
enum next { NEXT_READ, NEXT_WAIT, NEXT_CLOSE };

static bool is_static(const struct conn *c)
{
    return c->worker->node->settings->mode == SETTINGS_STATIC;
}

/* Whose heap the decoder lives in: static mode has none. */
static struct mutator *decoder_heap(const struct conn *c)
{
    return is_static(c) ? NULL : c->worker->mutator;
}

struct conn *conn_new(struct worker *worker, int fd)
{
    const struct settings *s = worker->node->settings;
    struct epoll_event ev = {.events = EPOLLIN};
    struct conn *c = calloc(1, sizeof *c);
    if (!c) {
        (void)close(fd);
        return NULL;
    }
    c->worker = worker;
    c->fd = fd;
    c->interest = ev.events;
    predictor_init(&c->predictor, &s->predictor);
    if (!decoder_init(&c->decoder, decoder_heap(c), s->initial_buffer,
                      s->max_components)) {
        node_oom(worker->node);
        (void)close(fd);
        free(c);
        return NULL;
    }
    ev.data.ptr = c;
    if (epoll_ctl(worker->epoll_fd, EPOLL_CTL_ADD, fd, &ev)) {
        conn_free(c);
        return NULL;
    }
    return c;
}

/* Read away what a refused request still sends, so that closing does not
 * reset the connection before the peer has read the answer. */
static void drain(struct conn *c)
{
    (void)shutdown(c->fd, SHUT_WR);
    for (int i = 0; i < DRAIN_READS; i++)
        if (recv(c->fd, c->worker->in, sizeof c->worker->in, MSG_DONTWAIT) <= 0)
            return;
}

static void drop_input(struct conn *c)
{
    heap_release(c->worker->mutator, c->input.ref);
    c->input = (struct input){0};
    free(c->stash);
    c->stash = NULL;
}

void conn_free(struct conn *c)
{
    struct worker *w = c->worker;
    assert(!c->busy);
    if (c->closing)
        drain(c);
    (void)close(c->fd);
    if (c->reply.docs && !c->observer)
        tally_add(w->tally, TALLY_docs_lost, c->reply.docs, clock_mono_ns());
    reply_clear(&c->reply, w->node->pages, w->mutator);
    reply_fini(&c->reply);
    body_release(&c->decoder.body, w->mutator);
    drop_input(c);
    decoder_fini(&c->decoder, decoder_heap(c));
    free(c);
}

bool conn_idle(const struct conn *c)
{
    return !c->busy && !c->reply.status && !c->decoder.begun &&
           c->input.pos == c->input.len;
}

static void interest(struct conn *c, uint32_t events)
{
    struct epoll_event ev = {.events = events, .data.ptr = c};
    if (c->interest == events)
        return;
    c->interest = events;
    /* It cannot fail for a registered socket. */
    (void)epoll_ctl(c->worker->epoll_fd, EPOLL_CTL_MOD, c->fd, &ev);
}

/* The answer is with the kernel: count it and be ready for the next. */
static enum next finish(struct conn *c)
{
    struct tally *t = c->worker->tally;
    const struct reply *r = &c->reply;
    if (!c->observer) {
        uint64_t now_ns = clock_mono_ns();
        tally_add(t, TALLY_requests, 1, now_ns);
        tally_add(t, TALLY_docs, r->docs, now_ns);
        tally_add(t, TALLY_docs_failed, r->docs_failed, now_ns);
        tally_add(t, TALLY_body_bytes, c->decoder.request.body_bytes, now_ns);
        if (r->status == 429)
            tally_add(t, TALLY_rejected, 1, now_ns);
        else if (r->status / 100 != 2)
            tally_add(t, TALLY_errors, 1, now_ns);
        if (tally_counts(t, now_ns))
            hist_record(&t->service_ns, now_ns - c->began_ns);
    }
    reply_clear(&c->reply, c->worker->node->pages, c->worker->mutator);
    decoder_next(&c->decoder);
    return c->closing ? NEXT_CLOSE : NEXT_READ;
}

/* Send what the socket takes. */
static enum next respond(struct conn *c)
{
    struct worker *w = c->worker;
    size_t n;
    while ((n = reply_fill(&c->reply, w->mutator, w->out, sizeof w->out))) {
        heap_native_enter(w->mutator);
        ssize_t sent = send(c->fd, w->out, n, MSG_NOSIGNAL | MSG_DONTWAIT);
        int errnum = errno;
        heap_native_leave(w->mutator);
        if (sent >= 0) {
            c->reply.sent += (uint64_t)sent;
        } else if (errnum == EAGAIN) {
            interest(c, EPOLLOUT);
            return NEXT_WAIT;
        } else if (errnum != EINTR) {
            return NEXT_CLOSE;
        }
    }
    return finish(c);
}

static enum next out_of_memory(struct conn *c)
{
    node_oom(c->worker->node);
    return NEXT_CLOSE;
}

/* Answer a request that cannot be understood, and close. */
static enum next refuse(struct conn *c, unsigned status, const char *type,
                        const char *reason)
{
    body_release(&c->decoder.body, c->worker->mutator);
    drop_input(c);
    c->closing = true;
    if (!handler_refuse(&c->worker->handler, &c->reply, status, type, reason))
        return out_of_memory(c);
    return respond(c);
}

/* Hand the request to a pool's threads, or say that they are overloaded. From
 * a successful offer on, everything but the input is theirs. */
static enum next offer(struct conn *c, struct pool *pool)
{
    struct worker *w = c->worker;
    c->busy = true;
    c->queued_ns = clock_mono_ns();
    if (pool_offer(pool, &c->work))
        return NEXT_WAIT;
    c->busy = false;
    tally_add(w->tally, TALLY_queue_full, 1, c->queued_ns);
    body_release(&c->decoder.body, w->mutator);
    if (!handler_reject(&w->handler, &c->reply, c->closing))
        return out_of_memory(c);
    return respond(c);
}

/* A request is complete. */
static enum next serve(struct conn *c)
{
    struct worker *w = c->worker;
    const struct request *r = &c->decoder.request;
    struct body *body = &c->decoder.body;
    c->closing = !r->keep_alive || atomic_load(&w->node->stopping);
    c->observer = route_is_observer(r->target, r->target_len);
    if (is_static(c) && !c->observer) {
        c->reply.fixed = w->node->static_body;
        c->reply.body_len = w->node->settings->static_bytes;
        c->reply.no_body = r->method == HTTP1_HEAD;
        reply_seal(&c->reply, 200, "", c->closing);
        return respond(c);
    }
    if (w->node->settings->body_copy && !body_copy(body, w->mutator))
        return out_of_memory(c);
    c->route = route_of(r->method, r->target, r->target_len);
    if (c->route.kind == ROUTE_BULK)
        return offer(c, w->node->pool);
    if (w->node->indices && errand_is(c->route.kind))
        return offer(c, w->node->errands);
    bool answered = handler_answer(&w->handler, &c->decoder, &c->route,
                                   &c->reply, c->closing);
    body_release(body, w->mutator);
    return answered ? respond(c) : out_of_memory(c);
}

static enum next send_continue(struct conn *c)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
    ssize_t n = send(c->fd, text, sizeof text - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    return n == sizeof text - 1 ? NEXT_READ : NEXT_CLOSE;
}

/* Decode the input until it is used up or a request has to wait. */
static enum next decode_on(struct conn *c)
{
    enum next next = NEXT_READ;
    struct why why = {0};
    while (next == NEXT_READ && c->input.pos < c->input.len) {
        if (!c->decoder.begun)
            c->began_ns = clock_mono_ns();
        switch (decoder_run(&c->decoder, decoder_heap(c), &c->input, &why)) {
        case DECODE_MORE:
            break;
        case DECODE_CONTINUE:
            next = send_continue(c);
            break;
        case DECODE_REQUEST:
            next = serve(c);
            break;
        case DECODE_LONG:
            return refuse(c, 400, "too_long_frame_exception",
                          "An HTTP line is larger than 4096 bytes.");
        case DECODE_LARGE:
            return refuse(c, 413, "too_long_frame_exception",
                          "HTTP content length exceeded 104857600 bytes.");
        case DECODE_BAD:
            return refuse(c, 400, "illegal_argument_exception", why.text);
        case DECODE_OOM:
            return out_of_memory(c);
        }
    }
    return next;
}

static void count_read(struct conn *c, uint64_t now_ns, uint32_t n)
{
    struct tally *t = c->worker->tally;
    if (c->observer)
        return;
    tally_add(t, n ? TALLY_reads : TALLY_zero_reads, 1, now_ns);
    tally_add(t, TALLY_read_bytes, n, now_ns);
    if (!is_static(c)) {
        tally_add(t, TALLY_buffer_count, 1, now_ns);
        tally_add(t, TALLY_buffer_bytes, c->predictor.attempted, now_ns);
    }
    if (n && tally_counts(t, now_ns))
        hist_record(&t->read_bytes, n);
}

static enum receive read_once(struct conn *c)
{
    struct worker *w = c->worker;
    return is_static(c)
               ? receive_native(c->fd, w->in, sizeof w->in, &c->input)
               : receive_read(c->fd, &c->predictor, w->mutator, &c->input);
}

static bool read_more(const struct conn *c, uint32_t reads, uint32_t n)
{
    if (is_static(c))
        return n == sizeof c->worker->in && reads < STATIC_READS_PER_WAKEUP;
    return predictor_more(&c->predictor);
}

/* The socket has something: a wake-up's reads. */
static enum next readable(struct conn *c)
{
    uint64_t now_ns = clock_mono_ns();
    uint32_t reads = 0, n;
    enum next next;
    predictor_begin(&c->predictor);
    do {
        enum receive r = read_once(c);
        n = c->input.len;
        next = r == RECEIVE_BYTES  ? decode_on(c)
               : r == RECEIVE_NONE ? NEXT_WAIT
               : r == RECEIVE_END  ? NEXT_CLOSE
                                   : out_of_memory(c);
        reads += n > 0;
        if (r != RECEIVE_OOM)
            count_read(c, now_ns, n);
    } while (next == NEXT_READ && read_more(c, reads, n));
    predictor_end(&c->predictor);
    if (reads && !c->observer && tally_counts(c->worker->tally, now_ns))
        hist_record(&c->worker->tally->reads_per_loop, reads);
    return next;
}

/* Native input lies in memory that the next connection uses. */
static enum next stash(struct conn *c)
{
    struct input *in = &c->input;
    if (in->ref || in->pos == in->len || c->stash)
        return NEXT_WAIT;
    uint32_t left = in->len - in->pos;
    c->stash = malloc(left);
    if (!c->stash)
        return NEXT_CLOSE;
    memcpy(c->stash, in->native + in->pos, left);
    *in = (struct input){.native = c->stash, .len = left};
    return NEXT_WAIT;
}

/* An answer went out: what is left of the input, then the socket again. */
static enum next go_on(struct conn *c, enum next next)
{
    if (next == NEXT_READ)
        next = decode_on(c);
    if (next != NEXT_READ)
        return next;
    free(c->stash);
    c->stash = NULL;
    interest(c, EPOLLIN);
    return NEXT_READ;
}

bool conn_event(struct conn *c, uint32_t events)
{
    enum next next;
    if (c->busy) {
        interest(c, 0);
        if (events & (EPOLLERR | EPOLLHUP)) {
            c->broken = true;
            (void)epoll_ctl(c->worker->epoll_fd, EPOLL_CTL_DEL, c->fd, NULL);
        }
        return true;
    }
    if (!c->reply.status)
        next = readable(c);
    else if (events & (EPOLLERR | EPOLLHUP))
        next = NEXT_CLOSE;
    else
        next = go_on(c, respond(c));
    if (next == NEXT_WAIT && !c->busy)
        next = stash(c);
    return next != NEXT_CLOSE;
}

bool conn_resume(struct conn *c)
{
    c->busy = false;
    if (c->broken || !c->reply.status)
        return false;
    return go_on(c, respond(c)) != NEXT_CLOSE;
}

void conn_errand(struct conn *c, struct mutator *m)
{
    struct worker *w = c->worker;
    struct errand e = {w->node->indices, w->node->templates, w->node->pages, m};
    if (!errand_answer(&e, &c->decoder, &c->route, &c->reply, c->closing)) {
        reply_clear(&c->reply, w->node->pages, m);
        node_oom(w->node);
    }
    body_release(&c->decoder.body, m);
    worker_done(w, c);
}

/* --slow */
static void dawdle(uint64_t ns, struct mutator *m)
{
    if (!ns)
        return;
    heap_native_enter(m);
    clock_sleep_until(clock_mono_ns() + ns);
    heap_native_leave(m);
}

void conn_bulk(struct conn *c, struct ingest *in, struct tally *tally)
{
    struct worker *w = c->worker;
    uint64_t began_ns = clock_mono_ns();
    dawdle(w->node->settings->slow_ns, in->mutator);
    if (!ingest_bulk(in, &c->decoder.body, &c->route, &c->reply, c->closing)) {
        reply_clear(&c->reply, in->pages, in->mutator);
        node_oom(w->node);
    }
    body_release(&c->decoder.body, in->mutator);
    slow_pay(&in->slow, in->mutator); /* before the answer is sent */
    uint64_t now_ns = clock_mono_ns();
    tally_add(tally, TALLY_bulk_docs, c->reply.docs, now_ns);
    tally_add(tally, TALLY_bulk_failed, c->reply.docs_failed, now_ns);
    tally_add(tally, TALLY_bulk_ns, now_ns - began_ns, now_ns);
    tally_add(tally, TALLY_wait_ns, began_ns - c->queued_ns, now_ns);
    worker_done(w, c);
}
