/* The answering end of a channel: four REP contexts, each with one aio that
 * receives and sends in turn. What holds of NNG in chan.c holds here too.
 *
 *   RECEIVING --take--> TAKEN --answer--> SENDING --sent, next take-->
 * RECEIVING
 *
 * A sent answer may still be lost (N9): no caller may forget anything because
 * it was answered, only because it was acknowledged. */
#include <assert.h>
#include <errno.h>
#include <nng/nng.h>
#include <nng/protocol/reqrep0/rep.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/address.h"
#include "common/chan.h"
#include "common/chan_nng.h"
#include "common/clock.h"
#include "common/msg.h"

#define SLOTS 4
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
    bool open; /* socket is there */
    nng_socket socket;
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
    (void)pipe;
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

static int listen_at(struct chan_server *server, unsigned mode)
{
    nng_listener listener;
    nng_socket s = server->socket;
    const char *url = server->url;
    int rv = 0;
    (void)((rv = nng_pipe_notify(s, NNG_PIPE_EV_ADD_POST, on_peer, server)) ||
           (rv = nng_pipe_notify(s, NNG_PIPE_EV_REM_POST, on_peer, server)) ||
           (rv = nng_listener_create(&listener, s, url)) ||
           (rv = nng_listener_set_size(listener, NNG_OPT_RECVMAXSZ,
                                       MSG_REQUEST_MAX + CHAN_SP_HEADER_MAX)) ||
           (rv = chan_nng_is_tcp(url)
                     ? nng_listener_set_bool(listener, NNG_OPT_TCP_KEEPALIVE,
                                             true)
                     : nng_listener_set_int(listener, NNG_OPT_IPC_PERMISSIONS,
                                            (int)mode)) ||
           (rv = nng_listener_start(listener, 0)));
    for (size_t i = 0; i < SLOTS && !rv; i++)
        rv = open_slot(server, &server->slots[i]);
    return rv;
}

enum err chan_listen(struct chan_server **out, const char *url, bool plain_ok,
                     unsigned mode, struct why *why)
{
    *out = NULL;
    enum err e = address_check(url, plain_ok, why);
    if (e)
        return e;
    struct chan_server *server = calloc(1, sizeof *server);
    if (!server)
        return err_set(why, ERR_NOMEM, "%s: out of memory", url);
    server->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    server->url = strdup(url);
    if (server->event < 0 || !server->url) {
        e = err_errno(why, errno, "%s", url);
        goto out;
    }
    int rv = chan_nng_open(nng_rep0_open, &server->socket);
    server->open = !rv;
    if (!rv)
        rv = listen_at(server, mode);
    if (rv) {
        e = chan_nng_err(why, rv, url);
        goto out;
    }
    *out = server;
    server = NULL;
out:
    chan_server_close(server);
    return e;
}

static void close_slot(struct slot *slot)
{
    int rv = slot->aio ? nng_aio_result(slot->aio) : 0;
    chan_nng_free(slot->aio, (slot->step == RECEIVING && !rv) ||
                                 (slot->step == SENDING && rv));
    nng_msg_free(slot->request);
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
    if (server->open)
        (void)nng_close(server->socket);
    for (size_t i = 0; i < SLOTS; i++)
        close_slot(&server->slots[i]);
    if (server->event >= 0)
        (void)close(server->event);
    free(server->url);
    free(server);
}

int chan_server_fd(const struct chan_server *server)
{
    return server->event;
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

enum err chan_server_take(struct chan_server *server, unsigned *slot,
                          const void **data, size_t *len, struct why *why)
{
    int rv = 0;
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
