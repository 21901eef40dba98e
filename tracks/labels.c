#include "tracks/labels.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_build.h"
#include "common/json_place.h"
#include "tracks/field.h"

struct tags {
    const struct jv *all[64];
    size_t n, len;
    char text[PLAN_LABELS_MAX + 1];
};

static enum err tag_add(struct tags *t, const struct jv *v, struct why *why)
{
    const char *tag = jv_text(v, "");
    size_t len = strlen(tag), comma = t->len ? 2 : 0;
    for (size_t i = 0; i < t->n; i++)
        if (!strcmp(jv_text(t->all[i], ""), tag))
            return ERR_OK;
    if (t->n == sizeof t->all / sizeof *t->all ||
        t->len + comma + len > PLAN_LABELS_MAX)
        return field_error(v, why, "is one tag too many");
    for (const char *c = tag; *c; c++)
        if (iscntrl((unsigned char)*c))
            return field_error(v, why, "has a control character");
    memcpy(t->text + t->len, ", ", comma);
    memcpy(t->text + t->len + comma, tag, len + 1);
    t->all[t->n++] = v;
    t->len += comma + len;
    return ERR_OK;
}

/* One text or a list of them. */
static enum err tags_add(struct tags *t, const struct jv *tags, struct why *why)
{
    enum err e = ERR_OK;
    enum jv_type type = jv_type(tags);
    if (type == JV_NULL)
        return ERR_OK;
    for (size_t k = 0; k < jv_size(tags) && type == JV_ARRAY; k++)
        if (jv_type(jv_at(tags, k)) != JV_STRING)
            type = JV_BOOL;
    if (type == JV_STRING)
        return tag_add(t, tags, why);
    if (type != JV_ARRAY)
        return field_error(tags, why, "must be a text or a list of texts");
    for (size_t k = 0; k < jv_size(tags) && !e; k++)
        e = tag_add(t, jv_at(tags, k), why);
    return e;
}

static enum err meta_render(const struct jv *const *levels, size_t n,
                            struct jv *out, struct why *why)
{
    const struct jv *meta[4] = {0}, *v;
    const char *key;
    struct jv *merged = jv_new(JV_OBJECT);
    enum err e = ERR_OK;
    for (size_t i = 0; i < n && !e; i++)
        e = field_find(levels[i], "meta", JV_OBJECT, &meta[i], why);
    for (size_t i = 0; i < n && !e; i++)
        for (size_t k = 0; (v = jv_member(meta[i], k, &key)); k++) {
            size_t later = i + 1;
            while (later < n && !jv_get(meta[later], key))
                later++;
            if (later == n)
                jv_add_copy(merged, key, v);
        }
    char *text = jv_print(merged, false);
    if (!e && strlen(text) > PLAN_LABELS_MAX)
        e = field_error(levels[n - 1], why,
                        "its \"meta\", with the track's, the challenge's and "
                        "the operation's, has %zu bytes; accepted: %d",
                        strlen(text), PLAN_LABELS_MAX);
    if (!e && jv_size(merged))
        jv_add_text(out, "meta", text);
    free(text);
    jv_free(merged);
    return e;
}

enum err labels_render(const struct render *r, const struct jv *op,
                       const struct jv *task, struct jv *out, struct why *why)
{
    const struct jv *const levels[] = {r->root, r->challenge, op, task};
    struct tags tags = {0};
    enum err e = tags_add(&tags, jv_get(op, "tags"), why);
    if (!e)
        e = tags_add(&tags, jv_get(task, "tags"), why);
    if (!e && tags.len)
        jv_add_text(out, "tags", tags.text);
    return e ? e : meta_render(levels, 4, out, why);
}
