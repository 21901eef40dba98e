/* Requests and replies between the controller and agents over NNG (REQ/REP):
 * with its parts (chan_*.c) the sole owner of <nng/...>. One request in flight
 * per channel, every wait with a deadline on CLOCK_MONOTONIC (NNG 1.5.2 times
 * by the wall clock), and no trust in NNG's own reconnection or resending
 * (control.md section 1).
 *
 * NNG starts threads of its own at the first call, with all signals blocked.
 * After fork() NNG panics: fork before the first call, or exec at once. A
 * channel or server (chan_server.h) belongs to the thread that made it.
 *
 * URLs: ipc:///path, tls+tcp://[name@]host:port with credentials on both sides,
 * tcp://host:port (only where the caller says plain is allowed). */
#ifndef PITWALL_COMMON_CHAN_H
#define PITWALL_COMMON_CHAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/creds.h"
#include "common/err.h"
#include "common/wire.h"

struct chan;

/* Connect to url, which is not one of tls+tcp. plain_ok: tcp:// is allowed
 * (--insecure-plain). The first connection is made here, so that its true
 * failure is told. Errors  ERR_REFUSED, ERR_NOTFOUND (no such socket),
 * ERR_TIMEOUT (timeout_ns), ERR_PROTOCOL (something else than an agent is
 * there), ERR_USAGE (a URL that is not accepted, or plain tcp without leave).
 * Owns    *out is the caller's, for chan_close; NULL on failure. */
CHECKED enum err chan_dial(struct chan **out, const char *url, bool plain_ok,
                           uint64_t timeout_ns, struct why *why);

/* Whom to expect behind a tls+tcp URL, and as whom to come. */
struct chan_trust {
    const struct creds *creds; /* a controller's */
    const char *name;          /* of the agent; "": the URL's */
};

/* The same over TLS 1.2, for which both sides show certificates. *peer (NULL:
 * not wanted) is the agent's, also when it is refused. Errors as chan_dial and
 * ERR_PERMISSION: one of the certificates is not accepted; the text says
 * which, and why. The credentials are copied. */
CHECKED enum err chan_dial_tls(struct chan **out, const char *url,
                               const struct chan_trust *trust,
                               uint64_t timeout_ns, struct cert *peer,
                               struct why *why);

/* Close it; waits up to 0.1 s for an outstanding answer, since NNG 1.5.2 may
 * not end when it arrives just then (after 2 s its socket is abandoned). */
void chan_close(struct chan *chan);

/* Send one request (copied; at most MSG_REQUEST_MAX bytes, else ERR_RANGE
 * before anything is sent). ERR_BUSY while one is outstanding. After a loss it
 * dials anew in the background, again and again until timeout_ns, which bounds
 * connection and answer together; with new sockets, since NNG's own dialer may
 * give up for ever. Sent at most once: repeating is the
 * caller's. */
CHECKED enum err chan_submit(struct chan *chan, const void *data, size_t len,
                             uint64_t timeout_ns, struct why *why);

/* File descriptor that is readable when chan_result has something to do; it may
 * still say ERR_AGAIN (once when the request has left). The deadline of
 * chan_submit, and those of connecting, have to be kept by the caller's poll:
 * call chan_result when chan_due_ns has passed; it may say ERR_AGAIN then. */
int chan_fd(const struct chan *chan);
uint64_t chan_due_ns(const struct chan *chan);

/* Take the answer: *data is valid until the next chan_submit or chan_close.
 * ERR_AGAIN: none yet; ERR_TIMEOUT: the deadline has passed (the text tells a
 * missing connection from a missing answer), or, where there was no connection
 * and the system has a reason, that (ERR_REFUSED, ERR_NOTFOUND, ...: whoever
 * listened is gone); ERR_GONE: the connection broke; ERR_STATE: no request is
 * outstanding. After a failure the next chan_submit dials anew. */
CHECKED enum err chan_result(struct chan *chan, const void **data, size_t *len,
                             struct why *why);

/* chan_submit, wait, chan_result. *reply is valid as its data. */
CHECKED enum err chan_call(struct chan *chan, const void *request, size_t len,
                           uint64_t timeout_ns, struct wire_blob *reply,
                           struct why *why);

#endif
