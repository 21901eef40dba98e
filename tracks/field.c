#include "tracks/field.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/json_place.h"

#define WHERE_BYTES 300

enum err field_error(const struct jv *v, struct why *why, const char *fmt, ...)
{
    char where[WHERE_BYTES], what[500];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return err_set(why, ERR_INVALID, "%s: %s", jv_where(v, where, sizeof where),
                   what);
}

enum err field_missing(const struct jv *object, const char *key,
                       struct why *why)
{
    return field_error(object, why, "\"%s\" is missing", key);
}

static const char *type_word(enum jv_type type)
{
    switch (type) {
    case JV_BOOL:
        return "true or false";
    case JV_NUMBER:
        return "a number";
    case JV_STRING:
        return "a text";
    case JV_ARRAY:
        return "a list";
    case JV_OBJECT:
        return "an object";
    case JV_NULL:
    default:
        return "null";
    }
}

enum err field_find(const struct jv *object, const char *key, enum jv_type type,
                    const struct jv **v, struct why *why)
{
    *v = jv_get(object, key);
    if (!*v || jv_type(*v) == type)
        return ERR_OK;
    const struct jv *other = *v;
    *v = NULL;
    if (jv_type(other) == JV_NULL)
        return ERR_OK;
    return field_error(other, why, "must be %s, not %s", type_word(type),
                       type_word(jv_type(other)));
}

enum err field_need(const struct jv *object, const char *key, enum jv_type type,
                    const struct jv **v, struct why *why)
{
    enum err e = field_find(object, key, type, v, why);
    if (!e && !*v)
        return field_missing(object, key, why);
    return e;
}

enum err field_text(const struct jv *object, const char *key, size_t max,
                    const char **out, struct why *why)
{
    const struct jv *v;
    enum err e = field_find(object, key, JV_STRING, &v, why);
    if (e || !v)
        return e;
    const char *text = jv_text(v, "");
    size_t len = strlen(text);
    if (!len || len > max)
        return field_error(v, why, "has %zu characters; accepted: 1 to %zu",
                           len, max);
    for (const char *c = text; *c; c++)
        if (iscntrl((unsigned char)*c))
            return field_error(v, why, "has a control character");
    *out = text;
    return ERR_OK;
}

enum err field_need_text(const struct jv *object, const char *key, size_t max,
                         const char **out, struct why *why)
{
    *out = NULL;
    enum err e = field_text(object, key, max, out, why);
    return !e && !*out ? field_missing(object, key, why) : e;
}

enum err field_whole(const struct jv *object, const char *key, uint64_t min,
                     uint64_t max, uint64_t *out, struct why *why)
{
    const struct jv *v;
    enum err e = field_find(object, key, JV_NUMBER, &v, why);
    if (e || !v)
        return e;
    double n = jv_number(v, -1);
    if (n < (double)min || n > (double)max || floor(n) < n)
        return field_error(v, why,
                           "must be a whole number from %llu to %llu, not %g",
                           (unsigned long long)min, (unsigned long long)max, n);
    *out = (uint64_t)n;
    return ERR_OK;
}

enum err field_seconds(const struct jv *object, const char *key,
                       uint64_t max_ns, uint64_t *ns, struct why *why)
{
    const struct jv *v;
    enum err e = field_find(object, key, JV_NUMBER, &v, why);
    if (e || !v)
        return e;
    double s = jv_number(v, -1);
    if (!(s >= 0) || s * 1e9 > (double)max_ns)
        return field_error(v, why, "must be 0 to %g seconds, not %g",
                           (double)max_ns / 1e9, s);
    *ns = (uint64_t)(s * 1e9 + 0.5);
    return ERR_OK;
}

enum err field_ratio(const struct jv *object, const char *key, double *out,
                     struct why *why)
{
    const struct jv *v;
    enum err e = field_find(object, key, JV_NUMBER, &v, why);
    if (e || !v)
        return e;
    double ratio = jv_number(v, -1);
    if (!(ratio >= 0 && ratio <= 1))
        return field_error(v, why, "must be 0 to 1, not %g", ratio);
    *out = ratio;
    return ERR_OK;
}

enum err field_bool(const struct jv *object, const char *key, bool *out,
                    struct why *why)
{
    const struct jv *v;
    enum err e = field_find(object, key, JV_BOOL, &v, why);
    if (!e && v)
        *out = jv_bool(v, *out);
    return e;
}

static bool is_listed(const char *key, const char *const *list)
{
    for (; list && *list; list++)
        if (!strcmp(*list, key))
            return true;
    return false;
}

static size_t list_say(char *text, size_t size, size_t at,
                       const char *const *list)
{
    for (; list && *list && at < size; list++)
        at += (size_t)snprintf(text + at, size - at, "%s%s", at ? ", " : "",
                               *list);
    return at;
}

enum err field_only(const struct jv *object, const char *const *keys,
                    const char *const *more, struct why *why)
{
    const struct jv *v;
    const char *key;
    char all[400];
    if (jv_type(object) != JV_OBJECT)
        return field_error(object, why, "must be an object, not %s",
                           type_word(jv_type(object)));
    for (size_t i = 0; (v = jv_member(object, i, &key)); i++)
        if (*key != '#' && !is_listed(key, keys) && !is_listed(key, more)) {
            (void)list_say(all, sizeof all, list_say(all, sizeof all, 0, keys),
                           more);
            return field_error(v, why, "unknown key \"%s\"; accepted: %s", key,
                               all);
        }
    return ERR_OK;
}

bool field_plain(const char *text, const char *extra)
{
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr(extra, *text))
            return false;
    return true;
}
