#include "tracks/draw.h"

#include <string.h>

struct rand draw_begin(uint64_t seed, uint64_t i)
{
    /* Streams of neighbouring documents must not be one stream shifted, so the
     * document's number is mixed in by a draw of its own. */
    struct rand r = {seed};
    r.state = rand_next(&r) ^ (i * 0xd1342543de82ef95u);
    r.state = rand_next(&r);
    return r;
}

size_t draw_weighted(struct rand *r, const uint16_t *weights, size_t n)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += weights[i];
    uint64_t x = rand_bounded(r, total);
    size_t i = 0;
    while (x >= weights[i])
        x -= weights[i++];
    return i;
}

uint64_t draw_quantile(struct rand *r, const uint32_t *quantiles)
{
    uint64_t x = rand_bounded(r, (uint64_t)(DRAW_QUANTILES - 1) << 16);
    uint64_t from = quantiles[x >> 16], to = quantiles[(x >> 16) + 1];
    return from + ((to - from) * (x & 0xffff) >> 16);
}

void draw_put(struct draw_out *o, const char *text)
{
    size_t len = strlen(text);
    memcpy(o->at, text, len);
    o->at += len;
}

void draw_put_u64(struct draw_out *o, uint64_t v)
{
    char digits[20];
    size_t n = 0;
    do {
        digits[n++] = (char)('0' + v % 10);
    } while (v /= 10);
    while (n)
        *o->at++ = digits[--n];
}

void draw_put_digits(struct draw_out *o, uint64_t v, unsigned digits)
{
    for (unsigned i = digits; i; i--) {
        o->at[i - 1] = (char)('0' + v % 10);
        v /= 10;
    }
    o->at += digits;
}

void draw_put_decimal(struct draw_out *o, int64_t v, uint64_t unit)
{
    unsigned digits = 0;
    for (uint64_t u = unit; u > 1; u /= 10)
        digits++;
    if (v < 0)
        *o->at++ = '-';
    uint64_t size = v < 0 ? (uint64_t)-v : (uint64_t)v;
    draw_put_u64(o, size / unit);
    *o->at++ = '.';
    draw_put_digits(o, size % unit, digits);
}
