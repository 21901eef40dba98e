/* Operations: Rally's types as lists of HTTP requests, a stream of bulks or a
 * sleep. A new type is a row of the table below and the function it names. */
#include <stdio.h>
#include <string.h>

#include "common/json_build.h"
#include "common/json_place.h"
#include "tracks/field.h"
#include "tracks/render.h"
#include "tracks/request.h"

/* Every operation may have these; what they say is read by render_task.c. */
#define COMMON_KEYS                                                            \
    "name", "operation-type", "include-in-reporting", "meta", "tags",          \
        "request-timeout", "retries", "retry-until-success"

static void ignore_status(struct jv *request, unsigned status)
{
    struct jv *ignore = jv_add(request, "ignore", JV_ARRAY);
    jv_add_u64(ignore, NULL, status);
}

static enum err index_name(const struct jv *op, const char **index,
                           struct why *why)
{
    enum err e = field_text(op, "index", PLAN_NAME_MAX, index, why);
    if (!e && *index && !field_plain(*index, "_.,*-"))
        return field_error(jv_get(op, "index"), why, "\"%s\" is no index name",
                           *index);
    return e;
}

/* One request to /{index}{suffix}; index from op, else otherwise, NULL being
 * none. */
static enum err index_request(const struct jv *op, const char *method,
                              const char *otherwise, const char *suffix,
                              struct jv *out, struct why *why)
{
    struct request_path path = {0};
    enum err e = index_name(op, &otherwise, why);
    if (otherwise) {
        request_path_add(&path, "/");
        request_path_add(&path, otherwise);
    }
    request_path_add(&path, suffix);
    if (!e)
        e = request_path_params(op, &path, why);
    if (!e)
        (void)request_add(out, method, path.text, jv_get(op, "body"));
    return e;
}

/* Append the number of the corpus that v names. */
static enum err add_corpus(const struct jv *all, const struct jv *v,
                           struct jv *list, struct why *why)
{
    for (size_t i = 0; i < jv_size(all); i++)
        if (!strcmp(jv_text(jv_get(jv_at(all, i), "name"), ""),
                    jv_text(v, "?"))) {
            jv_add_u64(list, NULL, i);
            return ERR_OK;
        }
    return field_error(v, why, "there is no corpus \"%s\"", jv_text(v, "?"));
}

static enum err render_bulk(const struct render *r, const struct jv *op,
                            struct jv *out, struct why *why)
{
    uint64_t docs = 0;
    bool looped = false;
    enum err e =
        field_whole(op, "bulk-size", 1, PLAN_BULK_DOCS_MAX, &docs, why);
    if (!e)
        e = field_bool(op, "looped", &looped, why);
    if (e)
        return e;
    if (!docs)
        return field_missing(op, "bulk-size", why);
    const struct jv *all = jv_get(r->root, "corpora"),
                    *only = jv_get(op, "corpora");
    if (!jv_size(all))
        return field_error(op, why, "a bulk, and the track has no corpora");
    struct jv *bulk = jv_add(out, "bulk", JV_OBJECT);
    jv_add_u64(bulk, "docs", docs);
    if (looped)
        jv_add_bool(bulk, "looped", true);
    struct jv *list = jv_add(bulk, "corpora", JV_ARRAY);
    for (size_t i = 0; !only && i < jv_size(all); i++)
        jv_add_u64(list, NULL, i);
    if (jv_type(only) == JV_STRING)
        return add_corpus(all, only, list, why);
    for (size_t i = 0; i < jv_size(only) && !e; i++)
        e = add_corpus(all, jv_at(only, i), list, why);
    if (!e && !jv_size(list))
        e = field_error(only, why, "must be a corpus' name or a list of such");
    return e;
}

static enum err render_search(const struct render *r, const struct jv *op,
                              struct jv *out, struct why *why)
{
    const struct jv *body;
    struct request_path suffix = {0};
    const char *index = r->n_indices == 1 ? r->indices[0].name : NULL;
    bool cache = false;
    enum err e = field_need(op, "body", JV_OBJECT, &body, why);
    if (!e)
        e = field_bool(op, "cache", &cache, why);
    request_path_add(&suffix, "/_search");
    if (jv_get(op, "cache"))
        request_path_add(&suffix, cache ? "?request_cache=true"
                                        : "?request_cache=false");
    return e ? e : index_request(op, "POST", index, suffix.text, out, why);
}

