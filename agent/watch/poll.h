/* HTTP to the target, one exchange at a time and never waited for: the sole
 * owner of <curl/...> in the watch. Waiting for anything else as well goes
 * through poll_wait, since curl waits for its own descriptors. */
#ifndef PITWALL_AGENT_WATCH_POLL_H
#define PITWALL_AGENT_WATCH_POLL_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define POLL_BODY_MAX (256u << 10)

struct poll;

/* base: "http://HOST:PORT", copied. No proxy, no redirect, no signal.
 * Owns: *out, for poll_close; NULL on failure. */
CHECKED enum err poll_open(struct poll **out, const char *base,
                           struct why *why);
void poll_close(struct poll *poll);

/* Begin GET base/path (body NULL) or POST of body as JSON (copied by curl).
 * ERR_BUSY: one is under way. */
CHECKED enum err poll_begin(struct poll *poll, const char *path,
                            const char *body, unsigned timeout_ms,
                            struct why *why);

/* Wait until fd is readable, the exchange has moved on, or timeout_ms is over;
 * poll may be NULL: fd alone is waited for. */
void poll_wait(struct poll *poll, int fd, int timeout_ms);

/* Move the exchange on and take its end: *status and *body[*len] (valid until
 * the next poll_begin).
 * Errors  ERR_AGAIN: under way, or none was begun; ERR_REFUSED, ERR_TIMEOUT,
 *         ERR_GONE; ERR_RANGE: more than POLL_BODY_MAX bytes came
 *         (*status is set); else ERR_IO. After any but ERR_AGAIN the next may
 * begin. */
CHECKED enum err poll_end(struct poll *poll, long *status, const char **body,
                          size_t *len, struct why *why);

/* What came last, also of an answer that was too long: at most POLL_BODY_MAX
 * bytes, valid until the next poll_begin. */
const char *poll_body(const struct poll *poll, size_t *len);

/* Local port of the connection that is held now, 0 when there is none. */
uint16_t poll_local_port(const struct poll *poll);

#endif
