#include "common/jv.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_build.h"
#include "common/json_place.h"

#define WHOLE_MAX 9007199254740992.0 /* 2^53: above, a double skips numbers */

struct jv *jv_node(struct jv *parent, enum jv_type type)
{
    struct jv *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->type = type;
    v->parent = parent;
    if (!parent)
        return v;
    if (parent->n == parent->cap) {
        size_t cap = parent->cap ? parent->cap * 2 : 4;
        struct jv **child = realloc(parent->child, cap * sizeof(struct jv *));
        if (!child) {
            free(v);
            return NULL;
        }
        parent->child = child;
        parent->cap = cap;
    }
    parent->child[parent->n++] = v;
    return v;
}

static void drop(struct jv *v)
{
    for (size_t i = 0; i < v->n; i++)
        drop(v->child[i]);
    free(v->child);
    free(v->key);
    free(v->name);
    if (v->type == JV_STRING)
        free(v->as.text);
    free(v);
}

void jv_free(struct jv *root)
{
    if (!root)
        return;
    assert(!root->parent);
    drop(root);
}

enum jv_type jv_type(const struct jv *v)
{
    return v ? v->type : JV_NULL;
}

size_t jv_size(const struct jv *v)
{
    return v ? v->n : 0;
}

static size_t find(const struct jv *object, const char *key)
{
    size_t i = 0;
    while (i < object->n && strcmp(object->child[i]->key, key) != 0)
        i++;
    return i;
}

const struct jv *jv_get(const struct jv *object, const char *key)
{
    if (jv_type(object) != JV_OBJECT)
        return NULL;
    size_t i = find(object, key);
    return i < object->n ? object->child[i] : NULL;
}

const struct jv *jv_at(const struct jv *array, size_t i)
{
    return jv_type(array) == JV_ARRAY && i < array->n ? array->child[i] : NULL;
}

const struct jv *jv_member(const struct jv *object, size_t i, const char **key)
{
    if (jv_type(object) != JV_OBJECT || i >= object->n)
        return NULL;
    *key = object->child[i]->key;
    return object->child[i];
}

const char *jv_text(const struct jv *v, const char *otherwise)
{
    return jv_type(v) == JV_STRING ? v->as.text : otherwise;
}

double jv_number(const struct jv *v, double otherwise)
{
    if (jv_type(v) != JV_NUMBER)
        return otherwise;
    if (v->number == NUMBER_U64)
        return (double)v->as.u64;
    return v->number == NUMBER_I64 ? (double)v->as.i64 : v->as.real;
}

uint64_t jv_u64(const struct jv *v, uint64_t otherwise)
{
    if (jv_type(v) != JV_NUMBER)
        return otherwise;
    if (v->number == NUMBER_U64)
        return v->as.u64;
    if (v->number == NUMBER_REAL && v->as.real >= 0 &&
        v->as.real <= WHOLE_MAX && v->as.real == floor(v->as.real))
        return (uint64_t)v->as.real;
    return otherwise;
}

bool jv_bool(const struct jv *v, bool otherwise)
{
    return jv_type(v) == JV_BOOL ? v->as.boolean : otherwise;
}

static const char *type_name(enum jv_type type)
{
    static const char *const names[] = {
        [JV_NULL] = "null",     [JV_BOOL] = "true or false",
        [JV_NUMBER] = "number", [JV_STRING] = "text",
        [JV_ARRAY] = "array",   [JV_OBJECT] = "object"};
    return names[type];
}

/* A bounded text being put together: what does not fit is cut. */
struct line {
    char *buf;
    size_t size, len;
};

static void PRINTF_LIKE(2, 3) say(struct line *line, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(line->buf + line->len, line->size - line->len, fmt, ap);
    va_end(ap);
    size_t left = line->size - line->len - 1;
    if (n > 0)
        line->len += (size_t)n < left ? (size_t)n : left;
}

