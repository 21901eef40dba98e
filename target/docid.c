#include "target/docid.h"

#include <string.h>

#include "common/rand.h"

#define BYTES 15u

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
                             "uvwxyz0123456789-_";

static void make_bytes(uint64_t seed, uint32_t shard, uint64_t n,
                       uint8_t to[BYTES])
{
    uint64_t place = (uint64_t)shard << 48 | n;
    struct rand r = {seed ^ place};
    uint64_t check = rand_next(&r);
    for (unsigned i = 0; i < 8; i++)
        to[i] = (uint8_t)(place >> (56 - 8 * i));
    for (unsigned i = 8; i < BYTES; i++)
        to[i] = (uint8_t)(check >> 8 * (i - 8));
}

/* Three bytes are four characters. */
void docid_make(uint64_t seed, uint32_t shard, uint64_t n, char id[DOCID_MADE])
{
    uint8_t bytes[BYTES];
    make_bytes(seed, shard, n, bytes);
    for (unsigned i = 0; i < BYTES / 3; i++) {
        const uint8_t *b = bytes + 3 * i;
        uint32_t three = (uint32_t)b[0] << 16 | (uint32_t)b[1] << 8 | b[2];
        for (unsigned k = 0; k < 4; k++)
            id[4 * i + k] = digits[three >> (18 - 6 * k) & 63];
    }
}

bool docid_read(uint64_t seed, const char *id, size_t len, uint32_t *shard,
                uint64_t *n)
{
    uint64_t place = 0;
    char again[DOCID_MADE];
    if (len != DOCID_MADE)
        return false;
    /* The first eleven characters hold the first eight bytes, and two bits. */
    for (unsigned i = 0; i < 11; i++) {
        const char *digit = id[i] ? strchr(digits, id[i]) : NULL;
        if (!digit)
            return false;
        uint64_t value = (uint64_t)(digit - digits);
        place = i < 10 ? place << 6 | value : place << 4 | value >> 2;
    }
    *shard = (uint32_t)(place >> 48);
    *n = place & 0xffffffffffff;
    docid_make(seed, *shard, *n, again);
    return !memcmp(id, again, sizeof again);
}

uint64_t docid_hash(const char *id, size_t len)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (uint8_t)id[i]) * 1099511628211u;
    struct rand r = {h};
    return rand_next(&r);
}

uint32_t docid_shard(uint64_t seed, const char *id, size_t len,
                     uint32_t n_shards)
{
    uint32_t shard;
    uint64_t n;
    if (docid_read(seed, id, len, &shard, &n) && shard < n_shards)
        return shard;
    return (uint32_t)(docid_hash(id, len) % n_shards);
}
