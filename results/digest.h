/* SHA-256 of artifacts, as text. Owner of mbedTLS in results. */
#ifndef PITWALL_RESULTS_DIGEST_H
#define PITWALL_RESULTS_DIGEST_H

#include <stddef.h>

#include "common/err.h"

#define DIGEST_HEX_SIZE 65u

/* The digest of data[bytes] in 64 hexadecimal digits, terminated.
 * ERR_INTERNAL: the library refuses. */
CHECKED enum err digest(const void *data, size_t bytes,
                        char hex[DIGEST_HEX_SIZE], struct why *why);

#endif
