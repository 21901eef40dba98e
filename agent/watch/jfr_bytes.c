#include "agent/watch/jfr_bytes.h"

/* How a text is written: the byte before it. */
enum { TEXT_NULL, TEXT_EMPTY, TEXT_POOL, TEXT_UTF8, TEXT_CHARS, TEXT_LATIN1 };

static size_t left(const struct jfr_bytes *b)
{
    return b->bad ? 0 : (size_t)(b->end - b->at);
}

uint8_t jfr_bytes_u8(struct jfr_bytes *b)
{
    if (!left(b)) {
        b->bad = true;
        return 0;
    }
    return *b->at++;
}

/* The hot path of a recording: no call for each byte. */
uint64_t jfr_bytes_number(struct jfr_bytes *b)
{
    const uint8_t *at = b->at, *end = b->bad ? at : b->end;
    uint64_t value = 0;
    for (unsigned shift = 0; at < end; shift += 7) {
        uint8_t byte = *at++;
        if (shift == 56) {
            b->at = at;
            return value | (uint64_t)byte << 56;
        }
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            b->at = at;
            return value;
        }
    }
    b->bad = true;
    return 0;
}

void jfr_bytes_skip(struct jfr_bytes *b, uint64_t n)
{
    if (n > left(b))
        b->bad = true;
    else
        b->at += n;
}

/* A count and a number for each character, which is a byte for those of ASCII;
 * how many, 0 with others among them. */
static uint64_t take_chars(struct jfr_bytes *b)
{
    uint64_t n = jfr_bytes_number(b);
    const uint8_t *from = b->at;
    for (uint64_t i = n; i && !b->bad; i--)
        (void)jfr_bytes_number(b);
    return !b->bad && (uint64_t)(b->at - from) == n ? n : 0;
}

const char *jfr_bytes_text(struct jfr_bytes *b, size_t *len)
{
    uint8_t kind = jfr_bytes_u8(b);
    uint64_t n = 0;
    *len = 0;
    switch (kind) {
    case TEXT_NULL:
    case TEXT_EMPTY:
        break;
    case TEXT_POOL:
        (void)jfr_bytes_number(b);
        break;
    case TEXT_UTF8:
    case TEXT_LATIN1:
        n = jfr_bytes_number(b);
        jfr_bytes_skip(b, n);
        break;
    case TEXT_CHARS:
        n = take_chars(b);
        break;
    default:
        b->bad = true;
    }
    if (b->bad || !n)
        return "";
    *len = (size_t)n;
    return (const char *)b->at - n;
}
