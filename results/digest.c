#include "results/digest.h"

#include <mbedtls/md.h>
#include <stdio.h>

#define DIGEST_BYTES 32u

enum err digest(const void *data, size_t bytes, char hex[DIGEST_HEX_SIZE],
                struct why *why)
{
    unsigned char out[DIGEST_BYTES];
    hex[0] = '\0';
    if (mbedtls_md(mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), data, bytes,
                   out))
        return err_set(why, ERR_INTERNAL, "SHA-256 of %zu bytes failed", bytes);
    for (size_t i = 0; i < DIGEST_BYTES; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", out[i]);
    return ERR_OK;
}
