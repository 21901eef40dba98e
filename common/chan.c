/* What NNG 1.5.2 does by itself and what is done here instead (control.md
 * section 1 has the measurements):
 *
 *   resending      off: a lost request is the caller's to repeat (N8)
 *   reconnecting   not trusted: any loss or timeout drops the socket, and the
 *                  next request dials with a new one; so does one that waits
 *                  for its connection, after 1 s, 2 s, 4 s, ... (N2: after a
 *                  peer that ended during TLS's handshake it never dials again)
 *   timeouts       off, they follow the wall clock: the caller's poll keeps the
 *                  deadline and the aios are stopped (N5)
 *   callbacks      set a flag and write an eventfd, no more; the receive is
 *                  started by the owner's thread after the send has completed,
 *                  since 1.5.2 crashes when it is cancelled before (#1702)
 *
 *   IDLE --submit--> SENDING --sent--> RECEIVING --received--> IDLE
 *                    SENDING, RECEIVING --error, deadline: drop--> IDLE
 *
 * A socket ends by: stop its aios, close it, free the aios; the owner's thread
 * waits for each, so that nothing is in flight while it closes (#1543, #1610).
 */
#include "common/chan.h"

#include <errno.h>
#include <nng/nng.h>
#include <nng/protocol/reqrep0/req.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/address.h"
#include "common/chan_nng.h"
#include "common/clock.h"
#include "common/handshake.h"
#include "common/msg.h"

#define RECONNECT_MIN_MS 100
#define RECONNECT_MAX_MS 1000
/* Closing while an answer arrives may get stuck (chan_nng_close): it is waited
 * for so long. */
#define SETTLE_NS (100 * NS_PER_MS)
/* What a dialer is given before a new one takes its place; doubled each time,
 * so that slow networks get through. */
#define DIAL_NS NS_PER_S

/* To hear why there was no connection. */
#define ASK_NS (200 * NS_PER_MS)

enum step { IDLE, SENDING, RECEIVING };

struct chan {
    char *url;
    char *at;            /* the same, as NNG has it */
    nng_tls_config *tls; /* NULL: none */
    int event;
    bool open;  /* socket and aios are there */
    bool stuck; /* a socket did not close: NNG may call back at any time */
    nng_socket socket;
    nng_aio *send, *recv;
    atomic_bool up, lost, sent, received; /* set by callbacks */
    enum step step;
    uint64_t due_ns, timeout_ns;
    uint64_t redial_ns, dial_ns; /* when, and the patience with it */
    nng_msg *reply;
};

static void on_sent(void *arg)
{
    struct chan *chan = arg;
    chan_nng_raise(&chan->sent, chan->event);
}

static void on_received(void *arg)
{
    struct chan *chan = arg;
    chan_nng_raise(&chan->received, chan->event);
}

static void on_pipe(nng_pipe pipe, nng_pipe_ev event, void *arg)
{
    struct chan *chan = arg;
    (void)pipe;
    chan_nng_raise(event == NNG_PIPE_EV_ADD_POST ? &chan->up : &chan->lost,
                   chan->event);
}

static void drop(struct chan *chan)
{
    if (!chan->open)
        return;
    if (chan->send)
        nng_aio_stop(chan->send);
    if (chan->recv)
        nng_aio_stop(chan->recv);
    chan->open = false;
    if (chan_nng_close(chan->socket)) {
        chan_nng_free(chan->send,
                      chan->step == SENDING && nng_aio_result(chan->send));
        chan_nng_free(chan->recv,
                      chan->step == RECEIVING && !nng_aio_result(chan->recv));
    } else
        chan->stuck = true;
    chan->send = chan->recv = NULL;
    chan->step = IDLE;
}

