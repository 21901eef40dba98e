/* Encoding packs field by field with msgpack-c's packer; decoding reads tokens
 * (common/token.h) straight into the struct, in one pass:
 *
 *   map ─► key known?  ─ yes ─► once only, type and range, into the struct
 *              └─ no ─► once only, value passed over
 *
 * so that no input makes objects, and every refusal names its key. */
#include "common/wire.h"

#include <assert.h>
#include <math.h>
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "common/token.h"

#define FIELDS_MAX  64 /* one bit each in `seen` */
#define UNKNOWN_MAX (TOKEN_NODES_MAX / 2)

void wire_buf_free(struct wire_buf *buf)
{
    if (!buf)
        return;
    free(buf->data);
    *buf = (struct wire_buf){0};
}

/* msgpack's way out: append to a wire_buf; -1 without memory. */
static int append(void *to, const char *data, size_t len)
{
    struct wire_buf *buf = to;
    if (len > buf->cap - buf->len) {
        size_t cap = buf->cap ? buf->cap : 256;
        while (cap - buf->len < len)
            cap *= 2;
        uint8_t *grown = realloc(buf->data, cap);
        if (!grown)
            return -1;
        buf->data = grown;
        buf->cap = cap;
    }
    memcpy(buf->data + buf->len, data, len);
    buf->len += len;
    return 0;
}

/* A field's value, read out of its struct. */
struct value {
    uint64_t whole;
    int64_t integer;
    double real;
    struct wire_blob bytes;
};

static enum err value_read(const struct wire_field *f, const void *in,
                           struct value *v, struct why *why)
{
    const char *at = (const char *)in + f->offset;
    uint32_t small = 0;
    *v = (struct value){0};
    switch (f->type) {
    case WIRE_U32:
        memcpy(&small, at, sizeof small);
        v->whole = small;
        break;
    case WIRE_U64:
        memcpy(&v->whole, at, sizeof v->whole);
        break;
    case WIRE_I64:
        memcpy(&v->integer, at, sizeof v->integer);
        break;
    case WIRE_F64:
        memcpy(&v->real, at, sizeof v->real);
        if (!isfinite(v->real))
            return err_set(why, ERR_RANGE, "\"%s\" is not finite", f->name);
        break;
    case WIRE_STR:
        v->bytes.data = (const uint8_t *)at;
        v->bytes.len = strnlen(at, f->max + 1);
        break;
    case WIRE_BLOB:
        memcpy(&v->bytes, at, sizeof v->bytes);
        break;
    }
    if (f->max && v->whole > f->max)
        return err_set(why, ERR_RANGE, "\"%s\" is %llu, at most %llu", f->name,
                       (unsigned long long)v->whole,
                       (unsigned long long)f->max);
    if (v->bytes.len > f->max)
        return err_set(why, ERR_RANGE, "\"%s\" has more than %llu bytes",
                       f->name, (unsigned long long)f->max);
    return ERR_OK;
}

/* Left out of the map: an optional field that says nothing. A float counts as
 * zero by its bits, so that -0.0 travels. */
static bool left_out(const struct wire_field *f, const struct value *v)
{
    uint64_t bits = 0;
    memcpy(&bits, &v->real, sizeof bits);
    return f->need == WIRE_OPT && !v->whole && !v->integer && !bits &&
           !v->bytes.len;
}

static int pack_text(msgpack_packer *pk, struct wire_buf *out, const void *text,
                     size_t len)
{
    if (msgpack_pack_str(pk, len) ||
        msgpack_pack_str_body(pk, len ? text : "", len))
        return -1;
    text_clean(out->data + out->len - len, len);
    return 0;
}

static int pack(msgpack_packer *pk, struct wire_buf *out,
                const struct wire_field *f, const struct value *v)
{
    if (pack_text(pk, out, f->name, strlen(f->name)))
        return -1;
    switch (f->type) {
    case WIRE_U32:
    case WIRE_U64:
        return msgpack_pack_uint64(pk, v->whole);
    case WIRE_I64:
        return msgpack_pack_int64(pk, v->integer);
    case WIRE_F64:
        return msgpack_pack_double(pk, v->real);
    case WIRE_STR:
        return pack_text(pk, out, v->bytes.data, v->bytes.len);
    case WIRE_BLOB:
        return msgpack_pack_bin(pk, v->bytes.len) ||
                       (v->bytes.len &&
                        msgpack_pack_bin_body(pk, v->bytes.data, v->bytes.len))
                   ? -1
                   : 0;
    }
    return -1;
}

