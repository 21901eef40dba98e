#include "target/flatten.h"

#include <string.h>

#include "target/bulk_json.h"

/* Where the walk stands. The document is valid, so nothing is checked. */
struct walk {
    struct fields *fields;
    const char *p, *end;
    char *to;
    size_t path_len;
    struct why *why;
    char path[FIELDS_PATH_BYTES];
};

static size_t put_utf8(unsigned c, char *to)
{
    if (c < 0x80) {
        to[0] = (char)(c < 0x20 ? ' ' : c);
        return 1;
    }
    size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};
    to[0] = (char)(leads[more] | c >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        to[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
    return more + 1;
}

static unsigned hex4(const char *p)
{
    unsigned n = 0;
    for (int i = 0; i < 4; i++) {
        unsigned c = (unsigned char)p[i];
        n = n << 4 | (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return n;
}

/* An escape behind its backslash; the bytes it takes. */
static size_t unescape(const char *p, char *to, size_t *n)
{
    unsigned c;
    switch (*p) {
    case 'u':
        c = hex4(p + 1);
        if (c >= 0xd800 && c < 0xdc00) {
            c = 0x10000 + ((c - 0xd800) << 10) + (hex4(p + 7) - 0xdc00);
            *n = put_utf8(c, to);
            return 11;
        }
        *n = put_utf8(c, to);
        return 5;
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        *to = ' ';
        break;
    default:
        *to = *p;
    }
    *n = 1;
    return 1;
}

size_t flatten_unescape(const char *text, size_t len, char *to)
{
    const char *p = text, *end = text + len;
    char *at = to;
    while (p < end) {
        const char *slash = memchr(p, '\\', (size_t)(end - p));
        size_t plain = (size_t)((slash ? slash : end) - p), n;
        memcpy(at, p, plain);
        at += plain;
        if (!slash)
            break;
        p = slash + 1;
        p += unescape(p, at, &n);
        at += n;
    }
    return (size_t)(at - to);
}

void flatten_mark(char to[FLATTEN_MARK], char how, const struct field *field)
{
    to[0] = how;
    to[1] = (char)('0' + (field->number >> 6));
    to[2] = (char)('0' + (field->number & 63));
}

static void blanks(struct walk *w)
{
    while (*w->p == ' ' || *w->p == '\t' || *w->p == '\r' || *w->p == '\n')
        w->p++;
}

/* The inside of the string at hand; passes it. */
static const char *string(struct walk *w, size_t *len)
{
    const char *text = ++w->p;
    struct bulk_cursor c = {(const uint8_t *)text, (const uint8_t *)w->end,
                            (const uint8_t *)w->end};
    (void)bulk_json_string(&c);
    w->p = (const char *)c.p;
    *len = (size_t)(w->p - text) - 1;
    return text;
}

/* The field of the path at hand; NULL: unknown and to be left out. */
static enum err find(struct walk *w, bool text, const struct field **out)
{
    *out = fields_find(w->fields, w->path, w->path_len);
    if (*out)
        return ERR_OK;
    switch (fields_dynamic(w->fields)) {
    case FIELDS_IGNORE:
        return ERR_OK;
    case FIELDS_STRICT:
        return err_set(w->why, ERR_INVALID,
                       "mapping set to strict, dynamic introduction of [%.*s] "
                       "within [_doc] is not allowed",
                       (int)w->path_len, w->path);
    case FIELDS_ADD:
        break;
    }
    return fields_add(w->fields, w->path, w->path_len,
                      text ? FIELD_TEXT : FIELD_EXACT, out, w->why);
}

/* Write a value of the field, and of its sub-field. */
static void put(struct walk *w, const struct field *field, const char *text,
                size_t len)
{
    for (; field; field = field->sub) {
        char *value = w->to + FLATTEN_MARK;
        if (field->kind == FIELD_NONE)
            continue;
        size_t n = flatten_unescape(text, len, value);
        if (field->kind == FIELD_EXACT && n > FLATTEN_TERM_MAX)
            continue;
        flatten_mark(w->to,
                     field->kind == FIELD_TEXT ? FLATTEN_WORDS : FLATTEN_EXACT,
                     field);
        w->to = value + n;
    }
}

static enum err scalar(struct walk *w)
{
    bool quoted = *w->p == '"';
    const struct field *field;
    const char *text = w->p;
    size_t len;
    if (quoted) {
        text = string(w, &len);
    } else {
        while (w->p < w->end && !strchr(",]} \t\r\n", *w->p))
            w->p++;
        len = (size_t)(w->p - text);
        if (text[0] == 'n')
            return ERR_OK; /* null is no value */
    }
    enum err e = find(w, quoted, &field);
    if (!e && field)
        put(w, field, text, len);
    return e;
}

/* A member's name and its colon: it lengthens the path. */
static enum err name(struct walk *w)
{
    size_t len, dot = w->path_len > 0;
    blanks(w);
    const char *text = string(w, &len);
    blanks(w);
    w->p++;
    if (w->path_len + dot + len >= sizeof w->path)
        return err_set(w->why, ERR_RANGE,
                       "the path of field [%.*s] is longer than %zu bytes",
                       (int)(len < 64 ? len : 64), text, sizeof w->path - 1);
    if (dot)
        w->path[w->path_len] = '.';
    len = flatten_unescape(text, len, w->path + w->path_len + dot);
    w->path_len += dot + len;
    return ERR_OK;
}

/* A value at the cursor; levels are bounded by the validator's. */
static enum err value(struct walk *w)
{
    blanks(w);
    bool object = *w->p == '{';
    if (!object && *w->p != '[')
        return scalar(w);
    char close = object ? '}' : ']';
    size_t path_len = w->path_len;
    enum err e = ERR_OK;
    w->p++;
    blanks(w);
    while (!e && *w->p != close) {
        if (object)
            e = name(w);
        if (!e)
            e = value(w);
        w->path_len = path_len;
        blanks(w);
        if (!e && *w->p == ',') {
            w->p++;
            blanks(w);
        }
    }
    w->p++;
    return e;
}

enum err flatten(struct fields *fields, const char *json, size_t len, char *to,
                 size_t *n, struct why *why)
{
    struct walk w = {
        .fields = fields, .p = json, .end = json + len, .to = to, .why = why};
    enum err e = value(&w);
    *n = (size_t)(w.to - to);
    return e;
}
