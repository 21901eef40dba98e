/* The URLs of the control plane (ipc://PATH, tcp://HOST:PORT) without NNG:
 * which ones are accepted, and why nobody answers at one. */
#ifndef PITWALL_COMMON_ADDRESS_H
#define PITWALL_COMMON_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

/* Accept ipc://PATH (at most 107 bytes) and, with plain_ok, tcp://HOST:PORT
 * (IPv6 as [::1]); anything else is ERR_USAGE and says what is accepted. */
CHECKED enum err address_check(const char *url, bool plain_ok, struct why *why);

/* Connect to an accepted url, exchange SP's greeting as a REQ does, and close:
 * why there is no connection. ERR_OK: an agent is there. The system's reason:
 * ERR_REFUSED, ERR_NOTFOUND, ERR_PERMISSION, ...; ERR_PROTOCOL: no REP;
 * ERR_TIMEOUT: due_ns (CLOCK_MONOTONIC) has passed. A host's name is looked up
 * for as long as the system's resolver takes. It greets because a connection
 * that closes without a greeting makes NNG 1.5.2's listener deaf. */
CHECKED enum err address_probe(const char *url, uint64_t due_ns,
                               struct why *why);

#endif
