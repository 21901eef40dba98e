#include <string.h>

#include "common/json_place.h"
#include "tracks/field.h"
#include "tracks/field_list.h"
#include "tracks/plan_task.h"

static enum err ignore_read(const struct jv *v, struct plan_request *r,
                            struct why *why)
{
    const struct jv *ignore;
    enum err e = field_find(v, "ignore", JV_ARRAY, &ignore, why);
    if (e)
        return e;
    if (jv_size(ignore) > PLAN_IGNORE_MAX)
        return field_error(ignore, why, "more than %d statuses",
                           PLAN_IGNORE_MAX);
    for (size_t i = 0; i < jv_size(ignore); i++) {
        double n = jv_number(jv_at(ignore, i), -1);
        if (!(n >= 100 && n <= 599))
            return field_error(jv_at(ignore, i), why, "must be 100 to 599");
        r->ignore[r->n_ignore++] = (unsigned)n;
    }
    return ERR_OK;
}

/* A condition on the answer. */
static enum err want_read(const struct jv *v, struct plan_request *r,
                          struct why *why)
{
    static const char *const keys[] = {"path", "value", NULL};
    const struct jv *want;
    enum err e = field_find(v, "want", JV_OBJECT, &want, why);
    if (e || !want)
        return e;
    e = jv_only(want, keys, why);
    if (!e)
        e = field_need_text(want, "path", PLAN_QUERY_MAX, &r->want_path, why);
    r->want = jv_get(want, "value");
    if (!e && (!r->want || jv_size(r->want)))
        e = field_error(want, why, "\"value\" must be a plain value");
    return e;
}

static enum err request_read(const struct jv *v, struct plan_request *r,
                             struct why *why)
{
    static const char *const keys[] = {"method", "path",  "body",      "ignore",
                                       "want",   "pages", "page_size", NULL};
    const struct jv *body;
    uint64_t pages = 0, page_size = 0;
    enum err e = jv_only(v, keys, why);
    if (!e)
        e = field_need_text(v, "method", 16, &r->method, why);
    if (!e)
        e = field_need_text(v, "path", PLAN_PATH_MAX, &r->path, why);
    if (!e)
        e = field_find(v, "body", JV_STRING, &body, why);
    if (!e)
        e = field_whole(v, "pages", 1, PLAN_PAGES_MAX, &pages, why);
    if (!e)
        e = field_whole(v, "page_size", 1, UINT32_MAX, &page_size, why);
    if (e)
        return e;
    r->pages = (uint32_t)pages;
    r->page_size = (uint32_t)page_size;
    r->body = jv_text(body, NULL);
    if (!field_plain(r->method, ""))
        return field_error(jv_get(v, "method"), why, "is no HTTP method");
    if (*r->path != '/' || strchr(r->path, ' '))
        return field_error(jv_get(v, "path"), why,
                           "must begin with / and hold no blank");
    e = ignore_read(v, r, why);
    return e ? e : want_read(v, r, why);
}

/* The objects of list into *out, *n of them. */
static enum err list_read(const struct jv *list, struct plan_request **out,
                          size_t *n, struct why *why)
{
    enum err e = plan_array((void **)out, jv_size(list), sizeof **out, why);
    if (e)
        return e;
    *n = jv_size(list);
    for (size_t i = 0; i < *n && !e; i++)
        e = request_read(jv_at(list, i), &(*out)[i], why);
    return e;
}

/* A scroll is a task by itself. */
static enum err refuse_scrolls(const struct jv *list,
                               const struct plan_request *requests, size_t n,
                               struct why *why)
{
    for (size_t i = 0; i < n; i++)
        if (requests[i].pages)
            return field_error(jv_at(list, i), why,
                               "\"pages\" is for a task's only request");
    return ERR_OK;
}

enum err plan_requests_read(const struct jv *v, struct plan_task *t,
                            struct why *why)
{
    const struct jv *requests;
    t->kind = PLAN_REQUESTS;
    enum err e = field_list(v, "requests", PLAN_REQUESTS_MAX, &requests, why);
    if (!e)
        e = list_read(requests, &t->requests, &t->n_requests, why);
    return e || t->n_requests == 1
               ? e
               : refuse_scrolls(requests, t->requests, t->n_requests, why);
}

enum err plan_streams_read(const struct jv *v, struct plan_task *t,
                           struct why *why)
{
    const struct jv *streams;
    uint64_t connections = 0;
    t->kind = PLAN_COMPOSITE;
    enum err e = field_need(v, "streams", JV_ARRAY, &streams, why);
    if (!e)
        e = field_whole(v, "max_connections", 0, PLAN_CLIENTS_MAX, &connections,
                        why);
    if (!e)
        e = field_size(streams, PLAN_STREAMS_MAX, why);
    if (!e)
        e = plan_array((void **)&t->streams, jv_size(streams),
                       sizeof *t->streams, why);
    if (e)
        return e;
    t->max_connections = (uint32_t)connections;
    t->n_streams = jv_size(streams);
    for (size_t i = 0; i < t->n_streams && !e; i++) {
        const struct jv *stream = jv_at(streams, i);
        struct plan_stream *s = &t->streams[i];
        e = field_objects(stream, PLAN_REQUESTS_MAX, why);
        if (!e)
            e = list_read(stream, &s->requests, &s->n_requests, why);
        if (!e)
            e = refuse_scrolls(stream, s->requests, s->n_requests, why);
    }
    return e;
}
