/* Reading private keys, in which mbedTLS 2 and 3 differ; for those that use
 * that library (cert.c, handshake.c, controller/ca.c). */
#ifndef PITWALL_COMMON_CERT_KEY_H
#define PITWALL_COMMON_CERT_KEY_H

#include <mbedtls/pk.h>

#include "common/err.h"

/* Random bytes from the kernel, as mbedTLS calls for them; 0 or its error. */
int cert_key_random(void *unused, unsigned char *out, size_t len);

/* Read a PEM text into key (initialized by the caller, who frees it in any
 * case). ERR_INVALID; the text has nothing of the key. */
CHECKED enum err cert_key_read(mbedtls_pk_context *key, const char *pem,
                               struct why *why);

/* Translate mbedTLS's result: ERR_NOMEM, else e; "what: its text". */
enum err cert_key_err(struct why *why, enum err e, int rv, const char *what);

#endif
