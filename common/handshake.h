/* Trying a tls+tcp connection as a controller does, to tell why it fails: NNG's
 * dialer in the background says nothing. The probe also learns the agent's
 * certificate. */
#ifndef PITWALL_COMMON_HANDSHAKE_H
#define PITWALL_COMMON_HANDSHAKE_H

#include "common/creds.h"

/* Over a connected non-blocking socket, which stays the caller's: TLS 1.2 with
 * our credentials, expecting the agent called name, then SP's greeting both
 * ways, then TLS's end. *peer (NULL: not wanted) is what its certificate says,
 * also when it is refused, and empty when there was none.
 * Errors  ERR_PERMISSION: the agent's certificate is not accepted here, or ours
 *         not there; ERR_PROTOCOL: no TLS, or no agent; ERR_TIMEOUT: due_ns
 *         (CLOCK_MONOTONIC) has passed; ERR_NOMEM. The text does not name the
 *         agent's address. */
CHECKED enum err handshake_greet(int fd, const struct creds *creds,
                                 const char *name, uint64_t due_ns,
                                 struct cert *peer, struct why *why);

#endif
