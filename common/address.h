/* The URLs of the control plane (ipc://PATH, tls+tcp://[NAME@]HOST:PORT,
 * tcp://HOST:PORT) without NNG: which ones are accepted, and why nobody answers
 * at one. */
#ifndef PITWALL_COMMON_ADDRESS_H
#define PITWALL_COMMON_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

#define ADDRESS_NAME_MAX 64u

/* Accept ipc://PATH (at most 107 bytes), tls+tcp://[NAME@]HOST:PORT and, with
 * plain_ok, tcp://HOST:PORT (IPv6 as [::1]); anything else is ERR_USAGE and
 * says what is accepted. */
CHECKED enum err address_check(const char *url, bool plain_ok, struct why *why);

/* Where a tls+tcp URL leads, and which agent's certificate is expected there.
 */
struct address_tls {
    char url[300];                   /* without the name */
    char name[ADDRESS_NAME_MAX + 1]; /* NAME, else HOST */
};

/* Whether it begins as one of tls+tcp. */
bool address_is_tls(const char *url);

/* Take one apart; ERR_USAGE as address_check. */
CHECKED enum err address_tls(const char *url, struct address_tls *out,
                             struct why *why);

/* Connect to an accepted url (of tls+tcp without a name) by due_ns. Errors as
 * address_probe, less what a greeting tells.
 * Owns    *fd is the caller's (non-blocking, close-on-exec), -1 on failure. */
CHECKED enum err address_connect(const char *url, uint64_t due_ns, int *fd,
                                 struct why *why);

/* Connect to an accepted url other than tls+tcp, exchange SP's greeting as a
 * REQ does, and close: why there is no connection. ERR_OK: an agent is there.
 * The system's reason: ERR_REFUSED, ERR_NOTFOUND, ERR_PERMISSION, ...;
 * ERR_PROTOCOL: no REP; ERR_TIMEOUT: due_ns (CLOCK_MONOTONIC) has passed. A
 * host's name is looked up for as long as the system's resolver takes. It
 * greets because a connection that closes without a greeting makes NNG 1.5.2's
 * listener deaf. */
CHECKED enum err address_probe(const char *url, uint64_t due_ns,
                               struct why *why);

#endif
