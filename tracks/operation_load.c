/* Operations that are load: bulks, searches, single requests, and several of
 * these side by side. */
#include <stdio.h>
#include <string.h>

#include "common/json_build.h"
#include "common/json_place.h"
#include "tracks/bulk_render.h"
#include "tracks/field.h"
#include "tracks/field_list.h"
#include "tracks/operation.h"

#define RESULTS_MAX 1000000

static enum err put_bulk(const struct operation *o, struct jv *out,
                         struct why *why)
{
    return bulk_render(o->r, o->v, out, why);
}

/* A scroll, as Rally's: 10 hits a page, kept for 10 s. */
#define SCROLL_KEEP    "10s"
#define SCROLL_RESULTS 10

/* How many pages of how many hits; none: no scroll. */
struct scroll {
    uint64_t pages, results;
};

static enum err scroll_read(const struct operation *o, struct scroll *s,
                            struct why *why)
{
    const struct jv *v = jv_get(o->v, "pages");
    bool scrolls = !strcmp(o->type->word, "scroll-search");
    *s = (struct scroll){.results = SCROLL_RESULTS};
    enum err e =
        field_whole(o->v, "results-per-page", 1, RESULTS_MAX, &s->results, why);
    if (e)
        return e;
    if (!strcmp(jv_text(v, ""), "all"))
        s->pages = PLAN_PAGES_MAX;
    else
        e = field_whole(o->v, "pages", 1, PLAN_PAGES_MAX, &s->pages, why);
    if (!e && scrolls && !s->pages)
        return field_missing(o->v, "pages", why);
    if (!e && s->pages && o->nested)
        return field_error(v, why,
                           "a search of pages is not supported in a composite");
    return e;
}

static enum err put_scroll(const struct operation *o, const struct scroll *s,
                           struct request_path *path, struct jv *out,
                           struct why *why)
{
    char size[24];
    (void)snprintf(size, sizeof size, "%llu", (unsigned long long)s->results);
    request_path_query(path, "scroll", SCROLL_KEEP);
    request_path_query(path, "size", size);
    request_path_query(path, "sort", "_doc");
    enum err e = request_path_params(o->v, path, why);
    if (e)
        return e;
    struct jv *request =
        request_add(out, "POST", path->text, jv_get(o->v, "body"));
    jv_add_u64(request, "pages", s->pages);
    jv_add_u64(request, "page_size", s->results);
    return ERR_OK;
}

static enum err put_search(const struct operation *o, struct jv *out,
                           struct why *why)
{
    const struct jv *body;
    const struct render *r = o->r;
    struct request_path path = {0};
    const char *index = r->n_indices == 1 ? r->indices[0].name : NULL;
    const char *stream = r->n_streams == 1 ? r->streams[0] : NULL;
    const char *key = jv_get(o->v, "data-stream") ? "data-stream" : "index";
    bool cache = false, compressed = false;
    struct scroll scroll = {0};
    enum err e = field_need(o->v, "body", JV_OBJECT, &body, why);
    if (!e)
        e = scroll_read(o, &scroll, why);
    if (!e)
        e = field_bool(o->v, "cache", &cache, why);
    if (!e)
        e = field_bool(o->v, "response-compression-enabled", &compressed, why);
    request_path_add(&path, "/");
    if (!e)
        e = operation_names(o->v, key, index ? index : stream, &path, why);
    if (path.len > 1)
        request_path_add(&path, "/");
    request_path_add(&path, "_search");
    if (jv_type(jv_get(o->v, "cache")) == JV_BOOL)
        request_path_add(&path, cache ? "?request_cache=true"
                                      : "?request_cache=false");
    if (e)
        return e;
    return scroll.pages ? put_scroll(o, &scroll, &path, out, why)
                        : operation_request(o, "POST", &path, body, out, why);
}

static enum err ignore_add(const struct jv *v, struct jv *list, struct why *why)
{
    double status = jv_number(v, -1);
    if (!(status >= 100 && status <= 599))
        return field_error(v, why, "must be 100 to 599");
    jv_add_u64(list, NULL, (uint64_t)status);
    return ERR_OK;
}

/* Statuses that are as good as 2xx: one, or a list. */
static enum err ignore_put(const struct jv *op, struct jv *request,
                           struct why *why)
{
    const struct jv *ignore = jv_get(op, "ignore");
    struct jv *list = jv_add(request, "ignore", JV_ARRAY);
    if (jv_type(ignore) == JV_NUMBER)
        return ignore_add(ignore, list, why);
    enum err e = field_find(op, "ignore", JV_ARRAY, &ignore, why);
    if (!e && jv_size(ignore) > PLAN_IGNORE_MAX)
        e = field_error(ignore, why, "more than %d statuses", PLAN_IGNORE_MAX);
    for (size_t i = 0; i < jv_size(ignore) && !e; i++)
        e = ignore_add(jv_at(ignore, i), list, why);
    return e;
}

static enum err put_raw(const struct operation *o, struct jv *out,
                        struct why *why)
{
    struct request_path path = {0};
    const char *method = "GET", *text;
    enum err e = field_text(o->v, "method", 16, &method, why);
    if (!e)
        e = field_need_text(o->v, "path", PLAN_PATH_MAX / 2, &text, why);
    if (e)
        return e;
    if (!field_plain(method, ""))
        return field_error(jv_get(o->v, "method"), why, "is no HTTP method");
    if (*text != '/' || strchr(text, ' '))
        return field_error(jv_get(o->v, "path"), why,
                           "must begin with / and hold no blank");
    request_path_add(&path, text);
    e = request_path_params(o->v, &path, why);
    if (e)
        return e;
    return ignore_put(
        o->v, request_add(out, method, path.text, jv_get(o->v, "body")), why);
}

