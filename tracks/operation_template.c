/* Operations that make and remove templates: those that the track declares, or
 * one that the operation gives itself. */
#include <string.h>

#include "common/json_build.h"
#include "common/json_place.h"
#include "tracks/field.h"
#include "tracks/operation.h"
#include "tracks/settings.h"

/* What the three kinds differ in. */
static const struct kind {
    const char *path;
    const char *inner; /* member that holds the settings */
} kinds[] = {
    [RENDER_TEMPLATE_INDEX] = {"/_template/", NULL},
    [RENDER_TEMPLATE_COMPOSABLE] = {"/_index_template/", "template"},
    [RENDER_TEMPLATE_COMPONENT] = {"/_component_template/", "template"}};

static enum render_template_kind kind_of(const struct operation *o)
{
    if (strstr(o->type->word, "composable"))
        return RENDER_TEMPLATE_COMPOSABLE;
    if (strstr(o->type->word, "component"))
        return RENDER_TEMPLATE_COMPONENT;
    return RENDER_TEMPLATE_INDEX;
}

/* The name that op gives, or NULL: all that are declared are meant. */
static enum err only_read(const struct operation *o, const char **only,
                          struct why *why)
{
    *only = NULL;
    enum err e = field_text(o->v, "template", PLAN_NAME_MAX, only, why);
    if (!e && *only && !field_plain(*only, "_.@-"))
        e = field_error(jv_get(o->v, "template"), why, "is no template's name");
    return e;
}

static enum err put_one(const struct operation *o, const char *name,
                        const struct jv *body, struct jv *out, struct why *why)
{
    struct request_path path = {0};
    request_path_add(&path, kinds[kind_of(o)].path);
    request_path_add(&path, name);
    return operation_request(o, "PUT", &path, body, out, why);
}

static enum err put_create(const struct operation *o, struct jv *out,
                           struct why *why)
{
    const char *only;
    const struct jv *settings, *given = jv_get(o->v, "body");
    size_t n = 0;
    enum err e = only_read(o, &only, why);
    if (!e)
        e = field_find(o->v, "settings", JV_OBJECT, &settings, why);
    if (!e && given && !only)
        e = field_missing(o->v, "template", why);
    if (e || given)
        return e ? e : put_one(o, only, given, out, why);
    for (size_t i = 0; i < o->r->n_templates && !e; i++) {
        const struct render_template *t = &o->r->templates[i];
        if (t->kind != kind_of(o) || (only && strcmp(only, t->name) != 0))
            continue;
        struct jv *body =
            settings_merge(t->content, kinds[t->kind].inner, settings);
        e = put_one(o, t->name, body, out, why);
        jv_free(body);
        n++;
    }
    if (!e && !n)
        e = field_error(o->v, why,
                        "the track declares no such template: give "
                        "\"template\" and \"body\"");
    return e;
}

/* DELETE one template, and the indices of its pattern if these are to go. */
static enum err delete_one(const struct operation *o, const char *name,
                           const char *pattern, struct jv *out, struct why *why)
{
    struct request_path path = {0};
    bool lenient = true;
    enum err e = field_bool(o->v, "only-if-exists", &lenient, why);
    request_path_add(&path, kinds[kind_of(o)].path);
    request_path_add(&path, name);
    if (!e)
        e = request_path_params(o->v, &path, why);
    struct jv *request = request_add(out, "DELETE", path.text, NULL);
    if (lenient)
        request_ignore(request, 404);
    if (e || !pattern)
        return e;
    path = (struct request_path){0};
    request_path_add(&path, "/");
    request_path_add(&path, pattern);
    request_ignore(request_add(out, "DELETE", path.text, NULL), 404);
    return ERR_OK;
}

static enum err delete_given(const struct operation *o, const char *name,
                             struct jv *out, struct why *why)
{
    const char *pattern = NULL;
    bool matching = false;
    enum err e = field_bool(o->v, "delete-matching-indices", &matching, why);
    if (!e)
        e = field_text(o->v, "index-pattern", PLAN_NAME_MAX, &pattern, why);
    if (!e && matching && !pattern)
        e = field_missing(o->v, "index-pattern", why);
    if (!e && pattern && !field_plain(pattern, "_.,*-"))
        e = field_error(jv_get(o->v, "index-pattern"), why, "is no pattern");
    return e ? e : delete_one(o, name, matching ? pattern : NULL, out, why);
}

static enum err put_delete(const struct operation *o, struct jv *out,
                           struct why *why)
{
    const char *only;
    size_t n = 0;
    enum err e = only_read(o, &only, why);
    for (size_t i = 0; i < o->r->n_templates && !e; i++) {
        const struct render_template *t = &o->r->templates[i];
        if (t->kind != kind_of(o) || (only && strcmp(only, t->name) != 0))
            continue;
        e = delete_one(o, t->name, t->delete_matching ? t->pattern : NULL, out,
                       why);
        n++;
    }
    if (e || n)
        return e;
    if (!only)
        return field_error(o->v, why,
                           "the track declares no such template: give "
                           "\"template\"");
    return delete_given(o, only, out, why);
}

#define CREATE(word)                                                           \
    {                                                                          \
        word, PLAN_REQUESTS, RENDER_ONCE, true, put_create,                    \
        {                                                                      \
            "template", "body", "settings"                                     \
        }                                                                      \
    }
#define DELETE(word)                                                           \
    {                                                                          \
        word, PLAN_REQUESTS, RENDER_ONCE, true, put_delete,                    \
        {                                                                      \
            "template", "only-if-exists", "delete-matching-indices",           \
                "index-pattern"                                                \
        }                                                                      \
    }

const struct operation_type operations_template[] = {
    CREATE("create-index-template"),
    DELETE("delete-index-template"),
    CREATE("create-composable-template"),
    DELETE("delete-composable-template"),
    CREATE("create-component-template"),
    DELETE("delete-component-template"),
    {.word = NULL}};
