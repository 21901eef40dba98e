/* Sockets without NNG, which speak as much of the SP protocol as a test wants.
 */
#ifndef PITWALL_TESTS_UNIT_CHAN_RAW_H
#define PITWALL_TESTS_UNIT_CHAN_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A raw connection to url, or a raw listener at it; file descriptors. */
int raw_connect(const char *url);
int raw_listen(const char *url);

/* Write all; false when the peer has closed. */
bool raw_write(int fd, const void *data, size_t len);

/* Read exactly len bytes; false when the peer closes before. */
bool raw_read(int fd, void *data, size_t len);

/* SP's greeting of a REQ (0x30) or REP (0x31) peer, 8 bytes. */
void raw_greeting(uint8_t out[8], uint8_t protocol);

/* Header of an ipc message of len bytes: 1, then len, big-endian. */
void raw_frame(uint8_t out[9], uint64_t len);

#endif
