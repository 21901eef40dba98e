/* Requests and replies between the controller and agents over NNG (REQ/REP):
 * with its parts (chan_*.c) the sole owner of <nng/...>. One request in flight
 * per channel, every wait with a deadline on CLOCK_MONOTONIC (NNG 1.5.2 times
 * by the wall clock), and no trust in NNG's own reconnection or resending
 * (control.md section 1).
 *
 * NNG starts threads of its own at the first call, with all signals blocked.
 * After fork() NNG panics: fork before the first call, or exec at once. A
 * channel or server belongs to the thread that made it.
 *
 * URLs: ipc:///path, tcp://host:port (only where the caller says plain is
 * allowed). tls+tcp:// is refused by name until the control plane has it. */
#ifndef PITWALL_COMMON_CHAN_H
#define PITWALL_COMMON_CHAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/wire.h"

struct chan;
struct chan_server;

/* Connect to url. plain_ok: tcp:// is allowed (--insecure-plain). The first
 * connection is made here, so that its true failure is told.
 * Errors  ERR_REFUSED, ERR_NOTFOUND (no such socket), ERR_TIMEOUT (timeout_ns),
 *         ERR_PROTOCOL (something else than an agent is there), ERR_USAGE (a
 *         URL that is not accepted, or plain tcp without leave).
 * Owns    *out is the caller's, for chan_close; NULL on failure. */
CHECKED enum err chan_dial(struct chan **out, const char *url, bool plain_ok,
                           uint64_t timeout_ns, struct why *why);

/* Close it; waits up to 0.1 s for an outstanding answer, since NNG 1.5.2 may
 * not end when it arrives just then (after 2 s its socket is abandoned). */
void chan_close(struct chan *chan);

/* Send one request (copied; at most MSG_REQUEST_MAX bytes, else ERR_RANGE
 * before anything is sent). ERR_BUSY while one is outstanding. After a loss it
 * dials anew in the background, again and again until timeout_ns, which bounds
 * connection and answer together. Sent at most once: repeating is the
 * caller's. */
CHECKED enum err chan_submit(struct chan *chan, const void *data, size_t len,
                             uint64_t timeout_ns, struct why *why);

/* File descriptor that is readable when chan_result has something to do; it may
 * still say ERR_AGAIN (once when the request has left). The deadline of
 * chan_submit has to be kept by the caller's poll: call chan_result when
 * chan_due_ns has passed. */
int chan_fd(const struct chan *chan);
uint64_t chan_due_ns(const struct chan *chan);

/* Take the answer: *data is valid until the next chan_submit or chan_close.
 * ERR_AGAIN: none yet; ERR_TIMEOUT: the deadline has passed (the text tells a
 * missing connection from a missing answer); ERR_GONE: the connection broke;
 * ERR_STATE: no request is outstanding. After a failure the next chan_submit
 * dials anew. */
CHECKED enum err chan_result(struct chan *chan, const void **data, size_t *len,
                             struct why *why);

/* chan_submit, wait, chan_result. *reply is valid as its data. */
CHECKED enum err chan_call(struct chan *chan, const void *request, size_t len,
                           uint64_t timeout_ns, struct wire_blob *reply,
                           struct why *why);

/* Listen on url, at most MSG_REQUEST_MAX bytes a request, 4 requests at once.
 * mode: permissions of an ipc socket. The socket's file goes with the server;
 * one that a dead server left is replaced. ERR_BUSY: address in use; ERR_USAGE
 * as chan_dial. Owns: *out is the caller's; NULL on failure. */
CHECKED enum err chan_listen(struct chan_server **out, const char *url,
                             bool plain_ok, unsigned mode, struct why *why);

/* Close it; waits up to half a second for a peer to take its last answer. */
void chan_server_close(struct chan_server *server);

/* Readable when chan_server_take has a request, or has to look after the
 * listener (ipc, once a second: one that NNG 1.5.2 has made deaf is replaced
 * within two, which ends the connections that are there). */
int chan_server_fd(const struct chan_server *server);

/* Take one request: *slot names it for the answer, *data is valid until then.
 * Every taken request must be answered, or its slot is lost. ERR_AGAIN: none;
 * any other error: NNG's, the server goes on. */
CHECKED enum err chan_server_take(struct chan_server *server, unsigned *slot,
                                  const void **data, size_t *len,
                                  struct why *why);

/* Answer it (copied; at most MSG_REPLY_MAX bytes, else ERR_RANGE and it may be
 * answered again). That the peer is gone is not an error. */
CHECKED enum err chan_server_answer(struct chan_server *server, unsigned slot,
                                    const void *data, size_t len,
                                    struct why *why);

#endif