static enum err render_raw(const struct render *r, const struct jv *op,
                           struct jv *out, struct why *why)
{
    (void)r;
    struct request_path path = {0};
    const char *method = "GET", *text;
    const struct jv *ignore;
    enum err e = field_text(op, "method", 16, &method, why);
    if (!e)
        e = field_need_text(op, "path", PLAN_PATH_MAX / 2, &text, why);
    if (!e)
        e = field_find(op, "ignore", JV_ARRAY, &ignore, why);
    if (e)
        return e;
    if (!field_plain(method, ""))
        return field_error(jv_get(op, "method"), why, "is no HTTP method");
    if (*text != '/' || strchr(text, ' '))
        return field_error(jv_get(op, "path"), why,
                           "must begin with / and hold no blank");
    request_path_add(&path, text);
    e = request_path_params(op, &path, why);
    if (e)
        return e;
    struct jv *request =
        request_add(out, method, path.text, jv_get(op, "body"));
    if (jv_size(ignore) > PLAN_IGNORE_MAX)
        return field_error(ignore, why, "more than %d statuses",
                           PLAN_IGNORE_MAX);
    struct jv *list = jv_add(request, "ignore", JV_ARRAY);
    for (size_t i = 0; i < jv_size(ignore); i++) {
        double status = jv_number(jv_at(ignore, i), -1);
        if (!(status >= 100 && status <= 599))
            return field_error(jv_at(ignore, i), why, "must be 100 to 599");
        jv_add_u64(list, NULL, (uint64_t)status);
    }
    return ERR_OK;
}

static enum err each_index(const struct render *r, const struct jv *op,
                           struct why *why)
{
    if (!r->n_indices)
        return field_error(op, why,
                           "\"index\" is missing, and the track has none");
    return ERR_OK;
}

static enum err render_create(const struct render *r, const struct jv *op,
                              struct jv *out, struct why *why)
{
    if (jv_get(op, "index"))
        return index_request(op, "PUT", NULL, "", out, why);
    enum err e = each_index(r, op, why);
    for (size_t i = 0; i < r->n_indices && !e; i++) {
        struct request_path path = {0};
        request_path_add(&path, "/");
        request_path_add(&path, r->indices[i].name);
        e = request_path_params(op, &path, why);
        (void)request_add(out, "PUT", path.text, r->indices[i].body);
    }
    return e;
}

static enum err render_delete(const struct render *r, const struct jv *op,
                              struct jv *out, struct why *why)
{
    bool lenient = true;
    const char *only = NULL;
    enum err e = field_bool(op, "only-if-exists", &lenient, why);
    if (!e)
        e = index_name(op, &only, why);
    if (!e && !only)
        e = each_index(r, op, why);
    for (size_t i = 0; i < (only ? 1 : r->n_indices) && !e; i++) {
        struct request_path path = {0};
        request_path_add(&path, "/");
        request_path_add(&path, only ? only : r->indices[i].name);
        e = request_path_params(op, &path, why);
        struct jv *request = request_add(out, "DELETE", path.text, NULL);
        if (lenient)
            ignore_status(request, 404);
    }
    return e;
}

static enum err render_refresh(const struct render *r, const struct jv *op,
                               struct jv *out, struct why *why)
{
    (void)r;
    return index_request(op, "POST", "_all", "/_refresh", out, why);
}

static enum err render_merge(const struct render *r, const struct jv *op,
                             struct jv *out, struct why *why)
{
    (void)r;
    char suffix[64] = "/_forcemerge";
    const char *mode = "blocking";
    uint64_t segments = 0;
    enum err e = field_text(op, "mode", 16, &mode, why);
    if (!e)
        e = field_whole(op, "max-num-segments", 1, 10000, &segments, why);
    if (!e && strcmp(mode, "blocking") != 0)
        e = field_error(jv_get(op, "mode"), why,
                        "\"%s\" is not supported; accepted: blocking", mode);
    if (segments)
        (void)snprintf(suffix, sizeof suffix,
                       "/_forcemerge?max_num_segments=%u", (unsigned)segments);
    return e ? e : index_request(op, "POST", "_all", suffix, out, why);
}

static enum err render_health(const struct render *r, const struct jv *op,
                              struct jv *out, struct why *why)
{
    (void)r;
    const char *index = NULL;
    struct request_path path = {0};
    enum err e = index_name(op, &index, why);
    request_path_add(&path, "/_cluster/health");
    if (index) {
        request_path_add(&path, "/");
        request_path_add(&path, index);
    }
    if (!e)
        e = request_path_params(op, &path, why);
    if (!e)
        (void)request_add(out, "GET", path.text, NULL);
    return e;
}

