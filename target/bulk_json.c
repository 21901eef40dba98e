/* Strings are most of a document, so they are scanned 16 bytes at a time for
 * what ends them or needs a closer look: a quote, a backslash, a control
 * character, a byte above 0x7f. The structure is a loop over values with a bit
 * per level that tells objects from arrays.
 *
 * The common path is inlined into one function over a cursor of its own, which
 * the compiler can then keep in registers; what is rare gets a copy of it. */
#include "target/bulk_json.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

INLINE bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

void bulk_json_blanks(struct bulk_cursor *c)
{
    while (c->p < c->end && is_blank(*c->p))
        c->p++;
}

/* The first byte of [p, end) that is not plain inside a string. */
INLINE const uint8_t *plain_end(const struct bulk_cursor *c)
{
    const uint8_t *p = c->p;
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
    const __m128i space = _mm_set1_epi8(0x20);
    for (; p < c->end && c->safe - p >= 16; p += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
        /* Signed: bytes above 0x7f are less than 0x20 as well. */
        __m128i stop = _mm_or_si128(
            _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, slash)),
            _mm_cmplt_epi8(v, space));
        unsigned mask = (unsigned)_mm_movemask_epi8(stop);
        if (mask) {
            p += (unsigned)__builtin_ctz(mask);
            return p < c->end ? p : c->end;
        }
    }
    if (p > c->end)
        p = c->end;
#endif
    while (p < c->end && *p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\')
        p++;
    return p;
}

/* A sequence above 0x7f at c->p (RFC 3629: no overlong forms, no surrogates,
 * nothing above U+10FFFF). */
static enum bulk_json utf8(struct bulk_cursor *c)
{
    const uint8_t *p = c->p;
    size_t left = (size_t)(c->end - p);
    uint8_t lead = p[0];
    unsigned more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    if (lead < 0xc2 || lead > 0xf4)
        return BULK_JSON_UTF8;
    if (left <= more)
        return BULK_JSON_END;
    for (unsigned i = 1; i <= more; i++)
        if ((p[i] & 0xc0) != 0x80)
            return BULK_JSON_UTF8;
    if ((lead == 0xe0 && p[1] < 0xa0) || (lead == 0xed && p[1] > 0x9f) ||
        (lead == 0xf0 && p[1] < 0x90) || (lead == 0xf4 && p[1] > 0x8f))
        return BULK_JSON_UTF8;
    c->p += more + 1;
    return BULK_JSON_OK;
}

/* Four hexadecimal digits at c->p. */
static enum bulk_json hex4(struct bulk_cursor *c, unsigned *value)
{
    *value = 0;
    for (int i = 0; i < 4; i++, c->p++) {
        if (c->p == c->end)
            return BULK_JSON_END;
        uint8_t d = *c->p, low = d | 0x20;
        if (d >= '0' && d <= '9')
            *value = *value * 16 + d - '0';
        else if (low >= 'a' && low <= 'f')
            *value = *value * 16 + low - 'a' + 10;
        else
            return BULK_JSON_ESCAPE;
    }
    return BULK_JSON_OK;
}

/* A \uXXXX behind the u; surrogates come in pairs. */
static enum bulk_json unicode(struct bulk_cursor *c)
{
    unsigned high, low;
    enum bulk_json e = hex4(c, &high);
    if (e || high < 0xd800 || high > 0xdfff)
        return e;
    if (high > 0xdbff)
        return BULK_JSON_ESCAPE;
    if (c->end - c->p < 2)
        return BULK_JSON_END;
    if (c->p[0] != '\\' || c->p[1] != 'u')
        return BULK_JSON_ESCAPE;
    c->p += 2;
    e = hex4(c, &low);
    if (e)
        return e;
    return low >= 0xdc00 && low <= 0xdfff ? BULK_JSON_OK : BULK_JSON_ESCAPE;
}

/* An escape at c->p. */
static enum bulk_json escape(struct bulk_cursor *c)
{
    if (c->end - c->p < 2)
        return BULK_JSON_END;
    uint8_t kind = c->p[1];
    switch (kind) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        c->p += 2;
        return BULK_JSON_OK;
    case 'u':
        c->p += 2;
        return unicode(c);
    default:
        return BULK_JSON_ESCAPE;
    }
}

/* What is not plain at c->p and no quote. */
static __attribute__((noinline)) enum bulk_json special(struct bulk_cursor *c)
{
    if (*c->p < 0x20)
        return BULK_JSON_CONTROL;
    return *c->p == '\\' ? escape(c) : utf8(c);
}

/* Behind an opening quote. */
INLINE enum bulk_json string(struct bulk_cursor *c)
{
    for (;;) {
        c->p = plain_end(c);
        if (c->p == c->end)
            return BULK_JSON_END;
        if (*c->p == '"') {
            c->p++;
            return BULK_JSON_OK;
        }
        struct bulk_cursor copy = *c;
        enum bulk_json e = special(&copy);
        c->p = copy.p;
        if (e)
            return e;
    }
}

enum bulk_json bulk_json_string(struct bulk_cursor *c)
{
    struct bulk_cursor own = *c;
    enum bulk_json e = string(&own);
    c->p = own.p;
    return e;
}

INLINE bool digits(struct bulk_cursor *c)
{
    const uint8_t *from = c->p;
    while (c->p < c->end && *c->p >= '0' && *c->p <= '9')
        c->p++;
    return c->p > from;
}

INLINE bool at(const struct bulk_cursor *c, uint8_t a, uint8_t b)
{
    return c->p < c->end && (*c->p == a || *c->p == b);
}

