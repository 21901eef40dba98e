#include "tracks/declared.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/json_place.h"
#include "tracks/field.h"
#include "tracks/field_list.h"
#include "tracks/source.h"

#define BODY_BYTES_MAX ((size_t)64 << 10)

/* One walk over what is declared. */
struct reader {
    struct declared *d;
    struct render *r;
    struct expand *expand;
};

/* Member key of v: an object there, or the name of a file with one. */
static enum err body_read(struct reader *x, const struct jv *v, const char *key,
                          const struct jv **out, struct why *why)
{
    char path[PATH_MAX], where[300];
    const struct jv *body = jv_get(v, key);
    *out = NULL;
    if (jv_type(body) == JV_NULL)
        return ERR_OK;
    if (jv_type(body) == JV_STRING) {
        const char *file = jv_text(body, "");
        int n = snprintf(path, sizeof path, "%s/%s", x->r->dir, file);
        if (n < 0 || (size_t)n >= sizeof path)
            return field_error(body, why, "the path is too long");
        struct jv **root = &x->d->bodies[x->d->n_bodies];
        enum err e = source_parse(x->expand, *file == '/' ? file : path,
                                  BODY_BYTES_MAX, root, why);
        if (e)
            return err_wrap(why, e, "%s", jv_where(body, where, sizeof where));
        x->d->n_bodies++;
        body = *root;
    }
    if (jv_type(body) != JV_OBJECT)
        return field_error(body, why, "must be an object or a file");
    *out = body;
    return ERR_OK;
}

static enum err name_read(const struct jv *v, const char *extra,
                          const char **name, struct why *why)
{
    enum err e = field_need_text(v, "name", PLAN_NAME_MAX, name, why);
    if (!e && !field_plain(*name, extra))
        e = field_error(jv_get(v, "name"), why,
                        "is no name: accepted are letters, digits and %s",
                        extra);
    return e;
}

static enum err index_read(struct reader *x, const struct jv *v,
                           struct why *why)
{
    static const char *const keys[] = {"name", "body", NULL};
    struct render_index *index = &x->r->indices[x->r->n_indices];
    enum err e = field_only(v, keys, NULL, why);
    if (!e)
        e = name_read(v, "_.-", &index->name, why);
    if (!e)
        e = body_read(x, v, "body", &index->body, why);
    x->r->n_indices += !e;
    return e;
}

static enum err stream_read(struct reader *x, const struct jv *v,
                            struct why *why)
{
    static const char *const keys[] = {"name", NULL};
    enum err e = field_only(v, keys, NULL, why);
    if (!e)
        e = name_read(v, "_.-", &x->r->streams[x->r->n_streams], why);
    x->r->n_streams += !e;
    return e;
}

/* The part of a template's file that is meant: "a.b" of it. */
static enum err part_find(const struct jv *v, const struct jv **content,
                          struct why *why)
{
    char name[PLAN_NAME_MAX + 1];
    const char *path = NULL;
    enum err e = field_text(v, "template-path", PLAN_NAME_MAX, &path, why);
    while (!e && path && *path) {
        size_t len = strcspn(path, ".");
        memcpy(name, path, len);
        name[len] = 0;
        *content = jv_get(*content, name);
        if (jv_type(*content) != JV_OBJECT)
            e = field_error(jv_get(v, "template-path"), why,
                            "there is no object \"%s\" in the template", name);
        path += len + (path[len] == '.');
    }
    return e;
}

static enum err template_read(struct reader *x, const struct jv *v,
                              enum render_template_kind kind, struct why *why)
{
    static const char *const keys[] = {
        "name",          "index-pattern",           "template",
        "template-path", "delete-matching-indices", NULL};
    if (x->r->n_templates == RENDER_TEMPLATES_MAX)
        return field_error(v, why, "more than %d templates",
                           RENDER_TEMPLATES_MAX);
    struct render_template *t = &x->r->templates[x->r->n_templates];
    *t = (struct render_template){.kind = kind, .delete_matching = true};
    enum err e = field_only(v, keys, NULL, why);
    if (!e)
        e = name_read(v, "_.@-", &t->name, why);
    if (!e && kind != RENDER_TEMPLATE_COMPONENT)
        e = field_need_text(v, "index-pattern", PLAN_NAME_MAX, &t->pattern,
                            why);
    if (!e && t->pattern && !field_plain(t->pattern, "_.,*-"))
        e = field_error(jv_get(v, "index-pattern"), why, "is no pattern");
    if (!e)
        e = field_bool(v, "delete-matching-indices", &t->delete_matching, why);
    if (!e)
        e = body_read(x, v, "template", &t->content, why);
    if (!e && !t->content)
        e = field_missing(v, "template", why);
    if (!e)
        e = part_find(v, &t->content, why);
    x->r->n_templates += !e;
    return e;
}

static enum err templates_read(struct reader *x, const char *key,
                               enum render_template_kind kind, struct why *why)
{
    const struct jv *list;
    enum err e = field_find(x->r->root, key, JV_ARRAY, &list, why);
    for (size_t i = 0; i < jv_size(list) && !e; i++)
        e = template_read(x, jv_at(list, i), kind, why);
    return e;
}

/* At most max objects under key, each read. */
static enum err list_read(struct reader *x, const char *key,
                          enum err (*read)(struct reader *x, const struct jv *v,
                                           struct why *why),
                          struct why *why)
{
    const struct jv *list;
    enum err e = field_find(x->r->root, key, JV_ARRAY, &list, why);
    if (!e && jv_size(list) > RENDER_INDICES_MAX)
        e = field_error(list, why, "more than %d", RENDER_INDICES_MAX);
    for (size_t i = 0; i < jv_size(list) && !e; i++)
        e = read(x, jv_at(list, i), why);
    return e;
}

enum err declared_read(struct declared *d, struct render *r,
                       struct expand *expand, struct why *why)
{
    struct reader x = {d, r, expand};
    enum err e = list_read(&x, "indices", index_read, why);
    if (!e)
        e = list_read(&x, "data-streams", stream_read, why);
    if (!e && r->n_indices && r->n_streams)
        e = field_error(r->root, why,
                        "\"indices\" cannot be mixed with \"data-streams\"");
    if (!e)
        e = templates_read(&x, "templates", RENDER_TEMPLATE_INDEX, why);
    if (!e)
        e = templates_read(&x, "composable-templates",
                           RENDER_TEMPLATE_COMPOSABLE, why);
    if (!e)
        e = templates_read(&x, "component-templates", RENDER_TEMPLATE_COMPONENT,
                           why);
    return e;
}

void declared_free(struct declared *d)
{
    for (size_t i = 0; i < d->n_bodies; i++)
        jv_free(d->bodies[i]);
    *d = (struct declared){0};
}