static enum err render_index_stats(const struct render *r, const struct jv *op,
                                   struct jv *out, struct why *why)
{
    (void)r;
    return index_request(op, "GET", "_all", "/_stats", out, why);
}

static enum err render_node_stats(const struct render *r, const struct jv *op,
                                  struct jv *out, struct why *why)
{
    (void)r;
    return index_request(op, "GET", NULL, "/_nodes/stats", out, why);
}

static enum err render_sleep(const struct render *r, const struct jv *op,
                             struct jv *out, struct why *why)
{
    (void)r;
    uint64_t ns = 0;
    if (!jv_get(op, "duration"))
        return field_missing(op, "duration", why);
    enum err e = field_seconds(op, "duration", PLAN_TIME_MAX_NS, &ns, why);
    jv_add_u64(out, "sleep_ns", ns);
    return e;
}

static const struct type {
    const char *word;
    enum plan_kind kind;
    enum render_rank rank;
    /* out: the list of requests, or the task of bulk and sleep */
    enum err (*render)(const struct render *r, const struct jv *op,
                       struct jv *out, struct why *why);
    const char *keys[16];
} types[] = {
    {"bulk",
     PLAN_BULK,
     RENDER_MEASURED,
     render_bulk,
     {COMMON_KEYS, "bulk-size", "corpora", "looped"}},
    {"search",
     PLAN_REQUESTS,
     RENDER_MAYBE,
     render_search,
     {COMMON_KEYS, "index", "body", "request-params", "cache"}},
    {"raw-request",
     PLAN_REQUESTS,
     RENDER_MAYBE,
     render_raw,
     {COMMON_KEYS, "method", "path", "body", "request-params", "ignore"}},
    {"create-index",
     PLAN_REQUESTS,
     RENDER_ONCE,
     render_create,
     {COMMON_KEYS, "index", "body", "request-params"}},
    {"delete-index",
     PLAN_REQUESTS,
     RENDER_ONCE,
     render_delete,
     {COMMON_KEYS, "index", "only-if-exists", "request-params"}},
    {"refresh",
     PLAN_REQUESTS,
     RENDER_ONCE,
     render_refresh,
     {COMMON_KEYS, "index", "request-params"}},
    {"force-merge",
     PLAN_REQUESTS,
     RENDER_ONCE,
     render_merge,
     {COMMON_KEYS, "index", "mode", "max-num-segments", "request-params"}},
    {"cluster-health",
     PLAN_REQUESTS,
     RENDER_ONCE,
     render_health,
     {COMMON_KEYS, "index", "request-params"}},
    {"index-stats",
     PLAN_REQUESTS,
     RENDER_MAYBE,
     render_index_stats,
     {COMMON_KEYS, "index", "request-params"}},
    {"node-stats",
     PLAN_REQUESTS,
     RENDER_MAYBE,
     render_node_stats,
     {COMMON_KEYS, "request-params"}},
    {"sleep",
     PLAN_SLEEP,
     RENDER_ONCE,
     render_sleep,
     {COMMON_KEYS, "duration"}}};

static const struct type *find(const char *word)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].word, word))
            return &types[i];
    return NULL;
}

static enum err unknown(const struct jv *op, const char *word, struct why *why)
{
    char all[256];
    size_t at = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        at += (size_t)snprintf(all + at, sizeof all - at, "%s%s", i ? ", " : "",
                               types[i].word);
    const struct jv *type = jv_get(op, "operation-type");
    return field_error(type ? type : op, why,
                       "\"%s\" is not supported; supported: %s", word, all);
}

enum err operation_render(const struct render *r, const struct jv *op,
                          const char *word, struct jv *task,
                          enum render_rank *rank, struct why *why)
{
    const struct type *type = find(word);
    if (!type)
        return unknown(op, word, why);
    *rank = type->rank;
    jv_add_text(task, "operation", type->word);
    if (jv_type(op) == JV_OBJECT) {
        enum err e = jv_only(op, type->keys, why);
        if (e)
            return e;
    }
    struct jv *out = task;
    if (type->kind == PLAN_REQUESTS)
        out = jv_add(task, "requests", JV_ARRAY);
    return type->render(r, op, out, why);
}
