/* Requests and replies between the controller and agents over NNG (REQ/REP):
 * the sole owner of <nng/...>. One request in flight per channel, every wait
 * with a deadline on CLOCK_MONOTONIC (NNG 1.5.2 times by the wall clock), and
 * no trust in NNG's own reconnection or resending (control.md section 1).
 *
 * URLs: ipc:///path, tcp://host:port (only where the caller says plain is
 * allowed). tls+tcp:// is refused by name until the control plane has it. */
#ifndef PITWALL_COMMON_CHAN_H
#define PITWALL_COMMON_CHAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct chan;
struct chan_server;

/* Connect to url. plain_ok: tcp:// is allowed (--insecure-plain). The first
 * connection is made here, so that its true failure is told.
 * Errors  ERR_REFUSED, ERR_NOTFOUND (no such socket), ERR_TIMEOUT (timeout_ns),
 *         ERR_USAGE (a URL that is not accepted, or plain tcp without leave).
 * Owns    *out is the caller's, for chan_close; NULL on failure. */
CHECKED enum err chan_dial(struct chan **out, const char *url, bool plain_ok,
                           uint64_t timeout_ns, struct why *why);
void chan_close(struct chan *chan);

/* Send one request (copied; at most MSG_REQUEST_MAX bytes, else ERR_RANGE
 * before anything is sent). ERR_BUSY while one is outstanding. A lost
 * connection is dialled anew first, within timeout_ns, which also bounds the
 * wait for the answer. */
CHECKED enum err chan_submit(struct chan *chan, const void *data, size_t len,
                             uint64_t timeout_ns, struct why *why);

/* File descriptor that is readable when chan_result will not say ERR_AGAIN.
 * The deadline of chan_submit has to be kept by the caller's poll: call
 * chan_result when chan_due_ns has passed. */
int chan_fd(const struct chan *chan);
uint64_t chan_due_ns(const struct chan *chan);

/* Take the answer: *data is valid until the next chan_submit or chan_close.
 * ERR_AGAIN: none yet; ERR_TIMEOUT: the deadline has passed; ERR_GONE: the
 * connection broke. After a failure the next chan_submit dials anew. */
CHECKED enum err chan_result(struct chan *chan, const void **data, size_t *len,
                             struct why *why);

/* chan_submit, wait, chan_result. */
CHECKED enum err chan_call(struct chan *chan, const void *request,
                           size_t request_len, uint64_t timeout_ns,
                           const void **reply, size_t *reply_len,
                           struct why *why);

/* Listen on url, at most MSG_REQUEST_MAX bytes a request, 4 requests at once.
 * mode: permissions of an ipc socket. ERR_BUSY: address in use. */
CHECKED enum err chan_listen(struct chan_server **out, const char *url,
                             bool plain_ok, unsigned mode, struct why *why);
void chan_server_close(struct chan_server *server);

/* Readable when chan_server_take has a request. */
int chan_server_fd(const struct chan_server *server);

/* Take one request: *slot names it for the answer, *data is valid until then.
 * ERR_AGAIN: none. */
CHECKED enum err chan_server_take(struct chan_server *server, unsigned *slot,
                                  const void **data, size_t *len,
                                  struct why *why);

/* Answer it (copied). That the peer is gone is not an error. */
CHECKED enum err chan_server_answer(struct chan_server *server, unsigned slot,
                                    const void *data, size_t len,
                                    struct why *why);

#endif
