#include "common/msg.h"

#include <assert.h>
#include <string.h>

const char *msg_op_name(enum msg_op op)
{
    static const char *const words[] = {
#define X(name, word) word,
        MSG_OPS(X)
#undef X
    };
    return (unsigned)op < MSG_OP_LAST ? words[op] : "unknown";
}

enum err msg_op_parse(const char *word, enum msg_op *op, struct why *why)
{
    for (unsigned i = 0; i < MSG_OP_LAST; i++)
        if (!strcmp(msg_op_name((enum msg_op)i), word)) {
            *op = (enum msg_op)i;
            return ERR_OK;
        }
    return err_set(why, ERR_PROTOCOL, "\"%.40s\" is no operation", word);
}

const char *msg_name(enum msg_kind kind)
{
    static const char *const names[] = {
#define X(name, LIST) #name,
        MSG_LISTS(X)
#undef X
    };
    return (unsigned)kind < MSG_KIND_LAST ? names[kind] : "unknown";
}

#define X(name, LIST)                                                          \
    static const struct wire_field *name##_fields(size_t *n)                   \
    {                                                                          \
        typedef struct msg_##name wire_this;                                   \
        static const struct wire_field rows[] = {WIRE_ROWS(LIST)};             \
        *n = sizeof rows / sizeof *rows;                                       \
        return rows;                                                           \
    }
MSG_LISTS(X)
#undef X

const struct wire_field *msg_fields(enum msg_kind kind, size_t *n_fields)
{
    static const struct wire_field *(*const tables[])(size_t *) = {
#define X(name, LIST) name##_fields,
        MSG_LISTS(X)
#undef X
    };
    assert((unsigned)kind < MSG_KIND_LAST);
    return tables[kind](n_fields);
}

enum err msg_encode(enum msg_kind kind, const void *in, struct wire_buf *out,
                    struct why *why)
{
    size_t n = 0;
    const struct wire_field *fields = msg_fields(kind, &n);
    enum err e = wire_encode(fields, n, in, out, why);
    return e ? err_wrap(why, e, "message %s", msg_name(kind)) : ERR_OK;
}

enum err msg_decode(enum msg_kind kind, const void *data, size_t len, void *out,
                    struct why *why)
{
    size_t n = 0;
    const struct wire_field *fields = msg_fields(kind, &n);
    enum err e = wire_decode(fields, n, data, len, out, why);
    return e ? err_wrap(why, e, "message %s", msg_name(kind)) : ERR_OK;
}