static enum err put_info(const struct operation *o, struct jv *out,
                         struct why *why)
{
    struct request_path path = {0};
    request_path_add(&path, "/");
    return operation_request(o, "GET", &path, NULL, out, why);
}

/* What fields indices have: of all of them all, or as op says. */
static enum err put_field_caps(const struct operation *o, struct jv *out,
                               struct why *why)
{
    const struct jv *filter = NULL;
    const char *fields = "*";
    struct request_path path = {0};
    enum err e = field_text(o->v, "fields", PLAN_PATH_MAX / 4, &fields, why);
    if (!e)
        e = field_find(o->v, "index_filter", JV_OBJECT, &filter, why);
    request_path_add(&path, "/");
    if (!e)
        e = operation_names(o->v, "index", "_all", &path, why);
    if (e)
        return e;
    request_path_add(&path, "/_field_caps");
    request_path_query(&path, "fields", fields);
    if (!filter)
        return operation_request(o, "GET", &path, NULL, out, why);
    struct jv *body = jv_new(JV_OBJECT);
    jv_add_copy(body, "index_filter", filter);
    e = operation_request(o, "POST", &path, body, out, why);
    jv_free(body);
    return e;
}

/* What may stand in a stream: requests that ask for something, once. */
static bool goes_in_stream(const struct operation_type *type)
{
    return type && type->kind == PLAN_REQUESTS && !type->admin &&
           strcmp(type->word, "scroll-search") != 0;
}

/* One operation of a stream: requests only. */
static enum err put_item(const struct operation *o, const struct jv *v,
                         struct jv *requests, struct why *why)
{
    const char *word;
    if (jv_get(v, "stream"))
        return field_error(v, why,
                           "a \"stream\" beside or within another's "
                           "operations is not supported");
    enum err e =
        field_need_text(v, "operation-type", PLAN_NAME_MAX, &word, why);
    if (e)
        return e;
    const struct operation item = {o->r, v, operation_find(word), true};
    if (!goes_in_stream(item.type))
        return field_error(jv_get(v, "operation-type"), why,
                           "\"%s\" is not supported in a composite; "
                           "supported: search, raw-request, field-caps, info, "
                           "index-stats, node-stats",
                           word);
    if (jv_size(requests) == PLAN_REQUESTS_MAX)
        return field_error(v, why, "more than %d operations in a stream",
                           PLAN_REQUESTS_MAX);
    return operation_put(&item, requests, why);
}

static enum err put_stream(const struct operation *o, const struct jv *list,
                           struct jv *streams, struct why *why)
{
    struct jv *requests = jv_add(streams, NULL, JV_ARRAY);
    enum err e = field_objects(list, PLAN_REQUESTS_MAX, why);
    for (size_t i = 0; i < jv_size(list) && !e; i++)
        e = put_item(o, jv_at(list, i), requests, why);
    return e;
}

/* Either streams, which run side by side, or operations one after another,
 * which are one stream. */
static enum err put_composite(const struct operation *o, struct jv *out,
                              struct why *why)
{
    static const char *const keys[] = {"stream", "name", NULL};
    const struct jv *list;
    uint64_t connections = 0;
    enum err e = field_list(o->v, "requests", PLAN_REQUESTS_MAX, &list, why);
    if (!e)
        e = field_whole(o->v, "max-connections", 1, PLAN_CLIENTS_MAX,
                        &connections, why);
    if (e)
        return e;
    struct jv *streams = jv_add(out, "streams", JV_ARRAY);
    jv_add_u64(out, "max_connections", connections);
    if (!jv_get(jv_at(list, 0), "stream"))
        return put_stream(o, list, streams, why);
    if (jv_size(list) > PLAN_STREAMS_MAX)
        return field_error(list, why, "more than %d streams", PLAN_STREAMS_MAX);
    for (size_t i = 0; i < jv_size(list) && !e; i++) {
        const struct jv *v = jv_at(list, i);
        e = field_only(v, keys, NULL, why);
        if (!e && !jv_get(v, "stream"))
            e = field_missing(v, "stream", why);
        if (!e)
            e = put_stream(o, jv_get(v, "stream"), streams, why);
    }
    return e;
}

const struct operation_type operations_load[] = {
    {"bulk",
     PLAN_BULK,
     RENDER_MEASURED,
     false,
     put_bulk,
     {"bulk-size", "bulk-sizes", "batch-size", "corpora", "indices",
      "data-streams", "ingest-percentage", "ingest-doc-count", "looped",
      "conflicts", "conflict-probability", "on-conflict", "recency", "pipeline",
      "refresh", "timeout"}},
    {"search",
     PLAN_REQUESTS,
     RENDER_MAYBE,
     false,
     put_search,
     {"index", "data-stream", "body", "cache", "pages", "results-per-page",
      "response-compression-enabled"}},
    {"scroll-search",
     PLAN_REQUESTS,
     RENDER_MEASURED,
     false,
     put_search,
     {"index", "data-stream", "body", "cache", "pages", "results-per-page",
      "response-compression-enabled"}},
    {"raw-request",
     PLAN_REQUESTS,
     RENDER_MAYBE,
     false,
     put_raw,
     {"method", "path", "header", "body", "ignore"}},
    {"field-caps",
     PLAN_REQUESTS,
     RENDER_MAYBE,
     false,
     put_field_caps,
     {"index", "fields", "index_filter"}},
    {"info", PLAN_REQUESTS, RENDER_MAYBE, false, put_info, {NULL}},
    {"composite",
     PLAN_COMPOSITE,
     RENDER_MEASURED,
     false,
     put_composite,
     {"requests", "max-connections"}},
    {.word = NULL}};
