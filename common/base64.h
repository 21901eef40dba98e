/* Bytes as base64 text (RFC 4648, with padding). */
#ifndef PITWALL_COMMON_BASE64_H
#define PITWALL_COMMON_BASE64_H

#include <stddef.h>

/* Of len bytes, with the zero at the end. */
#define BASE64_BYTES(len) (((len) + 2) / 3 * 4 + 1)

/* out takes BASE64_BYTES(len). */
void base64_write(char *out, const void *data, size_t len);

#endif
