/* The answering end of a channel: four REP contexts, each with one aio that
 * receives and sends in turn. What holds of NNG in chan.c holds here too.
 *
 *   RECEIVING --take--> TAKEN --answer--> SENDING --sent, take--> RECEIVING
 *
 * A sent answer may still be lost (N9): no caller may forget anything because
 * it was answered, only because it was acknowledged. */
#include "common/chan_server.h"

#include <assert.h>
#include <errno.h>
#include <nng/nng.h>
#include <nng/protocol/reqrep0/rep.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "common/address.h"
#include "common/chan_listener.h"
#include "common/chan_nng.h"
#include "common/clock.h"
#include "common/msg.h"

#define SLOTS   4
#define CHECK_S 1 /* of the listener */
/* Closing right after an answer may lose it (N9). */
#define LINGER_NS (500 * NS_PER_MS)

enum step { IDLE, RECEIVING, TAKEN, SENDING };

struct slot {
    struct chan_server *server;
    nng_ctx ctx;
    nng_aio *aio;
    atomic_bool done; /* set by its callback */
    enum step step;
    nng_msg *request;
};

struct chan_server {
    char *url;
    int event;
    int timer; /* -1, or the listener's next check */
    int ready; /* epoll of both */
    bool open; /* socket is there */
    nng_socket socket;
    nng_tls_config *tls; /* NULL: none */
    struct chan_listener listener;
    atomic_int pipes;
    uint64_t answered_ns; /* when the last answer was sent */
    struct slot slots[SLOTS];
};

static void on_slot(void *arg)
{
    struct slot *slot = arg;
    chan_nng_raise(&slot->done, slot->server->event);
}

static void on_peer(nng_pipe pipe, nng_pipe_ev event, void *arg)
{
    struct chan_server *server = arg;
    bool known = false;
    if (event ==
        NNG_PIPE_EV_ADD_PRE) { /* nobody gets in by a mistake of ours */
        if (nng_pipe_get_bool(pipe, NNG_OPT_TLS_VERIFIED, &known) || !known)
            (void)nng_pipe_close(pipe);
        return;
    }
    (void)atomic_fetch_add(&server->pipes,
                           event == NNG_PIPE_EV_ADD_POST ? 1 : -1);
    (void)eventfd_write(server->event, 1);
}

static void receive(struct slot *slot)
{
    slot->done = false;
    slot->step = RECEIVING;
    nng_ctx_recv(slot->ctx, slot->aio);
}

static int open_slot(struct chan_server *server, struct slot *slot)
{
    slot->server = server;
    int rv = nng_aio_alloc(&slot->aio, on_slot, slot);
    if (!rv)
        rv = nng_ctx_open(&slot->ctx, server->socket);
    if (rv)
        return rv;
    nng_aio_set_timeout(slot->aio, NNG_DURATION_INFINITE);
    receive(slot);
    return 0;
}

static int start(struct chan_server *server, unsigned mode)
{
    nng_socket s = server->socket;
    int rv = 0;
    server->listener = (struct chan_listener){
        .url = server->url, .socket = s, .tls = server->tls, .mode = mode};
    (void)((rv = nng_pipe_notify(s, NNG_PIPE_EV_ADD_POST, on_peer, server)) ||
           (rv = nng_pipe_notify(s, NNG_PIPE_EV_REM_POST, on_peer, server)) ||
           (server->tls &&
            (rv = nng_pipe_notify(s, NNG_PIPE_EV_ADD_PRE, on_peer, server))) ||
           (rv = chan_listener_open(&server->listener)));
    for (size_t i = 0; i < SLOTS && !rv; i++)
        rv = open_slot(server, &server->slots[i]);
    return rv;
}

