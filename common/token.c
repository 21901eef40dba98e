#include "common/token.h"

#include <math.h>
#include <string.h>

#include "common/text.h"

struct token_reader token_reader(const void *data, size_t len)
{
    const uint8_t *at = data;
    return (struct token_reader){
        .at = at, .end = len ? at + len : at, .nodes = TOKEN_NODES_MAX};
}

const char *token_name(enum token_type type)
{
    static const char *const names[] = {
        [TOKEN_NIL] = "nil",
        [TOKEN_BOOL] = "a truth value",
        [TOKEN_UINT] = "a whole number",
        [TOKEN_INT] = "a negative number",
        [TOKEN_FLOAT] = "a float",
        [TOKEN_STR] = "a text",
        [TOKEN_BIN] = "a blob",
        [TOKEN_ARRAY] = "an array",
        [TOKEN_MAP] = "a map",
    };
    return names[type];
}

static enum err cut(struct why *why)
{
    return err_set(why, ERR_PROTOCOL, "cut short");
}

static size_t left(const struct token_reader *r)
{
    return (size_t)(r->end - r->at);
}

/* A big-endian number of n bytes. */
static enum err number(struct token_reader *r, size_t n, uint64_t *out,
                       struct why *why)
{
    if (left(r) < n)
        return cut(why);
    *out = 0;
    while (n--)
        *out = *out << 8 | *r->at++;
    return ERR_OK;
}

static enum err whole(struct token_reader *r, struct token *t, size_t n,
                      struct why *why)
{
    t->type = TOKEN_UINT;
    return number(r, n, &t->whole, why);
}

static enum err integer(struct token_reader *r, struct token *t, size_t n,
                        struct why *why)
{
    uint64_t v = 0;
    enum err e = number(r, n, &v, why);
    if (e)
        return e;
    unsigned unused = 64 - 8 * (unsigned)n;
    int64_t i = (int64_t)(v << unused) >> unused; /* extends the sign */
    t->type = i < 0 ? TOKEN_INT : TOKEN_UINT;
    t->negative = i < 0 ? i : 0;
    t->whole = i < 0 ? 0 : (uint64_t)i;
    return ERR_OK;
}

static enum err real(struct token_reader *r, struct token *t, size_t n,
                     struct why *why)
{
    uint64_t v = 0;
    enum err e = number(r, n, &v, why);
    if (e)
        return e;
    t->type = TOKEN_FLOAT;
    if (n == 4) {
        float f;
        uint32_t bits = (uint32_t)v;
        memcpy(&f, &bits, sizeof f);
        t->real = f;
    } else {
        memcpy(&t->real, &v, sizeof t->real);
    }
    if (!isfinite(t->real))
        return err_set(why, ERR_PROTOCOL, "a number that is not finite");
    return ERR_OK;
}

static enum err bytes(struct token_reader *r, struct token *t, size_t len,
                      struct why *why)
{
    if (len > left(r))
        return err_set(why, ERR_PROTOCOL, "claims %zu bytes, %zu follow", len,
                       left(r));
    t->data = r->at;
    t->len = len;
    r->at += len;
    if (t->type != TOKEN_STR)
        return ERR_OK;
    size_t good = text_good(t->data, len);
    if (good < len)
        return err_set(why, ERR_PROTOCOL,
                       "a text with the forbidden byte 0x%02x", t->data[good]);
    return ERR_OK;
}

/* STR or BIN whose length takes n bytes. */
static enum err long_bytes(struct token_reader *r, struct token *t,
                           enum token_type type, size_t n, struct why *why)
{
    uint64_t len = 0;
    enum err e = number(r, n, &len, why);
    t->type = type;
    return e ? e : bytes(r, t, (size_t)len, why);
}

