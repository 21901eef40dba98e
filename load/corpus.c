#include "load/corpus.h"

#include <assert.h>
#include <mbedtls/md.h>
#include <stdlib.h>

#define DIGEST_BYTES 32

struct corpus_hash {
    mbedtls_md_context_t md;
};

enum err corpus_hash_new(struct corpus_hash **out, struct why *why)
{
    *out = NULL;
    struct corpus_hash *h = calloc(1, sizeof *h);
    if (!h)
        return err_set(why, ERR_NOMEM, "hash: out of memory");
    mbedtls_md_init(&h->md);
    if (mbedtls_md_setup(&h->md, mbedtls_md_info_from_type(MBEDTLS_MD_SHA256),
                         0) ||
        mbedtls_md_starts(&h->md)) {
        corpus_hash_free(h);
        return err_set(why, ERR_NOMEM, "hash: mbedTLS has no SHA-256 for us");
    }
    *out = h;
    return ERR_OK;
}

void corpus_hash_free(struct corpus_hash *h)
{
    if (!h)
        return;
    mbedtls_md_free(&h->md);
    free(h);
}

void corpus_hash_add(struct corpus_hash *h, const void *data, size_t len)
{
    int e = mbedtls_md_update(&h->md, data, len);
    assert(!e); /* it fails for a context that was not started */
}

void corpus_hash_end(struct corpus_hash *h, char hex[CORPUS_HEX_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[DIGEST_BYTES];
    int e = mbedtls_md_finish(&h->md, digest);
    assert(!e);
    for (size_t i = 0; i < DIGEST_BYTES; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[2 * DIGEST_BYTES] = 0;
}