static bool watch(int epoll, int fd)
{
    struct epoll_event event = {.events = EPOLLIN};
    return !epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

/* What chan_server_fd needs; false with errno. */
static bool open_files(struct chan_server *server)
{
    server->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    server->ready = epoll_create1(EPOLL_CLOEXEC);
    return server->event >= 0 && server->ready >= 0 &&
           watch(server->ready, server->event);
}

static bool start_timer(struct chan_server *server)
{
    struct itimerspec each = {.it_interval.tv_sec = CHECK_S,
                              .it_value.tv_sec = CHECK_S};
    server->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    return server->timer >= 0 &&
           !timerfd_settime(server->timer, 0, &each, NULL) &&
           watch(server->ready, server->timer);
}

static enum err listen_there(struct chan_server *server, unsigned mode,
                             struct why *why)
{
    int rv = chan_nng_open(nng_rep0_open, &server->socket);
    server->open = !rv;
    if (!rv)
        rv = start(server, mode);
    if (rv)
        return chan_nng_err(why, rv, server->url);
    if (chan_listener_needs_care(&server->listener) && !start_timer(server))
        return err_errno(why, errno, "%s", server->url);
    return ERR_OK;
}

/* creds NULL: without TLS. */
static enum err open_server(struct chan_server **out, const char *url,
                            unsigned mode, const struct creds *creds,
                            struct why *why)
{
    int rv = 0;
    enum err e = ERR_OK;
    struct chan_server *server = calloc(1, sizeof *server);
    if (!server)
        return err_set(why, ERR_NOMEM, "%s: out of memory", url);
    server->event = server->ready = server->timer = -1;
    server->url = strdup(url);
    if (!server->url || !open_files(server))
        e = err_errno(why, errno, "%s", url);
    else if (creds && (rv = chan_nng_tls(&server->tls, creds, NULL)))
        e = chan_nng_err(why, rv, url);
    else
        e = listen_there(server, mode, why);
    if (!e) {
        *out = server;
        server = NULL;
    }
    chan_server_close(server);
    return e;
}

enum err chan_listen(struct chan_server **out, const char *url, bool plain_ok,
                     unsigned mode, struct why *why)
{
    *out = NULL;
    enum err e = address_check(url, plain_ok, why);
    if (!e && address_is_tls(url))
        e = err_set(why, ERR_USAGE,
                    "%s: tls+tcp takes credentials; add --tls DIR, or \"tls\" "
                    "to agent.json",
                    url);
    return e ? e : open_server(out, url, mode, NULL, why);
}

enum err chan_listen_tls(struct chan_server **out, const char *url,
                         const struct creds *creds, struct why *why)
{
    struct address_tls at;
    *out = NULL;
    enum err e = address_tls(url, &at, why);
    return e ? e : open_server(out, at.url, 0, creds, why);
}

unsigned chan_server_peers(const struct chan_server *server)
{
    int n = server->pipes;
    return n > 0 ? (unsigned)n : 0;
}

unsigned chan_server_deaf(const struct chan_server *server)
{
    return server->listener.deaf;
}

enum err chan_server_renew(struct chan_server *server, struct why *why)
{
    int rv = chan_listener_renew(&server->listener);
    return rv ? chan_nng_err(why, rv, server->url) : ERR_OK;
}

static void close_slot(struct slot *slot)
{
    int rv = slot->aio ? nng_aio_result(slot->aio) : 0;
    chan_nng_free(slot->aio, (slot->step == RECEIVING && !rv) ||
                                 (slot->step == SENDING && rv));
    nng_msg_free(slot->request);
}

static void close_file(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

void chan_server_close(struct chan_server *server)
{
    if (!server)
        return;
    uint64_t due_ns = server->answered_ns ? server->answered_ns + LINGER_NS : 0;
    while (server->pipes > 0 && clock_mono_ns() < due_ns) {
        chan_nng_wait(server->event, due_ns);
        chan_nng_drain(server->event);
    }
    for (size_t i = 0; i < SLOTS; i++)
        if (server->slots[i].aio)
            nng_aio_stop(server->slots[i].aio);
    if (server->open && !chan_nng_close(server->socket))
        return; /* NNG may still call back */
    for (size_t i = 0; i < SLOTS; i++)
        close_slot(&server->slots[i]);
    close_file(server->event);
    close_file(server->ready);
    close_file(server->timer);
    if (server->tls)
        nng_tls_config_free(server->tls);
    free(server->url);
    free(server);
}

int chan_server_fd(const struct chan_server *server)
{
    return server->ready;
}

/* Move slot on when its aio has ended; true: a request is there. */
static bool step(struct slot *slot, int *rv)
{
    if (slot->step == TAKEN || !slot->done)
        return false;
    int result = nng_aio_result(slot->aio);
    if (slot->step == RECEIVING && !result) {
        slot->step = TAKEN;
        slot->request = nng_aio_get_msg(slot->aio);
        return true;
    }
    if (slot->step == RECEIVING)
        *rv = result;
    else if (result) /* the peer has left: its answer is not sent */
        nng_msg_free(nng_aio_get_msg(slot->aio));
    receive(slot);
    return false;
}

/* Look after the listener when it is time to; NNG's result. */
static int check_listener(struct chan_server *server)
{
    uint64_t expirations;
    if (server->timer < 0 ||
        read(server->timer, &expirations, sizeof expirations) <= 0)
        return 0;
    return chan_listener_check(&server->listener);
}

enum err chan_server_take(struct chan_server *server, unsigned *slot,
                          const void **data, size_t *len, struct why *why)
{
    int rv = check_listener(server);
    chan_nng_drain(server->event);
    for (unsigned i = 0; i < SLOTS; i++) {
        if (!step(&server->slots[i], &rv))
            continue;
        (void)eventfd_write(server->event, 1); /* others may be ready too */
        *slot = i;
        *data = nng_msg_body(server->slots[i].request);
        *len = nng_msg_len(server->slots[i].request);
        return ERR_OK;
    }
    return rv ? chan_nng_err(why, rv, server->url)
              : err_set(why, ERR_AGAIN, "%s: no request", server->url);
}

enum err chan_server_answer(struct chan_server *server, unsigned slot,
                            const void *data, size_t len, struct why *why)
{
    assert(slot < SLOTS);
    struct slot *to = &server->slots[slot];
    assert(to->step == TAKEN);
    nng_msg *msg = NULL;
    enum err e =
        chan_nng_copy(&msg, data, len, MSG_REPLY_MAX, server->url, why);
    if (e)
        return e;
    nng_msg_free(to->request);
    to->request = NULL;
    to->done = false;
    to->step = SENDING;
    server->answered_ns = clock_mono_ns();
    nng_aio_set_msg(to->aio, msg);
    nng_ctx_send(to->ctx, to->aio);
    return ERR_OK;
}
