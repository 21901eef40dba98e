/* The answering end of a channel (chan.h): an agent's. */
#ifndef PITWALL_COMMON_CHAN_SERVER_H
#define PITWALL_COMMON_CHAN_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/creds.h"
#include "common/err.h"

struct chan_server;

/* Listen on url, at most MSG_REQUEST_MAX bytes a request, 4 requests at once.
 * mode: permissions of an ipc socket. The socket's file goes with the server;
 * one that a dead server left is replaced. ERR_BUSY: address in use; ERR_USAGE
 * as chan_dial. Owns: *out is the caller's; NULL on failure. */
CHECKED enum err chan_listen(struct chan_server **out, const char *url,
                             bool plain_ok, unsigned mode, struct why *why);

/* The same on a tls+tcp URL (whose NAME is of no use here): only who shows a
 * certificate of creds->ca for controllers is served. The credentials are
 * copied. */
CHECKED enum err chan_listen_tls(struct chan_server **out, const char *url,
                                 const struct creds *creds, struct why *why);

/* Close it; waits up to half a second for a peer to take its last answer. */
void chan_server_close(struct chan_server *server);

/* Readable when chan_server_take has a request, or has to look after the
 * listener (ipc and tls+tcp, once a second: one that NNG 1.5.2 has made deaf is
 * replaced within two or three, which ends the connections that are there). */
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

/* How many peers are connected, greeted and, where there is TLS, known. */
unsigned chan_server_peers(const struct chan_server *server);

/* How often the listener was deaf and was replaced. */
unsigned chan_server_deaf(const struct chan_server *server);

/* Listen anew, which ends all connections, also those that never spoke and that
 * NNG keeps for ever (control.md N4). After a failure the look after the
 * listener tries again. */
CHECKED enum err chan_server_renew(struct chan_server *server, struct why *why);

#endif
