#include "common/cert_key.h"

#include <errno.h>
#include <mbedtls/error.h>
#include <mbedtls/version.h>
#include <string.h>
#include <sys/random.h>

int cert_key_random(void *unused, unsigned char *out, size_t len)
{
    (void)unused;
    while (len > 0) {
        ssize_t n = getrandom(out, len < 256 ? len : 256, 0);
        if (n < 0 && errno != EINTR)
            return MBEDTLS_ERR_PK_ALLOC_FAILED;
        if (n > 0) {
            out += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

static int parse(mbedtls_pk_context *key, const char *pem)
{
    const unsigned char *text = (const unsigned char *)pem;
#if MBEDTLS_VERSION_MAJOR < 3
    return mbedtls_pk_parse_key(key, text, strlen(pem) + 1, NULL, 0);
#else
    return mbedtls_pk_parse_key(key, text, strlen(pem) + 1, NULL, 0,
                                cert_key_random, NULL);
#endif
}

enum err cert_key_read(mbedtls_pk_context *key, const char *pem,
                       struct why *why)
{
    int rv = parse(key, pem);
    if (rv == MBEDTLS_ERR_PK_PASSWORD_REQUIRED)
        return err_set(why, ERR_INVALID,
                       "the key has a passphrase; accepted: one without");
    return rv ? cert_key_err(why, ERR_INVALID, rv, "not a private key in PEM")
              : ERR_OK;
}

enum err cert_key_err(struct why *why, enum err e, int rv, const char *what)
{
    char text[160] = "";
    mbedtls_strerror(rv, text, sizeof text);
    if (rv == MBEDTLS_ERR_PK_ALLOC_FAILED)
        e = ERR_NOMEM;
    return err_set(why, e, "%s: %s", what, text);
}
