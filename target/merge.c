#include "target/merge.h"

#include <string.h>

#include "target/bulk_json.h"

/* Walks the members of one object. */
struct members {
    struct bulk_cursor c;
    const char *name, *value;
    size_t name_len, value_len;
};

static struct members begin(const char *object, size_t len)
{
    struct members m = {.c = {(const uint8_t *)object,
                              (const uint8_t *)object + len,
                              (const uint8_t *)object + len}};
    bulk_json_blanks(&m.c);
    m.c.p++; /* the brace */
    return m;
}

static bool next(struct members *m)
{
    bulk_json_blanks(&m->c);
    if (*m->c.p == ',') {
        m->c.p++;
        bulk_json_blanks(&m->c);
    }
    if (*m->c.p != '"')
        return false;
    m->name = (const char *)++m->c.p;
    (void)bulk_json_string(&m->c);
    m->name_len = (size_t)((const char *)m->c.p - m->name) - 1;
    bulk_json_blanks(&m->c);
    m->c.p++; /* the colon */
    bulk_json_blanks(&m->c);
    m->value = (const char *)m->c.p;
    (void)bulk_json_value(&m->c);
    m->value_len = (size_t)((const char *)m->c.p - m->value);
    return true;
}

/* The last member of that name, as parsers take it. */
const char *merge_member(const char *object, size_t object_len,
                         const char *name, size_t *len)
{
    struct members m = begin(object, object_len);
    size_t name_len = strlen(name);
    const char *found = NULL;
    while (next(&m))
        if (m.name_len == name_len && !memcmp(m.name, name, name_len)) {
            found = m.value;
            *len = m.value_len;
        }
    return found;
}

static bool find(const char *object, size_t len, const struct members *like,
                 struct members *found)
{
    struct members m = begin(object, len);
    bool there = false;
    while (next(&m))
        if (m.name_len == like->name_len &&
            !memcmp(m.name, like->name, m.name_len)) {
            *found = m;
            there = true;
        }
    return there;
}

static char *put(char *to, const char *text, size_t len)
{
    memcpy(to, text, len);
    return to + len;
}

static char *put_name(char *to, bool first, const struct members *m)
{
    if (!first)
        *to++ = ',';
    *to++ = '"';
    to = put(to, m->name, m->name_len);
    *to++ = '"';
    *to++ = ':';
    return to;
}

/* Depth is bounded by the validator's. */
size_t merge_objects(const char *old, size_t old_len, const char *new,
                     size_t new_len, char *to, bool *changed)
{
    struct members m = begin(old, old_len), other;
    char *at = to;
    bool first = true;
    *changed = false;
    *at++ = '{';
    for (; next(&m); first = false) {
        at = put_name(at, first, &m);
        if (!find(new, new_len, &m, &other)) {
            at = put(at, m.value, m.value_len);
        } else if (m.value[0] == '{' && other.value[0] == '{') {
            bool inner;
            at += merge_objects(m.value, m.value_len, other.value,
                                other.value_len, at, &inner);
            *changed |= inner;
        } else {
            at = put(at, other.value, other.value_len);
            *changed |= m.value_len != other.value_len ||
                        memcmp(m.value, other.value, m.value_len) != 0;
        }
    }
    m = begin(new, new_len);
    for (; next(&m); first = false) {
        if (find(old, old_len, &m, &other))
            continue;
        at = put_name(at, first, &m);
        at = put(at, m.value, m.value_len);
        *changed = true;
    }
    *at++ = '}';
    return (size_t)(at - to);
}
