/* One TCP connection to the target, as every engine makes it: without Nagle's
 * delay, with the congestion control that was asked for. */
#ifndef PITWALL_LOAD_DIAL_H
#define PITWALL_LOAD_DIAL_H

#include "load/address.h"

/* A non-blocking TCP socket of this family, set up but not connected;
 * congestion NULL: the system's. -1 and errno. */
int dial_socket(int family, const char *congestion);

/* Begin to connect such a socket; when it can be written, dial_result
 * tells. Returns the descriptor, the caller's to close; -1 and errno when it
 * failed at once. */
int dial_begin(const struct sockaddr *to, socklen_t len,
               const char *congestion);

/* 0 when it is connected, else errno. */
int dial_result(int fd);

/* Connect and wait for it, at most 5 s.
 * Errors  ERR_REFUSED, ERR_TIMEOUT and others ("connect 127.0.0.1:1: ...");
 *         ERR_INVALID: no such congestion control. Owns: *fd, the caller's. */
CHECKED enum err dial(int *fd, const struct address *to, const char *congestion,
                      struct why *why);

#endif