/* A new socket that dials in the background. */
static enum err connect_anew(struct chan *chan, struct why *why)
{
    nng_dialer dialer;
    drop(chan);
    int rv = chan_nng_open(nng_req0_open, &chan->socket);
    if (rv)
        return chan_nng_err(why, rv, chan->url);
    chan->open = true;
    chan->up = chan->lost = chan->sent = chan->received = false;
    nng_socket s = chan->socket;
    (void)((rv = nng_aio_alloc(&chan->send, on_sent, chan)) ||
           (rv = nng_aio_alloc(&chan->recv, on_received, chan)) ||
           (rv = nng_socket_set_ms(s, NNG_OPT_REQ_RESENDTIME,
                                   NNG_DURATION_INFINITE)) ||
           (rv = nng_socket_set_ms(s, NNG_OPT_RECONNMINT, RECONNECT_MIN_MS)) ||
           (rv = nng_socket_set_ms(s, NNG_OPT_RECONNMAXT, RECONNECT_MAX_MS)) ||
           (rv = nng_pipe_notify(s, NNG_PIPE_EV_ADD_POST, on_pipe, chan)) ||
           (rv = nng_pipe_notify(s, NNG_PIPE_EV_REM_POST, on_pipe, chan)) ||
           (rv = nng_dialer_create(&dialer, s, chan->at)) ||
           (rv = nng_dialer_set_size(dialer, NNG_OPT_RECVMAXSZ,
                                     MSG_REPLY_MAX + CHAN_SP_HEADER_MAX)) ||
           (chan_nng_is_tcp(chan->at) &&
            (rv = nng_dialer_set_bool(dialer, NNG_OPT_TCP_KEEPALIVE, true))) ||
           (chan->tls &&
            (rv = nng_dialer_set_ptr(dialer, NNG_OPT_TLS_CONFIG, chan->tls))) ||
           (rv = nng_dialer_start(dialer, NNG_FLAG_NONBLOCK)));
    if (!rv) {
        nng_aio_set_timeout(chan->send, NNG_DURATION_INFINITE);
        nng_aio_set_timeout(chan->recv, NNG_DURATION_INFINITE);
        chan->redial_ns = clock_mono_ns() + chan->dial_ns;
        return ERR_OK;
    }
    drop(chan);
    return chan_nng_err(why, rv, chan->url);
}

/* Whether it is time for a new dialer, in place of one that has not got
 * through.
 */
static bool stale(const struct chan *chan)
{
    return (!chan->up || chan->lost) && clock_mono_ns() >= chan->redial_ns;
}

