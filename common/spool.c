#include "common/spool.h"

#include <string.h>

#include "common/crc.h"

#define CRC_AT 4u

const char *spool_stream_name(enum spool_stream stream)
{
    static const char *const names[] = {
#define X(name, text) [SPOOL_##name] = text,
        SPOOL_STREAMS(X)
#undef X
    };
    return stream > SPOOL_NONE && stream < SPOOL_STREAM_LAST ? names[stream]
                                                             : "unknown";
}

static void put(uint8_t *at, uint64_t v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        at[i] = (uint8_t)(v >> (8 * i));
}

static uint64_t get(const uint8_t *at, size_t n)
{
    uint64_t v = 0;
    while (n--)
        v = v << 8 | at[n];
    return v;
}

static uint32_t checksum(const uint8_t header[SPOOL_HEADER_BYTES],
                         const void *payload, size_t len)
{
    uint8_t zeroed[SPOOL_HEADER_BYTES];
    memcpy(zeroed, header, sizeof zeroed);
    memset(zeroed + CRC_AT, 0, 4);
    return crc32c(crc32c(0, zeroed, sizeof zeroed), payload, len);
}

void spool_header_make(uint8_t out[SPOOL_HEADER_BYTES],
                       enum spool_stream stream, uint64_t seq,
                       const void *payload, uint32_t len)
{
    memset(out, 0, SPOOL_HEADER_BYTES);
    put(out, len, 4);
    put(out + 8, seq, 8);
    out[16] = (uint8_t)stream;
    out[17] = SPOOL_VERSION;
    put(out + CRC_AT, checksum(out, payload, len), 4);
}

static enum err corrupt(struct why *why, uint64_t seq, const char *what,
                        uint64_t found)
{
    return err_set(why, ERR_CORRUPT, "spool record %llu: %s %llu",
                   (unsigned long long)seq, what, (unsigned long long)found);
}

enum err spool_record_read(const uint8_t *data, size_t len, uint64_t seq,
                           struct spool_header *h, const uint8_t **payload,
                           struct why *why)
{
    if (len < SPOOL_HEADER_BYTES)
        return err_set(why, ERR_AGAIN, "spool record %llu: cut short",
                       (unsigned long long)seq);
    *h = (struct spool_header){.len = (uint32_t)get(data, 4),
                               .crc = (uint32_t)get(data + CRC_AT, 4),
                               .seq = get(data + 8, 8),
                               .stream = data[16],
                               .version = data[17]};
    if (h->version != SPOOL_VERSION)
        return corrupt(why, seq, "unknown version", h->version);
    if (h->len > SPOOL_RECORD_MAX)
        return corrupt(why, seq, "too long:", h->len);
    if (h->stream == SPOOL_NONE || h->stream >= SPOOL_STREAM_LAST)
        return corrupt(why, seq, "unknown stream", h->stream);
    if (h->seq != seq)
        return corrupt(why, seq, "out of sequence:", h->seq);
    if (get(data + 18, 2))
        return corrupt(why, seq, "reserved bytes are", get(data + 18, 2));
    if (len - SPOOL_HEADER_BYTES < h->len)
        return err_set(why, ERR_AGAIN, "spool record %llu: cut short",
                       (unsigned long long)seq);
    if (checksum(data, data + SPOOL_HEADER_BYTES, h->len) != h->crc)
        return corrupt(why, seq, "checksum is not", h->crc);
    *payload = data + SPOOL_HEADER_BYTES;
    return ERR_OK;
}
