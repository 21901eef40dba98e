/* ssh://[USER@]HOST[:PORT][/PATH]: the socket of an agent on another machine as
 * one here, through the operator's own ssh, with its own keys, configuration
 * and known hosts. It is a child process of ours, with an argument vector and
 * no shell, and ends with us. */
#ifndef PITWALL_CONTROLLER_TUNNEL_H
#define PITWALL_CONTROLLER_TUNNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

#define TUNNEL_PATH "/var/lib/pitwall/gate/agent.sock" /* without a PATH */

struct tunnel;

/* Where an ssh URL leads. */
struct tunnel_place {
    char host[320]; /* [USER@]HOST, as ssh takes it */
    char port[6];   /* "": ssh's */
    char path[108]; /* of the agent's socket there */
};

/* Whether it begins as one of ssh. */
bool tunnel_is(const char *url);

/* Take one apart. ERR_USAGE says what is accepted; nothing that ssh or its -L
 * could take for something else is. */
CHECKED enum err tunnel_parse(const char *url, struct tunnel_place *out,
                              struct why *why);

/* Start ssh and wait until it has made the socket here.
 * Errors  ERR_USAGE: the URL; ERR_NOTFOUND: no ssh; ERR_REFUSED: it ended, with
 *         its last line; ERR_TIMEOUT: no socket in 20 s.
 * Owns    *out is the caller's, for tunnel_close; NULL on failure. */
CHECKED enum err tunnel_open(struct tunnel **out, const char *url,
                             struct why *why);

/* "ipc://..." of the socket here; valid as long as tunnel. */
const char *tunnel_url(const struct tunnel *tunnel);

/* Whether ssh lives. */
bool tunnel_alive(struct tunnel *tunnel);

/* After its death: start it again, for the same socket, without waiting for
 * it; channels dial until it is there. Errors as tunnel_open. */
CHECKED enum err tunnel_restart(struct tunnel *tunnel, struct why *why);

/* What ssh said last, "" for nothing, into buf (returned). */
const char *tunnel_said(const struct tunnel *tunnel, char *buf, size_t size);

/* End it and remove its socket. Accepts NULL. */
void tunnel_close(struct tunnel *tunnel);

#endif