INLINE enum bulk_json number(struct bulk_cursor *c)
{
    if (*c->p == '-')
        c->p++;
    if (at(c, '0', '0'))
        c->p++;
    else if (!digits(c))
        return BULK_JSON_NUMBER;
    if (at(c, '0', '9') || (c->p<c->end && * c->p> '0' && *c->p < '9'))
        return BULK_JSON_NUMBER; /* 01 */
    if (at(c, '.', '.')) {
        c->p++;
        if (!digits(c))
            return BULK_JSON_NUMBER;
    }
    if (at(c, 'e', 'E')) {
        c->p++;
        if (at(c, '+', '-'))
            c->p++;
        if (!digits(c))
            return BULK_JSON_NUMBER;
    }
    return BULK_JSON_OK;
}

INLINE enum bulk_json word(struct bulk_cursor *c, const char *text)
{
    for (; *text; text++, c->p++) {
        if (c->p == c->end)
            return BULK_JSON_END;
        if (*c->p != (uint8_t)*text)
            return BULK_JSON_SYNTAX;
    }
    return BULK_JSON_OK;
}

INLINE enum bulk_json scalar(struct bulk_cursor *c)
{
    switch (*c->p) {
    case '"':
        c->p++;
        return string(c);
    case 't':
        return word(c, "true");
    case 'f':
        return word(c, "false");
    case 'n':
        return word(c, "null");
    default:
        if (*c->p == '-' || (*c->p >= '0' && *c->p <= '9'))
            return number(c);
        return BULK_JSON_SYNTAX;
    }
}

/* Blanks, then a byte, which is returned without passing it; -1: the end. */
INLINE int next(struct bulk_cursor *c)
{
    while (c->p < c->end && is_blank(*c->p))
        c->p++;
    return c->p < c->end ? *c->p : -1;
}

/* A member's name and colon. */
INLINE enum bulk_json name(struct bulk_cursor *c)
{
    int b = next(c);
    if (b != '"')
        return b < 0 ? BULK_JSON_END : BULK_JSON_SYNTAX;
    c->p++;
    enum bulk_json e = string(c);
    if (e)
        return e;
    b = next(c);
    if (b != ':')
        return b < 0 ? BULK_JSON_END : BULK_JSON_SYNTAX;
    c->p++;
    return BULK_JSON_OK;
}

struct levels {
    uint64_t is_object[BULK_JSON_DEPTH_MAX / 64];
    unsigned depth;
};

INLINE bool in_object(const struct levels *l)
{
    unsigned i = l->depth - 1;
    return l->is_object[i / 64] >> i % 64 & 1;
}

INLINE enum bulk_json open(struct levels *l, bool object)
{
    if (l->depth == BULK_JSON_DEPTH_MAX)
        return BULK_JSON_DEPTH;
    uint64_t bit = 1ull << l->depth % 64, *word64 = l->is_object;
    word64 += l->depth / 64;
    *word64 = object ? *word64 | bit : *word64 & ~bit;
    l->depth++;
    return BULK_JSON_OK;
}

/* Close levels and pass a comma, until a value follows or all are closed. */
INLINE enum bulk_json after_value(struct bulk_cursor *c, struct levels *l)
{
    while (l->depth) {
        bool object = in_object(l);
        int b = next(c);
        if (b == ',') {
            c->p++;
            return object ? name(c) : BULK_JSON_OK;
        }
        if (b != (object ? '}' : ']'))
            return b < 0 ? BULK_JSON_END : BULK_JSON_SYNTAX;
        c->p++;
        l->depth--;
    }
    return BULK_JSON_OK;
}

/* An opening bracket was seen: pass it and, if the container is not empty, a
 * first name. */
INLINE enum bulk_json enter(struct bulk_cursor *c, struct levels *l, bool *leaf)
{
    bool object = *c->p == '{';
    enum bulk_json e = open(l, object);
    if (e)
        return e;
    c->p++;
    *leaf = next(c) == (object ? '}' : ']');
    return *leaf || !object ? BULK_JSON_OK : name(c);
}

INLINE enum bulk_json value(struct bulk_cursor *c)
{
    struct levels l;
    l.depth = 0;
    do {
        int b = next(c);
        bool leaf = true;
        enum bulk_json e;
        if (b < 0)
            return BULK_JSON_END;
        e = b == '{' || b == '[' ? enter(c, &l, &leaf) : scalar(c);
        if (!e && leaf)
            e = after_value(c, &l);
        if (e)
            return e;
    } while (l.depth);
    return BULK_JSON_OK;
}

enum bulk_json bulk_json_value(struct bulk_cursor *c)
{
    struct bulk_cursor own = *c;
    enum bulk_json e = value(&own);
    c->p = own.p;
    return e;
}

enum bulk_json bulk_json_document(struct bulk_cursor *c)
{
    int b = next(c);
    if (b < 0)
        return BULK_JSON_EMPTY;
    enum bulk_json e = bulk_json_value(c);
    if (e)
        return e;
    if (next(c) >= 0)
        return BULK_JSON_TRAILING;
    return b == '{' ? BULK_JSON_OK : BULK_JSON_NO_OBJECT;
}

const char *bulk_json_text(enum bulk_json fault)
{
    static const char *const texts[] = {
        [BULK_JSON_OK] = "ok",
        [BULK_JSON_EMPTY] = "the document is empty",
        [BULK_JSON_SYNTAX] = "unexpected character",
        [BULK_JSON_END] = "unexpected end of the document",
        [BULK_JSON_UTF8] = "invalid UTF-8 in a string",
        [BULK_JSON_ESCAPE] = "invalid escape in a string",
        [BULK_JSON_CONTROL] = "control character in a string",
        [BULK_JSON_NUMBER] = "malformed number",
        [BULK_JSON_DEPTH] = "more than 256 levels",
        [BULK_JSON_TRAILING] = "text after the document's end",
        [BULK_JSON_NO_OBJECT] = "not an object"};
    return texts[fault];
}