static enum err container(struct token_reader *r, struct token *t,
                          enum token_type type, uint64_t count, struct why *why)
{
    t->type = type;
    uint64_t children = type == TOKEN_MAP ? 2 * count : count;
    if (children > left(r))
        return err_set(why, ERR_PROTOCOL,
                       "claims %llu elements, %zu bytes "
                       "follow",
                       (unsigned long long)children, left(r));
    if (children > r->nodes)
        return err_set(why, ERR_PROTOCOL, "more than %d nodes",
                       TOKEN_NODES_MAX);
    t->children = (size_t)children;
    return ERR_OK;
}

static enum err long_container(struct token_reader *r, struct token *t,
                               enum token_type type, size_t n, struct why *why)
{
    uint64_t count = 0;
    enum err e = number(r, n, &count, why);
    return e ? e : container(r, t, type, count, why);
}

/* The formats from 0xc0 to 0xdf. */
static enum err format(struct token_reader *r, struct token *t, uint8_t b,
                       struct why *why)
{
    switch (b) {
    case 0xc0:
        t->type = TOKEN_NIL;
        return ERR_OK;
    case 0xc2:
    case 0xc3:
        t->type = TOKEN_BOOL;
        t->whole = b & 1;
        return ERR_OK;
    case 0xc4:
    case 0xc5:
    case 0xc6:
        return long_bytes(r, t, TOKEN_BIN, (size_t)1 << (b - 0xc4), why);
    case 0xca:
    case 0xcb:
        return real(r, t, b == 0xca ? 4 : 8, why);
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
        return whole(r, t, (size_t)1 << (b - 0xcc), why);
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
        return integer(r, t, (size_t)1 << (b - 0xd0), why);
    case 0xd9:
    case 0xda:
    case 0xdb:
        return long_bytes(r, t, TOKEN_STR, (size_t)1 << (b - 0xd9), why);
    case 0xdc:
    case 0xdd:
        return long_container(r, t, TOKEN_ARRAY, b == 0xdc ? 2 : 4, why);
    case 0xde:
    case 0xdf:
        return long_container(r, t, TOKEN_MAP, b == 0xde ? 2 : 4, why);
    default:
        return err_set(why, ERR_PROTOCOL, "the forbidden type 0x%02x", b);
    }
}

enum err token_next(struct token_reader *r, struct token *t, struct why *why)
{
    *t = (struct token){.type = TOKEN_UINT};
    if (r->at == r->end)
        return cut(why);
    if (!r->nodes)
        return err_set(why, ERR_PROTOCOL, "more than %d nodes",
                       TOKEN_NODES_MAX);
    r->nodes--;
    uint8_t b = *r->at++;
    if (b < 0x80) {
        t->whole = b;
        return ERR_OK;
    }
    if (b < 0x90)
        return container(r, t, TOKEN_MAP, b & 0x0f, why);
    if (b < 0xa0)
        return container(r, t, TOKEN_ARRAY, b & 0x0f, why);
    if (b < 0xc0) {
        t->type = TOKEN_STR;
        return bytes(r, t, b & 0x1f, why);
    }
    if (b < 0xe0)
        return format(r, t, b, why);
    t->type = TOKEN_INT;
    t->negative = (int8_t)b;
    return ERR_OK;
}

enum err token_skip(struct token_reader *r, const struct token *t,
                    unsigned open, struct why *why)
{
    size_t todo[TOKEN_LEVELS_MAX];
    unsigned level = open;
    struct token x = *t;
    for (;;) {
        if (x.type == TOKEN_ARRAY || x.type == TOKEN_MAP) {
            if (level >= TOKEN_LEVELS_MAX)
                return err_set(why, ERR_PROTOCOL, "more than %d levels",
                               TOKEN_LEVELS_MAX);
            todo[level++] = x.children;
        }
        while (level > open && !todo[level - 1])
            level--;
        if (level == open)
            return ERR_OK;
        todo[level - 1]--;
        enum err e = token_next(r, &x, why);
        if (e)
            return e;
    }
}
