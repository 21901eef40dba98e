/* What the tests of both ends share: addresses of their own and an echo. */
#ifndef PITWALL_TESTS_UNIT_CHAN_PEERS_H
#define PITWALL_TESTS_UNIT_CHAN_PEERS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/chan.h"
#include "common/chan_server.h"

#define PATIENCE_NS 20000000000ull /* for what must succeed */
#define BRIEFLY_NS  50000000ull    /* for what must not */

/* A fresh ipc:// or tcp:// URL; valid until the next call of the same kind. */
const char *peers_ipc(void);
const char *peers_tcp(void);

/* Dial and listen, which must succeed. */
struct chan *peers_dial(const char *url);
struct chan_server *peers_listen(const char *url);

/* Take the next request, waiting for it; the slot. Fails the test when none
 * comes. */
unsigned peers_take(struct chan_server *server, const void **data, size_t *len);

/* Whether server has no request now or within a little while. */
bool peers_none(struct chan_server *server);

/* Echo whatever server has until chan's outcome is known, and return it; the
 * answer to *data, *len. server may be NULL. */
enum err peers_finish(struct chan *chan, struct chan_server *server,
                      const void **data, size_t *len, struct why *why);

/* One request with its echo, which must succeed. */
void peers_echo(struct chan *chan, struct chan_server *server,
                const char *text);

#endif
