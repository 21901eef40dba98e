#include "tracks/request.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_build.h"
#include "tracks/field.h"

void request_path_add(struct request_path *p, const char *text)
{
    for (; *text && p->len < PLAN_PATH_MAX; text++)
        p->text[p->len++] = *text;
    p->text[p->len] = 0;
}

/* Percent-encode what may not stand in a query. */
static void add_encoded(struct request_path *p, const char *text)
{
    for (; *text; text++) {
        char code[4] = {*text};
        if (!isalnum((unsigned char)*text) && !strchr("-_.~,*", *text))
            (void)snprintf(code, sizeof code, "%%%02X", (unsigned char)*text);
        request_path_add(p, code);
    }
}

void request_path_query(struct request_path *p, const char *key,
                        const char *value)
{
    request_path_add(p, strchr(p->text, '?') ? "&" : "?");
    add_encoded(p, key);
    request_path_add(p, "=");
    add_encoded(p, value);
}

enum err request_path_params(const struct jv *op, struct request_path *p,
                             struct why *why)
{
    const struct jv *params, *v;
    const char *key;
    enum err e = field_find(op, "request-params", JV_OBJECT, &params, why);
    for (size_t i = 0; !e && (v = jv_member(params, i, &key)); i++) {
        char *printed = jv_print(v, false);
        if (jv_type(v) == JV_OBJECT || jv_type(v) == JV_ARRAY)
            e = field_error(v, why, "must be a text, a number or a bool");
        request_path_query(p, key, jv_text(v, printed));
        free(printed);
    }
    if (!e && p->len == PLAN_PATH_MAX)
        return field_error(op, why, "path and parameters exceed %d bytes",
                           PLAN_PATH_MAX);
    return e;
}

/* A body given as JSON, as text, or as a list of lines, into a malloc'ed text
 * (NULL: none). */
static char *body_text(const struct jv *body)
{
    if (!body || jv_type(body) == JV_NULL)
        return NULL;
    if (jv_type(body) == JV_STRING)
        return strdup(jv_text(body, ""));
    if (jv_type(body) != JV_ARRAY)
        return jv_print(body, false);
    char *all = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&all, &len);
    for (size_t i = 0; f && i < jv_size(body); i++) {
        char *line = jv_print(jv_at(body, i), false);
        (void)fprintf(f, "%s\n", jv_text(jv_at(body, i), line));
        free(line);
    }
    if (f)
        (void)fclose(f);
    return all;
}

struct jv *request_add(struct jv *out, const char *method, const char *path,
                       const struct jv *body)
{
    char *text = body_text(body);
    struct jv *request = jv_add(out, NULL, JV_OBJECT);
    jv_add_text(request, "method", method);
    jv_add_text(request, "path", path);
    if (text)
        jv_add_text(request, "body", text);
    free(text);
    return request;
}

void request_ignore(struct jv *request, unsigned status)
{
    struct jv *ignore = jv_add(request, "ignore", JV_ARRAY);
    jv_add_u64(ignore, NULL, status);
}
