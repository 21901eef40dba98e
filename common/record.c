#include "common/record.h"

#include <assert.h>
#include <string.h>

/* What every record begins with. */
#define RECORD_HEAD(F) F(STR, k, 64, REQ)

struct head {
    WIRE_FIELDS(RECORD_HEAD)
};

const char *record_name(enum record_kind kind)
{
    static const char *const names[] = {
#define X(name, LIST) #name,
        RECORD_KINDS(X)
#undef X
    };
    return (unsigned)kind < RECORD_KIND_LAST ? names[kind] : "unknown";
}

#define X(name, LIST)                                                          \
    static const struct wire_field *name##_fields(size_t *n)                   \
    {                                                                          \
        typedef struct record_##name wire_this;                                \
        static const struct wire_field rows[] = {WIRE_ROWS(LIST)};             \
        *n = sizeof rows / sizeof *rows;                                       \
        return rows;                                                           \
    }
RECORD_KINDS(X)
#undef X

const struct wire_field *record_fields(enum record_kind kind, size_t *n_fields)
{
    static const struct wire_field *(*const tables[])(size_t *) = {
#define X(name, LIST) name##_fields,
        RECORD_KINDS(X)
#undef X
    };
    assert((unsigned)kind < RECORD_KIND_LAST);
    return tables[kind](n_fields);
}

enum err record_encode(enum record_kind kind, const void *in,
                       struct wire_buf *out, struct why *why)
{
    size_t n = 0;
    const struct wire_field *fields = record_fields(kind, &n);
    const struct wire_word word = {.key = "k", .text = record_name(kind)};
    enum err e = wire_encode_with(&word, fields, n, in, out, why);
    return e ? err_wrap(why, e, "record %s", record_name(kind)) : ERR_OK;
}

static enum err head_read(const void *data, size_t len, enum record_kind *kind,
                          struct why *why)
{
    typedef struct head wire_this;
    static const struct wire_field rows[] = {WIRE_ROWS(RECORD_HEAD)};
    struct head head;
    enum err e =
        wire_decode(rows, sizeof rows / sizeof *rows, data, len, &head, why);
    if (e)
        return e;
    for (unsigned i = 0; i < RECORD_KIND_LAST; i++)
        if (!strcmp(record_name((enum record_kind)i), head.k)) {
            *kind = (enum record_kind)i;
            return ERR_OK;
        }
    return err_set(why, ERR_NOTFOUND, "kind \"%s\" is unknown", head.k);
}

bool record_peek(const void *data, size_t len, enum record_kind *kind)
{
    struct wire_blob text;
    if (!wire_first(data, len, "k", &text))
        return false;
    for (unsigned i = 0; i < RECORD_KIND_LAST; i++) {
        const char *name = record_name((enum record_kind)i);
        if (strlen(name) == text.len && !memcmp(name, text.data, text.len)) {
            *kind = (enum record_kind)i;
            return true;
        }
    }
    return false;
}

enum err record_decode(const void *data, size_t len, struct record *out,
                       struct why *why)
{
    enum err e = ERR_OK;
    if (!record_peek(data, len, &out->kind))
        e = head_read(data, len, &out->kind, why);
    if (e)
        memset(out, 0, sizeof *out);
    if (e)
        return err_wrap(why, e, "record");
    size_t n = 0;
    const struct wire_field *fields = record_fields(out->kind, &n);
    e = wire_decode(fields, n, data, len, &out->as, why);
    return e ? err_wrap(why, e, "record %s", record_name(out->kind)) : ERR_OK;
}