enum err wire_encode_with(const struct wire_word *word,
                          const struct wire_field *fields, size_t n_fields,
                          const void *in, struct wire_buf *out, struct why *why)
{
    assert(n_fields <= FIELDS_MAX);
    struct value v;
    size_t before = out->len, pairs = word ? 1 : 0;
    for (size_t i = 0; i < n_fields; i++) {
        enum err e = value_read(&fields[i], in, &v, why);
        if (e)
            return e;
        pairs += !left_out(&fields[i], &v);
    }
    msgpack_packer pk;
    msgpack_packer_init(&pk, out, append);
    int failed = msgpack_pack_map(&pk, pairs);
    if (!failed && word)
        failed = pack_text(&pk, out, word->key, strlen(word->key)) ||
                 pack_text(&pk, out, word->text, strlen(word->text));
    for (size_t i = 0; i < n_fields && !failed; i++) {
        enum err e = value_read(&fields[i], in, &v, why);
        if (!e && !left_out(&fields[i], &v))
            failed = pack(&pk, out, &fields[i], &v);
    }
    if (!failed)
        return ERR_OK;
    out->len = before;
    return err_set(why, ERR_NOMEM, "encode: out of memory");
}

enum err wire_encode(const struct wire_field *fields, size_t n_fields,
                     const void *in, struct wire_buf *out, struct why *why)
{
    return wire_encode_with(NULL, fields, n_fields, in, out, why);
}

static size_t field_bytes(const struct wire_field *f)
{
    switch (f->type) {
    case WIRE_U32:
        return sizeof(uint32_t);
    case WIRE_U64:
        return sizeof(uint64_t);
    case WIRE_I64:
        return sizeof(int64_t);
    case WIRE_F64:
        return sizeof(double);
    case WIRE_STR:
        return (size_t)f->max + 1;
    case WIRE_BLOB:
        return sizeof(struct wire_blob);
    }
    return 0;
}

static void clear(const struct wire_field *fields, size_t n_fields, void *out)
{
    for (size_t i = 0; i < n_fields; i++)
        memset((char *)out + fields[i].offset, 0, field_bytes(&fields[i]));
}

static enum err mistyped(const char *wanted, const struct token *t,
                         struct why *why)
{
    return err_set(why, ERR_PROTOCOL, "is %s, not %s", token_name(t->type),
                   wanted);
}

static enum err store_whole(const struct wire_field *f, const struct token *t,
                            void *at, struct why *why)
{
    if (t->type != TOKEN_UINT)
        return mistyped("a whole number", t, why);
    uint64_t most = f->type == WIRE_U32 ? UINT32_MAX : UINT64_MAX;
    if (f->max && f->max < most)
        most = f->max;
    if (t->whole > most)
        return err_set(why, ERR_PROTOCOL, "is %llu, at most %llu",
                       (unsigned long long)t->whole, (unsigned long long)most);
    uint32_t small = (uint32_t)t->whole;
    if (f->type == WIRE_U32)
        memcpy(at, &small, sizeof small);
    else
        memcpy(at, &t->whole, sizeof t->whole);
    return ERR_OK;
}

static enum err store_integer(const struct token *t, void *at, struct why *why)
{
    if (t->type != TOKEN_UINT && t->type != TOKEN_INT)
        return mistyped("a whole number", t, why);
    if (t->type == TOKEN_UINT && t->whole > INT64_MAX)
        return err_set(why, ERR_PROTOCOL, "is %llu, at most %lld",
                       (unsigned long long)t->whole, (long long)INT64_MAX);
    int64_t v = t->type == TOKEN_INT ? t->negative : (int64_t)t->whole;
    memcpy(at, &v, sizeof v);
    return ERR_OK;
}

static enum err store_real(const struct token *t, void *at, struct why *why)
{
    double v = t->real;
    if (t->type == TOKEN_UINT)
        v = (double)t->whole;
    else if (t->type == TOKEN_INT)
        v = (double)t->negative;
    else if (t->type != TOKEN_FLOAT)
        return mistyped("a number", t, why);
    memcpy(at, &v, sizeof v);
    return ERR_OK;
}

static enum err store_bytes(const struct wire_field *f, const struct token *t,
                            void *at, struct why *why)
{
    if (t->type != (f->type == WIRE_STR ? TOKEN_STR : TOKEN_BIN))
        return mistyped(f->type == WIRE_STR ? "a text" : "a blob", t, why);
    if (t->len > f->max)
        return err_set(why, ERR_PROTOCOL, "has %zu bytes, at most %llu", t->len,
                       (unsigned long long)f->max);
    struct wire_blob blob = {.data = t->data, .len = t->len};
    if (f->type == WIRE_STR)
        memcpy(at, t->data, t->len); /* the rest is zero already */
    else
        memcpy(at, &blob, sizeof blob);
    return ERR_OK;
}

static enum err store(const struct wire_field *f, const struct token *t,
                      void *out, struct why *why)
{
    void *at = (char *)out + f->offset;
    switch (f->type) {
    case WIRE_U32:
    case WIRE_U64:
        return store_whole(f, t, at, why);
    case WIRE_I64:
        return store_integer(t, at, why);
    case WIRE_F64:
        return store_real(t, at, why);
    case WIRE_STR:
    case WIRE_BLOB:
        return store_bytes(f, t, at, why);
    }
    return ERR_OK;
}

