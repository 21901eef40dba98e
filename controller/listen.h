/* A listening socket by a numeric address: "127.0.0.1:7480", "[::1]:7480". */
#ifndef PITWALL_CONTROLLER_LISTEN_H
#define PITWALL_CONTROLLER_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

/* Open it; port 0 lets the system choose. url (URL_BYTES) receives
 * "http://127.0.0.1:7480/"; *loopback: only this machine reaches it.
 * Errors  ERR_USAGE: no numeric address with a port. ERR_BUSY: taken.
 *         ERR_PERMISSION and errno's: it cannot be listened on.
 * Owns    *fd, to be closed. */
#define LISTEN_URL_BYTES 96
struct listen {
    int fd;
    bool loopback;
    char url[LISTEN_URL_BYTES];
};
CHECKED enum err listen_open(const char *address, struct listen *out,
                             struct why *why);

#endif