static bool is_word(const char *key)
{
    size_t n = strspn(key, "abcdefghijklmnopqrstuvwxyz"
                           "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return n && !key[n];
}

/* ["a.b"], on one line whatever the key holds. */
static void say_key(struct line *line, const char *key)
{
    size_t from = line->len;
    say(line, "[\"%s\"]", key);
    for (char *c = line->buf + from; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
}

static void say_path(struct line *line, const struct jv *v)
{
    const struct jv *parent = v->parent;
    if (!parent)
        return;
    say_path(line, parent);
    if (parent->type == JV_ARRAY) {
        size_t i = 0;
        while (parent->child[i] != v)
            i++;
        say(line, "[%zu]", i);
    } else if (is_word(v->key))
        say(line, "%s%s", parent->parent ? "." : "", v->key);
    else
        say_key(line, v->key);
}

static const char *where(const struct jv *v, unsigned number, char *buf,
                         size_t size)
{
    assert(size > 0);
    struct line line = {.buf = buf, .size = size};
    const struct jv *root = v;
    while (root->parent)
        root = root->parent;
    say(&line, "%s:%u", root->name ? root->name : "-", number);
    if (v != root)
        say(&line, ": ");
    say_path(&line, v);
    return buf;
}

const char *jv_where(const struct jv *v, char *buf, size_t size)
{
    return where(v, v->line, buf, size);
}

static bool is_allowed(const char *key, const char *const *allowed)
{
    while (*allowed && strcmp(*allowed, key) != 0)
        allowed++;
    return *allowed;
}

enum err jv_only(const struct jv *object, const char *const *allowed,
                 struct why *why)
{
    char place[256], keys[256] = "";
    if (object->type != JV_OBJECT)
        return err_set(why, ERR_INVALID, "%s: expected an object, found %s",
                       jv_where(object, place, sizeof place),
                       type_name(object->type));
    size_t i = 0;
    while (i < object->n && is_allowed(object->child[i]->key, allowed))
        i++;
    if (i == object->n)
        return ERR_OK;
    struct line line = {.buf = keys, .size = sizeof keys};
    for (const char *const *key = allowed; *key; key++)
        say(&line, "%s%s", key == allowed ? "" : ", ", *key);
    const struct jv *member = object->child[i];
    return err_set(why, ERR_INVALID, "%s: unknown key \"%s\"; accepted: %s",
                   where(object, member->line, place, sizeof place),
                   member->key, keys);
}

struct jv *jv_new(enum jv_type type)
{
    assert(type == JV_OBJECT || type == JV_ARRAY);
    struct jv *v = jv_node(NULL, type);
    if (!v)
        abort();
    return v;
}

static char *copy_text(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        abort();
    return copy;
}

/* A key that is there already: the new value takes its place. */
static void make_room(struct jv *object, const char *key)
{
    size_t i = find(object, key);
    if (i == object->n)
        return;
    drop(object->child[i]);
    object->n--;
    memmove(object->child + i, object->child + i + 1,
            (object->n - i) * sizeof(struct jv *));
}

struct jv *jv_add(struct jv *parent, const char *key, enum jv_type type)
{
    assert(parent->type == (key ? JV_OBJECT : JV_ARRAY));
    if (key)
        make_room(parent, key);
    struct jv *v = jv_node(parent, type);
    if (!v)
        abort();
    if (key)
        v->key = copy_text(key);
    if (type == JV_STRING)
        v->as.text = copy_text("");
    return v;
}

void jv_add_text(struct jv *parent, const char *key, const char *text)
{
    struct jv *v = jv_add(parent, key, JV_NULL);
    if (!text)
        return;
    v->as.text = copy_text(text);
    v->type = JV_STRING;
}

void jv_add_u64(struct jv *parent, const char *key, uint64_t value)
{
    struct jv *v = jv_add(parent, key, JV_NUMBER);
    v->number = NUMBER_U64;
    v->as.u64 = value;
}

void jv_add_i64(struct jv *parent, const char *key, int64_t value)
{
    if (value >= 0) {
        jv_add_u64(parent, key, (uint64_t)value);
        return;
    }
    struct jv *v = jv_add(parent, key, JV_NUMBER);
    v->number = NUMBER_I64;
    v->as.i64 = value;
}

void jv_add_number(struct jv *parent, const char *key, double value)
{
    jv_add(parent, key, JV_NUMBER)->as.real = value;
}

void jv_add_bool(struct jv *parent, const char *key, bool value)
{
    jv_add(parent, key, JV_BOOL)->as.boolean = value;
}

void jv_add_copy(struct jv *parent, const char *key, const struct jv *value)
{
    if (value->type == JV_STRING) {
        jv_add_text(parent, key, value->as.text);
        return;
    }
    struct jv *v = jv_add(parent, key, value->type);
    v->number = value->number;
    v->as = value->as;
    for (size_t i = 0; i < value->n; i++)
        jv_add_copy(v, value->child[i]->key, value->child[i]);
}
