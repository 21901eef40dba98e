/* What the tests of both ends share: addresses of their own, an echo, and raw
 * sockets that speak as much of the SP protocol as a test wants. */
#ifndef PITWALL_TESTS_UNIT_CHAN_PEERS_H
#define PITWALL_TESTS_UNIT_CHAN_PEERS_H

#include <stddef.h>
#include <stdint.h>

#include "common/chan.h"

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

/* A raw connection to url, or a raw listener at it; file descriptors. */
int peers_raw_connect(const char *url);
int peers_raw_listen(const char *url);

/* Write all; false when the peer has closed. */
bool peers_write(int fd, const void *data, size_t len);

/* Read exactly len bytes; false when the peer closes before. */
bool peers_read(int fd, void *data, size_t len);

/* SP's greeting of a REQ (0x30) or REP (0x31) peer, 8 bytes. */
void peers_greeting(uint8_t out[8], uint8_t protocol);

/* Header of an ipc message of len bytes: 1, then len, big-endian. */
void peers_frame(uint8_t out[9], uint64_t len);

#endif
