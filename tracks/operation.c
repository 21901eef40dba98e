/* Operations: Rally's types as lists of HTTP requests, streams of bulks or a
 * sleep. A new type is a row of its family's table and the function that it
 * names. */
#include "tracks/operation.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/json_build.h"
#include "common/json_place.h"
#include "tracks/assertion.h"
#include "tracks/field.h"

/* Every operation may have these; what they say is read by render_task.c, or
 * means nothing here. */
static const char *const common_keys[] = {"name",
                                          "operation-type",
                                          "include-in-reporting",
                                          "meta",
                                          "tags",
                                          "request-timeout",
                                          "retries",
                                          "retry-until-success",
                                          "retry-wait-period",
                                          "retry-on-timeout",
                                          "retry-on-error",
                                          "request-params",
                                          "headers",
                                          "opaque-id",
                                          "detailed-results",
                                          "run-on-serverless",
                                          "assertions",
                                          "param-source",
                                          NULL};

/* Headers of a task's requests: of an operation within another they would be
 * those of all. */
static const char *const header_keys[] = {"headers", "header", "opaque-id"};

static const struct operation_type *const families[] = {
    operations_load, operations_index, operations_template, operations_admin};

#define FAMILIES (sizeof families / sizeof *families)

const struct operation_type *operation_find(const char *word)
{
    for (size_t i = 0; i < FAMILIES; i++)
        for (const struct operation_type *t = families[i]; t->word; t++)
            if (!strcmp(t->word, word))
                return t;
    return NULL;
}

enum err operation_unknown(const struct jv *v, const char *word,
                           struct why *why)
{
    char all[512] = "";
    size_t at = 0;
    for (size_t i = 0; i < FAMILIES; i++)
        for (const struct operation_type *t = families[i]; t->word; t++)
            at += (size_t)snprintf(all + at, sizeof all - at, "%s%s",
                                   at ? ", " : "", t->word);
    return field_error(v, why, "\"%s\" is not supported; supported: %s", word,
                       all);
}

enum err operation_names(const struct jv *op, const char *key,
                         const char *otherwise, struct request_path *path,
                         struct why *why)
{
    const struct jv *v = jv_get(op, key);
    if (!v || jv_type(v) == JV_NULL) {
        request_path_add(path, otherwise ? otherwise : "");
        return ERR_OK;
    }
    bool many = jv_type(v) == JV_ARRAY;
    if (many && !jv_size(v))
        return field_error(v, why, "is empty");
    for (size_t i = 0; i < (many ? jv_size(v) : 1); i++) {
        const struct jv *name = many ? jv_at(v, i) : v;
        const char *text = jv_text(name, "");
        if (!*text || !field_plain(text, "_.,*-"))
            return field_error(name, why, "%s%s%s is no name",
                               *text ? "\"" : "", *text ? text : "this",
                               *text ? "\"" : "");
        request_path_add(path, i ? "," : "");
        request_path_add(path, text);
    }
    return ERR_OK;
}

enum err operation_request(const struct operation *o, const char *method,
                           struct request_path *path, const struct jv *body,
                           struct jv *out, struct why *why)
{
    enum err e = request_path_params(o->v, path, why);
    if (!e)
        (void)request_add(out, method, path->text, body);
    return e;
}

/* Where parameters come from: Rally's own sources make of an operation what it
 * says; those of a track are Python. */
static enum err source_check(const struct operation *o, struct why *why)
{
    const char *name = NULL;
    enum err e = field_text(o->v, "param-source", PLAN_NAME_MAX, &name, why);
    bool own = !name || !strcmp(name, o->type->word) ||
               (o->type->kind == PLAN_BULK && !strcmp(name, "file-reader"));
    return e || own
               ? e
               : field_error(jv_get(o->v, "param-source"), why,
                             "\"%s\" is Rally's Python, which does not run "
                             "here: write out what it makes; accepted: %s%s",
                             name, o->type->word,
                             o->type->kind == PLAN_BULK ? ", file-reader" : "");
}

enum err operation_put(const struct operation *o, struct jv *out,
                       struct why *why)
{
    if (jv_type(o->v) == JV_OBJECT) {
        enum err e = source_check(o, why);
        for (size_t i = 0; !e && o->nested && i < 3; i++)
            if (jv_get(o->v, header_keys[i]))
                return field_error(
                    jv_get(o->v, header_keys[i]), why,
                    "is not supported within a composite operation");
        if (!e)
            e = field_only(o->v, o->type->keys, common_keys, why);
        if (!e)
            e = assertions_check(o->v, why);
        if (e)
            return e;
    }
    return o->type->render(o, out, why);
}

static bool is_header(const char *name, const char *value)
{
    for (const char *c = name; *c; c++)
        if (!isgraph((unsigned char)*c) || *c == ':')
            return false;
    for (const char *c = value; *c; c++)
        if (iscntrl((unsigned char)*c))
            return false;
    return *name;
}

static enum err header_add(const char *name, const struct jv *v,
                           struct jv *list, struct why *why)
{
    char text[PLAN_HEADER_MAX + 1];
    const char *value = jv_text(v, NULL);
    if (jv_size(list) == PLAN_HEADERS_MAX)
        return field_error(v, why, "more than %d headers", PLAN_HEADERS_MAX);
    if (!value || !is_header(name, value))
        return field_error(v, why,
                           "is no header: its value must be a text "
                           "on one line");
    int n = snprintf(text, sizeof text, "%s: %s", name, value);
    if (n < 0 || (size_t)n >= sizeof text)
        return field_error(v, why, "exceeds %d bytes", PLAN_HEADER_MAX);
    jv_add_text(list, NULL, text);
    return ERR_OK;
}

/* The headers of each request; Rally's pages call those of a raw request
 * "header". */
static enum err headers_put(const struct jv *op, struct jv *task,
                            struct why *why)
{
    const struct jv *objects[2], *id = jv_get(op, "opaque-id");
    struct jv *list = NULL;
    enum err e = ERR_OK;
    for (size_t i = 0; i < 2 && !e; i++)
        e = field_find(op, header_keys[i], JV_OBJECT, &objects[i], why);
    if (e || jv_size(objects[0]) + jv_size(objects[1]) + !!id == 0)
        return e;
    list = jv_add(task, "headers", JV_ARRAY);
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < jv_size(objects[i]) && !e; k++) {
            const char *name;
            const struct jv *v = jv_member(objects[i], k, &name);
            e = header_add(name, v, list, why);
        }
    return e || !id ? e : header_add("x-opaque-id", id, list, why);
}

enum err operation_render(const struct render *r, const struct jv *op,
                          const char *word, struct jv *task,
                          const struct operation_type **type, struct why *why)
{
    const struct jv *named = jv_get(op, "operation-type");
    *type = operation_find(word);
    if (!*type)
        return operation_unknown(named ? named : op, word, why);
    const struct operation o = {r, op, *type, false};
    jv_add_text(task, "operation", word);
    enum err e = headers_put(op, task, why);
    if (e)
        return e;
    struct jv *out = task;
    if (o.type->kind == PLAN_REQUESTS)
        out = jv_add(task, "requests", JV_ARRAY);
    return operation_put(&o, out, why);
}