/* One decoding under way. */
struct decoder {
    const struct wire_field *fields;
    size_t n_fields;
    void *out;
    struct token_reader reader;
    uint64_t seen; /* a bit per field */
    size_t next;   /* the field behind the last one: writers keep the order */
    size_t n_unknown;
    struct wire_blob unknown[UNKNOWN_MAX]; /* keys */
};

static bool same(const struct wire_blob *a, const struct token *key)
{
    return a->len == key->len && !memcmp(a->data, key->data, a->len);
}

static bool named(const struct wire_field *field, const struct token *key)
{
    return !strncmp(field->name, (const char *)key->data, key->len) &&
           !field->name[key->len];
}

/* The key's field, or n_fields; false when it stood there before. */
static bool key_find(struct decoder *d, const struct token *key, size_t *field)
{
    for (size_t i = 0; i < d->n_fields; i++) {
        size_t at = d->next + i;
        at -= at < d->n_fields ? 0 : d->n_fields;
        if (!named(&d->fields[at], key))
            continue;
        uint64_t bit = 1ull << at;
        bool first = !(d->seen & bit);
        d->seen |= bit;
        d->next = at + 1 < d->n_fields ? at + 1 : 0;
        *field = at;
        return first;
    }
    *field = d->n_fields;
    for (size_t i = 0; i < d->n_unknown; i++)
        if (same(&d->unknown[i], key))
            return false;
    d->unknown[d->n_unknown++] = (struct wire_blob){key->data, key->len};
    return true;
}

static enum err pair_read(struct decoder *d, struct why *why)
{
    struct token key, value;
    enum err e = token_next(&d->reader, &key, why);
    if (!e && key.type != TOKEN_STR)
        e = err_set(why, ERR_PROTOCOL, "%s, not a text", token_name(key.type));
    if (e)
        return err_wrap(why, e, "a key");
    size_t field = 0;
    if (!key_find(d, &key, &field))
        e = err_set(why, ERR_PROTOCOL, "stands there twice");
    if (!e)
        e = token_next(&d->reader, &value, why);
    if (!e)
        e = field < d->n_fields ? store(&d->fields[field], &value, d->out, why)
                                : token_skip(&d->reader, &value, 1, why);
    return e ? err_wrap(why, e, "\"%.*s\"", key.len < 64 ? (int)key.len : 64,
                        (const char *)key.data)
             : ERR_OK;
}

static enum err map_read(struct decoder *d, struct why *why)
{
    struct token map;
    enum err e = token_next(&d->reader, &map, why);
    if (e)
        return e;
    if (map.type != TOKEN_MAP)
        return err_set(why, ERR_PROTOCOL, "%s, not a map",
                       token_name(map.type));
    for (size_t i = 0; i < map.children / 2 && !e; i++)
        e = pair_read(d, why);
    if (e)
        return e;
    for (size_t i = 0; i < d->n_fields; i++)
        if (d->fields[i].need != WIRE_OPT && !(d->seen >> i & 1))
            return err_set(why, ERR_PROTOCOL, "\"%s\" is missing",
                           d->fields[i].name);
    size_t trailing = (size_t)(d->reader.end - d->reader.at);
    if (trailing)
        return err_set(why, ERR_PROTOCOL, "%zu bytes after the map", trailing);
    return ERR_OK;
}

enum err wire_decode(const struct wire_field *fields, size_t n_fields,
                     const void *data, size_t len, void *out, struct why *why)
{
    assert(n_fields <= FIELDS_MAX);
    struct decoder d;
    d.fields = fields;
    d.n_fields = n_fields;
    d.out = out;
    d.reader = token_reader(data, len);
    d.seen = 0;
    d.next = 0;
    d.n_unknown = 0;
    clear(fields, n_fields, out);
    enum err e = map_read(&d, why);
    if (e)
        clear(fields, n_fields, out);
    return e;
}

bool wire_first(const void *data, size_t len, const char *key,
                struct wire_blob *text)
{
    struct token_reader reader = token_reader(data, len);
    struct token map, first, value;
    if (token_next(&reader, &map, NULL) || map.type != TOKEN_MAP ||
        map.children < 2 || token_next(&reader, &first, NULL) ||
        first.type != TOKEN_STR || first.len != strlen(key) ||
        memcmp(first.data, key, first.len) != 0 ||
        token_next(&reader, &value, NULL) || value.type != TOKEN_STR)
        return false;
    *text = (struct wire_blob){value.data, value.len};
    return true;
}

char *wire_describe(const struct wire_field *fields, size_t n_fields)
{
    static const char *const types[] = {"u32", "u64", "i64",
                                        "f64", "str", "blob"};
    static const char *const needs[] = {"opt", "req", "key"};
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    for (size_t i = 0; i < n_fields; i++)
        (void)fprintf(f, "%s %s %llu %s\n", fields[i].name,
                      types[fields[i].type], (unsigned long long)fields[i].max,
                      needs[fields[i].need]);
    bool failed = ferror(f);
    failed |= fclose(f) != 0;
    if (!failed)
        return text;
    free(text);
    return NULL;
}
