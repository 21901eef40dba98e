/* Operations that make and remove indices and data streams. */
#include <string.h>

#include "common/json_build.h"
#include "common/json_place.h"
#include "tracks/field.h"
#include "tracks/operation.h"
#include "tracks/settings.h"

static enum err none_declared(const struct operation *o, const char *key,
                              struct why *why)
{
    return field_error(o->v, why, "\"%s\" is missing, and the track has none",
                       key);
}

/* Whether op means the index name: without "index" it means all. */
static bool is_meant(const struct operation *o, const char *name)
{
    const struct jv *v = jv_get(o->v, "index");
    if (!v || jv_type(v) == JV_NULL || !strcmp(jv_text(v, ""), name))
        return true;
    for (size_t i = 0; i < jv_size(v); i++)
        if (!strcmp(jv_text(jv_at(v, i), ""), name))
            return true;
    return false;
}

/* The index of the track that op means, with its own settings over these. */
static enum err create_declared(const struct operation *o, size_t i,
                                struct jv *out, struct why *why)
{
    const struct jv *settings;
    struct request_path path = {0};
    struct jv *body = NULL;
    enum err e = field_find(o->v, "settings", JV_OBJECT, &settings, why);
    if (e)
        return e;
    if (o->r->indices[i].body || settings)
        body = settings_merge(o->r->indices[i].body, NULL, settings);
    request_path_add(&path, "/");
    request_path_add(&path, o->r->indices[i].name);
    e = operation_request(o, "PUT", &path, body, out, why);
    jv_free(body);
    return e;
}

static enum err put_create(const struct operation *o, struct jv *out,
                           struct why *why)
{
    struct request_path path = {0};
    size_t n = 0;
    enum err e = ERR_OK;
    for (size_t i = 0; i < o->r->n_indices && !e && !jv_get(o->v, "body"); i++)
        if (is_meant(o, o->r->indices[i].name)) {
            e = create_declared(o, i, out, why);
            n++;
        }
    if (e || n)
        return e;
    if (!jv_get(o->v, "index"))
        return none_declared(o, "index", why);
    if (jv_get(o->v, "settings"))
        return field_error(jv_get(o->v, "settings"), why,
                           "is for indices of the track: give a \"body\"");
    request_path_add(&path, "/");
    e = operation_names(o->v, "index", NULL, &path, why);
    return e ? e
             : operation_request(o, "PUT", &path, jv_get(o->v, "body"), out,
                                 why);
}

/* DELETE /prefix/name; of what is not there, unless told otherwise. */
static enum err delete_one(const struct operation *o, const char *prefix,
                           const char *name, struct jv *out, struct why *why)
{
    struct request_path path = {0};
    bool lenient = true;
    enum err e = field_bool(o->v, "only-if-exists", &lenient, why);
    request_path_add(&path, prefix);
    request_path_add(&path, name);
    if (!e)
        e = request_path_params(o->v, &path, why);
    struct jv *request = request_add(out, "DELETE", path.text, NULL);
    if (lenient)
        request_ignore(request, 404);
    return e;
}

static enum err put_delete(const struct operation *o, struct jv *out,
                           struct why *why)
{
    struct request_path names = {0};
    enum err e = operation_names(o->v, "index", NULL, &names, why);
    if (!e && names.len)
        return delete_one(o, "/", names.text, out, why);
    if (!e && !o->r->n_indices)
        e = none_declared(o, "index", why);
    for (size_t i = 0; i < o->r->n_indices && !e; i++)
        e = delete_one(o, "/", o->r->indices[i].name, out, why);
    return e;
}

static enum err put_create_stream(const struct operation *o, struct jv *out,
                                  struct why *why)
{
    struct request_path path = {0};
    enum err e = ERR_OK;
    request_path_add(&path, "/_data_stream/");
    if (jv_get(o->v, "data-stream")) {
        e = operation_names(o->v, "data-stream", NULL, &path, why);
        return e ? e : operation_request(o, "PUT", &path, NULL, out, why);
    }
    if (!o->r->n_streams)
        return none_declared(o, "data-stream", why);
    for (size_t i = 0; i < o->r->n_streams && !e; i++) {
        struct request_path one = path;
        request_path_add(&one, o->r->streams[i]);
        e = operation_request(o, "PUT", &one, NULL, out, why);
    }
    return e;
}

static enum err put_delete_stream(const struct operation *o, struct jv *out,
                                  struct why *why)
{
    struct request_path names = {0};
    enum err e = operation_names(o->v, "data-stream", NULL, &names, why);
    if (!e && names.len)
        return delete_one(o, "/_data_stream/", names.text, out, why);
    if (!e && !o->r->n_streams)
        e = none_declared(o, "data-stream", why);
    for (size_t i = 0; i < o->r->n_streams && !e; i++)
        e = delete_one(o, "/_data_stream/", o->r->streams[i], out, why);
    return e;
}

const struct operation_type operations_index[] = {
    {"create-index",
     PLAN_REQUESTS,
     RENDER_ONCE,
     true,
     put_create,
     {"index", "body", "settings"}},
    {"delete-index",
     PLAN_REQUESTS,
     RENDER_ONCE,
     true,
     put_delete,
     {"index", "only-if-exists"}},
    {"create-data-stream",
     PLAN_REQUESTS,
     RENDER_ONCE,
     true,
     put_create_stream,
     {"data-stream"}},
    {"delete-data-stream",
     PLAN_REQUESTS,
     RENDER_ONCE,
     true,
     put_delete_stream,
     {"data-stream", "only-if-exists"}},
    {.word = NULL}};