static uint64_t sooner(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

static enum err await_connection(struct chan *chan, uint64_t due_ns,
                                 struct why *why)
{
    chan->dial_ns = DIAL_NS;
    enum err e = connect_anew(chan, why);
    while (!e && !chan->up && clock_mono_ns() < due_ns) {
        chan_nng_wait(chan->event, sooner(due_ns, chan->redial_ns));
        chan_nng_drain(chan->event);
        if (!stale(chan))
            continue;
        chan->dial_ns *= 2;
        e = connect_anew(chan, why);
    }
    if (e || chan->up)
        return e;
    return err_set(why, ERR_TIMEOUT, "%s: no connection in time", chan->url);
}

/* Without TLS. NULL: no memory, or no descriptor (errno). */
static struct chan *make(const char *url, const char *at)
{
    struct chan *chan = calloc(1, sizeof *chan);
    if (!chan)
        return NULL;
    chan->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    chan->url = strdup(url);
    chan->at = strdup(at);
    if (chan->event >= 0 && chan->url && chan->at)
        return chan;
    chan_close(chan);
    return NULL;
}

/* A dialer in the background tells no reasons: the system is asked first. */
enum err chan_dial(struct chan **out, const char *url, bool plain_ok,
                   uint64_t timeout_ns, struct why *why)
{
    uint64_t due_ns = clock_mono_ns() + timeout_ns;
    *out = NULL;
    enum err e = address_check(url, plain_ok, why);
    if (!e && address_is_tls(url))
        e = err_set(why, ERR_USAGE,
                    "%s: tls+tcp takes credentials; add --tls "
                    "DIR, or \"tls\" to the lab file",
                    url);
    if (!e)
        e = address_probe(url, due_ns, why);
    if (e)
        return e;
    struct chan *chan = make(url, url);
    if (!chan)
        return err_errno(why, errno, "%s", url);
    e = await_connection(chan, due_ns, why);
    if (e)
        chan_close(chan);
    else
        *out = chan;
    return e;
}

/* The same for TLS: why its handshake fails, and who is there. */
static enum err probe_tls(const char *url, const struct address_tls *to,
                          const struct creds *creds, uint64_t due_ns,
                          struct cert *peer, struct why *why)
{
    int fd;
    enum err e = address_connect(to->url, due_ns, &fd, why);
    if (e)
        return e;
    e = handshake_greet(fd, creds, to->name, due_ns, peer, why);
    (void)close(fd);
    return e ? err_wrap(why, e, "%s", url) : ERR_OK;
}

enum err chan_dial_tls(struct chan **out, const char *url,
                       const struct chan_trust *trust, uint64_t timeout_ns,
                       struct cert *peer, struct why *why)
{
    struct address_tls to;
    uint64_t due_ns = clock_mono_ns() + timeout_ns;
    *out = NULL;
    if (peer)
        *peer = (struct cert){.name = ""};
    enum err e = address_tls(url, &to, why);
    if (!e && trust->name && trust->name[0])
        (void)snprintf(to.name, sizeof to.name, "%s", trust->name);
    if (!e)
        e = probe_tls(url, &to, trust->creds, due_ns, peer, why);
    if (e)
        return e;
    struct chan *chan = make(url, to.url);
    if (!chan)
        return err_errno(why, errno, "%s", url);
    int rv = chan_nng_tls(&chan->tls, trust->creds, to.name);
    e = rv ? chan_nng_err(why, rv, url) : await_connection(chan, due_ns, why);
    if (e)
        chan_close(chan);
    else
        *out = chan;
    return e;
}

static void settle(struct chan *chan)
{
    uint64_t due_ns = clock_mono_ns() + SETTLE_NS;
    const void *data;
    size_t len;
    while (chan->step != IDLE && clock_mono_ns() < due_ns &&
           chan_result(chan, &data, &len, NULL) == ERR_AGAIN)
        chan_nng_wait(chan->event, sooner(due_ns, chan_due_ns(chan)));
}

void chan_close(struct chan *chan)
{
    if (!chan)
        return;
    settle(chan);
    drop(chan);
    nng_msg_free(chan->reply);
    if (chan->stuck)
        return;
    if (chan->event >= 0)
        (void)close(chan->event);
    if (chan->tls)
        nng_tls_config_free(chan->tls);
    free(chan->url);
    free(chan->at);
    free(chan);
}

enum err chan_submit(struct chan *chan, const void *data, size_t len,
                     uint64_t timeout_ns, struct why *why)
{
    if (chan->step != IDLE)
        return err_set(why, ERR_BUSY, "%s: a request is outstanding",
                       chan->url);
    nng_msg *msg = NULL;
    enum err e =
        chan_nng_copy(&msg, data, len, MSG_REQUEST_MAX, chan->url, why);
    if (e)
        return e;
    uint64_t due_ns = clock_mono_ns() + timeout_ns;
    chan->dial_ns = DIAL_NS;
    if ((!chan->open || chan->lost) && (e = connect_anew(chan, why))) {
        nng_msg_free(msg);
        return e;
    }
    nng_msg_free(chan->reply);
    chan->reply = NULL;
    chan->sent = chan->received = false;
    chan->timeout_ns = timeout_ns;
    chan->due_ns = due_ns;
    chan->step = SENDING;
    nng_aio_set_msg(chan->send, msg);
    nng_send_aio(chan->socket, chan->send);
    return ERR_OK;
}

int chan_fd(const struct chan *chan)
{
    return chan->event;
}

uint64_t chan_due_ns(const struct chan *chan)
{
    bool connecting = chan->step == SENDING && (!chan->up || chan->lost);
    return connecting ? sooner(chan->due_ns, chan->redial_ns) : chan->due_ns;
}

static enum err broken(struct chan *chan, int rv, struct why *why)
{
    drop(chan);
    return chan_nng_err(why, rv, chan->url);
}

/* Send the request, which has not left, by a new dialer. */
static enum err redial(struct chan *chan, struct why *why)
{
    nng_msg *msg = NULL;
    nng_aio_stop(chan->send);
    if (!nng_aio_result(chan->send)) /* it left just now */
        return ERR_OK;
    int rv = nng_msg_dup(&msg, nng_aio_get_msg(chan->send));
    if (rv)
        return broken(chan, rv, why);
    chan->dial_ns *= 2;
    enum err e = connect_anew(chan, why);
    if (e) {
        nng_msg_free(msg);
        return e;
    }
    chan->step = SENDING;
    nng_aio_set_msg(chan->send, msg);
    nng_send_aio(chan->socket, chan->send);
    return ERR_OK;
}

/* Why there was no connection: ERR_OK where nothing is in its way now. */
static enum err ask_system(const struct chan *chan, struct why *why)
{
    int fd;
    uint64_t due_ns = clock_mono_ns() + ASK_NS;
    if (!address_is_tls(chan->at))
        return address_probe(chan->at, due_ns, why);
    enum err e = address_connect(chan->at, due_ns, &fd, why);
    if (!e)
        (void)close(fd);
    return e;
}

/* A dialer in the background tells no reasons, and a network that is cut is
 * another thing than an agent that is gone. */
static enum err expired(struct chan *chan, struct why *why)
{
    bool connected = chan->up && !chan->lost;
    drop(chan);
    enum err e = connected ? ERR_OK : ask_system(chan, why);
    if (e && e != ERR_TIMEOUT)
        return e;
    return err_set(why, ERR_TIMEOUT, "%s: no %s within %.3g s", chan->url,
                   connected ? "answer" : "connection",
                   (double)chan->timeout_ns / 1e9);
}

enum err chan_result(struct chan *chan, const void **data, size_t *len,
                     struct why *why)
{
    int rv;
    if (chan->step == IDLE)
        return err_set(why, ERR_STATE, "%s: no request is outstanding",
                       chan->url);
    chan_nng_drain(chan->event);
    if (chan->step == SENDING && chan->sent) {
        if ((rv = nng_aio_result(chan->send)))
            return broken(chan, rv, why);
        chan->step = RECEIVING;
        nng_recv_aio(chan->socket, chan->recv);
    }
    if (chan->step == RECEIVING && chan->received) {
        if ((rv = nng_aio_result(chan->recv)))
            return broken(chan, rv, why);
        chan->step = IDLE;
        chan->reply = nng_aio_get_msg(chan->recv);
        *data = nng_msg_body(chan->reply);
        *len = nng_msg_len(chan->reply);
        return ERR_OK;
    }
    if (clock_mono_ns() >= chan->due_ns)
        return expired(chan, why);
    if (chan->step == SENDING && !chan->sent && stale(chan)) {
        enum err e = redial(chan, why);
        if (e)
            return e;
    }
    return err_set(why, ERR_AGAIN, "%s: no answer yet", chan->url);
}

enum err chan_call(struct chan *chan, const void *request, size_t len,
                   uint64_t timeout_ns, struct wire_blob *reply,
                   struct why *why)
{
    const void *data = NULL;
    enum err e = chan_submit(chan, request, len, timeout_ns, why);
    if (e)
        return e;
    while ((e = chan_result(chan, &data, &reply->len, why)) == ERR_AGAIN)
        chan_nng_wait(chan->event, chan_due_ns(chan));
    reply->data = data;
    return e;
}
