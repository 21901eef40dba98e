#include "target/bulk_action.h"

#include <string.h>

static const char *const op_names[] = {[BULK_INDEX] = "index",
                                       [BULK_CREATE] = "create",
                                       [BULK_UPDATE] = "update",
                                       [BULK_DELETE] = "delete"};

const char *bulk_op_name(enum bulk_op op)
{
    return op_names[op];
}

/* A piece of the line; inside a string it is without its quotes. */
struct piece {
    const char *text;
    size_t len;
};

/* What is being read, for the messages. */
struct line {
    struct bulk_cursor c;
    size_t number;
    struct why *why;
};

/* The parser's word for what stands at the cursor. */
static const char *token(const struct bulk_cursor *c)
{
    if (c->p == c->end)
        return "END";
    switch (*c->p) {
    case '{':
        return "START_OBJECT";
    case '}':
        return "END_OBJECT";
    case '[':
        return "START_ARRAY";
    case ']':
        return "END_ARRAY";
    case '"':
        return "VALUE_STRING";
    case 't':
    case 'f':
        return "VALUE_BOOLEAN";
    case 'n':
        return "VALUE_NULL";
    default:
        return "VALUE_NUMBER";
    }
}

static enum err expected(const struct line *l, const char *what)
{
    return err_set(l->why, ERR_INVALID,
                   "Malformed action/metadata line [%zu], expected %s but "
                   "found [%s]",
                   l->number, what, token(&l->c));
}

/* Pass byte b after blanks. */
static bool pass(struct line *l, uint8_t b)
{
    bulk_json_blanks(&l->c);
    if (l->c.p == l->c.end || *l->c.p != b)
        return false;
    l->c.p++;
    return true;
}

static enum err fault(const struct line *l, enum bulk_json e)
{
    return err_set(l->why, ERR_INVALID,
                   "Malformed action/metadata line [%zu], %s", l->number,
                   bulk_json_text(e));
}

/* A string at the cursor, with its quotes. */
static enum err string(struct line *l, struct piece *out)
{
    out->text = (const char *)++l->c.p;
    enum bulk_json e = bulk_json_string(&l->c);
    if (e)
        return fault(l, e);
    out->len = (size_t)((const char *)l->c.p - out->text) - 1;
    return ERR_OK;
}

/* A member's name and its colon. */
static enum err name(struct line *l, struct piece *out)
{
    bulk_json_blanks(&l->c);
    if (l->c.p == l->c.end || *l->c.p != '"')
        return expected(l, "FIELD_NAME");
    enum err e = string(l, out);
    if (!e && !pass(l, ':'))
        return fault(l, BULK_JSON_SYNTAX);
    return e;
}

static bool is(struct piece p, const char *word)
{
    return p.len == strlen(word) && !memcmp(p.text, word, p.len);
}

static bool is_one_of(struct piece p, const char *const *words)
{
    for (; *words; words++)
        if (is(p, *words))
            return true;
    return false;
}

static enum err keep(const struct line *l, struct piece p, char *to,
                     size_t most, uint16_t *len)
{
    if (p.len > most)
        return err_set(l->why, ERR_INVALID,
                       "Malformed action/metadata line [%zu], a name of %zu "
                       "bytes, at most %zu",
                       l->number, p.len, most);
    memcpy(to, p.text, p.len);
    *len = (uint16_t)p.len;
    return ERR_OK;
}

/* The value of a parameter: kept, or known and passed over. */
static enum err parameter(struct line *l, struct bulk_action *a,
                          struct piece key)
{
    static const char *const passed[] = {"routing",
                                         "_routing",
                                         "parent",
                                         "_parent",
                                         "version",
                                         "_version",
                                         "version_type",
                                         "_version_type",
                                         "op_type",
                                         "retry_on_conflict",
                                         "_retry_on_conflict",
                                         "pipeline",
                                         "if_seq_no",
                                         "if_primary_term",
                                         "require_alias",
                                         NULL};
    struct piece value = {"", 0};
    bulk_json_blanks(&l->c);
    if (l->c.p == l->c.end || *l->c.p == '{' || *l->c.p == '[')
        return expected(l, "a simple value for a field");
    const char *from = (const char *)l->c.p;
    if (*from == '"') {
        enum err e = string(l, &value);
        if (e)
            return e;
    } else {
        enum bulk_json e = bulk_json_value(&l->c);
        if (e)
            return fault(l, e);
        value = (struct piece){from, (size_t)((const char *)l->c.p - from)};
        if (is(value, "null")) /* as if it were not there */
            value.len = 0;
    }
    if (is(key, "_index"))
        return keep(l, value, a->index, sizeof a->index, &a->index_len);
    if (is(key, "_type"))
        return keep(l, value, a->type, sizeof a->type, &a->type_len);
    if (is(key, "_id"))
        return keep(l, value, a->id, sizeof a->id, &a->id_len);
    if (is_one_of(key, passed))
        return ERR_OK;
    return err_set(l->why, ERR_INVALID,
                   "Action/metadata line [%zu] contains an unknown parameter "
                   "[%.*s]",
                   l->number, (int)(key.len < 64 ? key.len : 64), key.text);
}

static enum err parameters(struct line *l, struct bulk_action *a)
{
    if (pass(l, '}'))
        return ERR_OK;
    do {
        struct piece key;
        enum err e = name(l, &key);
        if (!e)
            e = parameter(l, a, key);
        if (e)
            return e;
    } while (pass(l, ','));
    return pass(l, '}') ? ERR_OK : expected(l, "END_OBJECT");
}

static enum err op_of(const struct line *l, struct piece key, enum bulk_op *op)
{
    for (size_t i = 0; i < sizeof op_names / sizeof *op_names; i++)
        if (is(key, op_names[i])) {
            *op = (enum bulk_op)i;
            return ERR_OK;
        }
    return err_set(l->why, ERR_INVALID,
                   "Malformed action/metadata line [%zu], expected field "
                   "[create], [delete], [index] or [update] but found [%.*s]",
                   l->number, (int)(key.len < 64 ? key.len : 64), key.text);
}

enum err bulk_action_parse(struct bulk_action *a, struct bulk_cursor c,
                           size_t line_number, struct why *why)
{
    struct line l = {c, line_number, why};
    struct piece key;
    a->index_len = a->type_len = a->id_len = 0;
    bulk_json_blanks(&l.c);
    if (l.c.p == l.c.end)
        return ERR_AGAIN;
    if (!pass(&l, '{'))
        return expected(&l, "START_OBJECT");
    enum err e = name(&l, &key);
    if (!e)
        e = op_of(&l, key, &a->op);
    if (!e && !pass(&l, '{'))
        e = expected(&l, "START_OBJECT");
    if (!e)
        e = parameters(&l, a);
    if (!e && !pass(&l, '}'))
        e = expected(&l, "END_OBJECT");
    bulk_json_blanks(&l.c);
    if (!e && l.c.p != l.c.end)
        e = fault(&l, BULK_JSON_TRAILING);
    return e;
}
