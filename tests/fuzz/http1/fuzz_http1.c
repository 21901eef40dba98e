/* The same bytes, whole and cut, to parsers of both kinds: the same events. The
 * first byte gives the length of the pieces and whether a body is expected. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/crc.h"
#include "common/http1.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A sum of all items; pieces of one item follow one another in it. */
struct sum {
    uint32_t crc;
    char item;
};

static bool put(struct sum *sum, char item, const void *data, size_t len)
{
    if (item != sum->item || !strchr("TNVB", item))
        sum->crc = crc32c(sum->crc, &item, 1);
    sum->item = item;
    sum->crc = crc32c(sum->crc, data, len);
    return true;
}

static bool begin(void *ctx)
{
    return put(ctx, '<', "", 0);
}

static bool target(void *ctx, const char *data, size_t len)
{
    return put(ctx, 'T', data, len);
}

static bool name(void *ctx, const char *data, size_t len)
{
    return put(ctx, 'N', data, len);
}

static bool value(void *ctx, const char *data, size_t len)
{
    return put(ctx, 'V', data, len);
}

static bool head(void *ctx, const struct http1_head *h)
{
    uint64_t facts[] = {h->method, h->status, h->content_length, h->keep_alive,
                        h->chunked};
    return put(ctx, 'H', facts, sizeof facts);
}

static bool body(void *ctx, const char *data, size_t len)
{
    return put(ctx, 'B', data, len);
}

static bool end(void *ctx)
{
    return put(ctx, '>', "", 0);
}

static const struct http1_events events = {begin, target, name, value,
                                           head,  body,   end};

static enum err feed(enum http1_kind kind, bool no_body, const uint8_t *data,
                     size_t size, size_t step, struct sum *sum)
{
    struct http1 *h = http1_new(kind, &events, sum);
    if (!h)
        abort();
    if (no_body)
        http1_expect_no_body(h);
    struct why why = {0};
    enum err e = ERR_OK;
    for (size_t at = 0; at < size && !e; at += step) {
        size_t n = step < size - at ? step : size - at;
        char *piece = malloc(n);
        if (!piece)
            abort();
        memcpy(piece, data + at, n);
        e = http1_feed(h, piece, n, &why);
        free(piece);
    }
    if (!e)
        e = http1_feed(h, "", 0, &why);
    if (e && !why.text[0])
        abort();
    http1_free(h);
    return e;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    bool no_body = data[0] & 128;
    size_t step = 1 + (data[0] & 127);
    for (int kind = HTTP1_REQUEST; kind <= HTTP1_RESPONSE; kind++) {
        struct sum whole = {0}, cut = {0};
        enum http1_kind k = (enum http1_kind)kind;
        enum err e = feed(k, no_body, data + 1, size - 1, size, &whole);
        if (feed(k, no_body, data + 1, size - 1, step, &cut) != e)
            abort();
        /* what an item held before the fault may depend on the cuts */
        if (!e && whole.crc != cut.crc)
            abort();
    }
    return 0;
}
