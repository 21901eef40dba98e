/* What both ends of a channel do with NNG; for chan.c and chan_server.c only,
 * which with this are the owners of <nng/...>. */
#ifndef PITWALL_COMMON_CHAN_NNG_H
#define PITWALL_COMMON_CHAN_NNG_H

#include <nng/nng.h>
#include <nng/supplemental/tls/tls.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/creds.h"
#include "common/err.h"

/* A request's id travels inside the message. */
#define CHAN_SP_HEADER_MAX 64u

/* Translate NNG's result to our error, with the text "url: ...". */
enum err chan_nng_err(struct why *why, int rv, const char *url);

/* In a callback: set flag, then make event readable. */
void chan_nng_raise(atomic_bool *flag, int event);

/* Make event unreadable. */
void chan_nng_drain(int event);

/* Wait until event is readable or due_ns (CLOCK_MONOTONIC) has passed. */
void chan_nng_wait(int event, uint64_t due_ns);

/* open(socket) with all signals blocked: the first socket starts NNG's threads,
 * which inherit the mask and must not take our signals (N10). NNG's result. */
CHECKED int chan_nng_open(int (*open)(nng_socket *), nng_socket *socket);

/* nng_close, but not for ever: in 1.5.2 a pipe that is closed between the
 * header and the body of a message never ends, and closing waits for it.
 * False: given up after 2 s; NNG may still use the socket's aios and the
 * arguments of its callbacks, which must not be freed then.
 * Thread  calls nng_close on one of its own, and waits for it. */
CHECKED bool chan_nng_close(nng_socket socket);

/* Of an accepted URL: over TCP, with TLS or without. */
bool chan_nng_is_tcp(const char *url);

/* NNG's settings of TLS 1.2 with these credentials (copied), certificates
 * required of both sides. name: of the agent that a dialer expects; NULL: for a
 * listener. Owns: *out is the caller's, for nng_tls_config_free; NULL on
 * failure. NNG's result. */
CHECKED int chan_nng_tls(nng_tls_config **out, const struct creds *creds,
                         const char *name);

/* A new message of data, at most max bytes, else ERR_RANGE.
 * Owns    *out is the caller's. */
CHECKED enum err chan_nng_copy(nng_msg **out, const void *data, size_t len,
                               size_t max, const char *url, struct why *why);

/* Free a stopped aio (NULL is fine) and the message that it still holds: one
 * that was not sent, or one that nobody took. */
void chan_nng_free(nng_aio *aio, bool holds_msg);

#endif
