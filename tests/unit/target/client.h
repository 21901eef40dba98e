/* A client that talks to a running target over loopback. */
#ifndef PITWALL_TESTS_UNIT_TARGET_CLIENT_H
#define PITWALL_TESTS_UNIT_TARGET_CLIENT_H

#include "tests/unit/target/running.h"

/* A connection to it; client_dial: -1 when it does not listen any more. */
int client_connect(const struct running *r);
int client_dial(const struct running *r);

/* Send len bytes; false when the peer is gone. */
bool client_send(int fd, const char *data, size_t len);

/* Send a request with a body. */
void client_request(int fd, const char *method, const char *target,
                    const char *body, size_t len);

/* Receive one response: its status and its body (malloc'ed into *body unless
 * body is NULL). 0: the connection ended. */
unsigned client_response(int fd, char **body);

/* One request on a connection of its own; its status. */
unsigned client_once(const struct running *r, const char *method,
                     const char *target, const char *body);

#endif
