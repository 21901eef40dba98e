/* Operations on the cluster: one request each, and the sleep. */
#include <stdio.h>
#include <string.h>

#include "common/json_build.h"
#include "common/json_place.h"
#include "tracks/field.h"
#include "tracks/operation.h"

/* One request to /INDEX/suffix, of all indices without "index". */
static enum err of_index(const struct operation *o, const char *method,
                         const char *suffix, struct jv *out, struct why *why)
{
    struct request_path path = {0};
    request_path_add(&path, "/");
    enum err e = operation_names(o->v, "index", "_all", &path, why);
    request_path_add(&path, suffix);
    return e ? e : operation_request(o, method, &path, NULL, out, why);
}

static enum err put_refresh(const struct operation *o, struct jv *out,
                            struct why *why)
{
    return of_index(o, "POST", "/_refresh", out, why);
}

static enum err put_flush(const struct operation *o, struct jv *out,
                          struct why *why)
{
    return of_index(o, "POST", "/_flush", out, why);
}

/* Polling is Rally's way around clients that give up: here a request may take
 * as long as it needs (render_task.c), so that it is the same as blocking. */
static enum err put_merge(const struct operation *o, struct jv *out,
                          struct why *why)
{
    char suffix[64] = "/_forcemerge";
    const char *mode = "blocking";
    uint64_t segments = 0, period_ns = 0;
    enum err e = field_text(o->v, "mode", 16, &mode, why);
    /* -1 is what Elasticsearch does without being told. */
    if (!e && !(jv_number(jv_get(o->v, "max-num-segments"), 0) < 0))
        e = field_whole(o->v, "max-num-segments", 1, 10000, &segments, why);
    if (!e)
        e = field_seconds(o->v, "poll-period", PLAN_TIME_MAX_NS, &period_ns,
                          why);
    if (!e && strcmp(mode, "blocking") != 0 && strcmp(mode, "polling") != 0)
        e = field_error(jv_get(o->v, "mode"), why,
                        "\"%s\" is not supported; accepted: blocking, polling",
                        mode);
    if (segments)
        (void)snprintf(suffix, sizeof suffix,
                       "/_forcemerge?max_num_segments=%u", (unsigned)segments);
    return e ? e : of_index(o, "POST", suffix, out, why);
}

static enum err put_health(const struct operation *o, struct jv *out,
                           struct why *why)
{
    struct request_path path = {0};
    request_path_add(&path, "/_cluster/health");
    if (jv_get(o->v, "index"))
        request_path_add(&path, "/");
    enum err e = operation_names(o->v, "index", NULL, &path, why);
    return e ? e : operation_request(o, "GET", &path, NULL, out, why);
}

/* What the answer must say: a path and a plain value. */
static enum err condition_put(const struct jv *condition, struct jv *request,
                              struct why *why)
{
    static const char *const keys[] = {"path", "expected-value", NULL};
    const char *path;
    const struct jv *value = jv_get(condition, "expected-value");
    enum err e = field_only(condition, keys, NULL, why);
    if (!e)
        e = field_need_text(condition, "path", PLAN_QUERY_MAX, &path, why);
    if (!e && !value)
        e = field_missing(condition, "expected-value", why);
    if (!e && (jv_type(value) == JV_OBJECT || jv_type(value) == JV_ARRAY))
        e = field_error(value, why, "must be a plain value");
    if (e)
        return e;
    struct jv *want = jv_add(request, "want", JV_OBJECT);
    jv_add_text(want, "path", path);
    jv_add_copy(want, "value", value);
    return ERR_OK;
}

static enum err put_index_stats(const struct operation *o, struct jv *out,
                                struct why *why)
{
    struct request_path path = {0};
    const struct jv *condition = jv_get(o->v, "condition");
    request_path_add(&path, "/");
    enum err e = operation_names(o->v, "index", "_all", &path, why);
    request_path_add(&path, "/_stats");
    if (!e)
        e = request_path_params(o->v, &path, why);
    if (!e && o->nested && condition)
        e = field_error(condition, why,
                        "is not supported within a composite operation");
    if (e)
        return e;
    struct jv *request = request_add(out, "GET", path.text, NULL);
    return condition ? condition_put(condition, request, why) : ERR_OK;
}

static enum err put_node_stats(const struct operation *o, struct jv *out,
                               struct why *why)
{
    struct request_path path = {0};
    request_path_add(&path, "/_nodes/stats");
    return operation_request(o, "GET", &path, NULL, out, why);
}

static enum err put_settings(const struct operation *o, struct jv *out,
                             struct why *why)
{
    struct request_path path = {0};
    const struct jv *body;
    enum err e = field_need(o->v, "body", JV_OBJECT, &body, why);
    request_path_add(&path, "/_cluster/settings");
    return e ? e : operation_request(o, "PUT", &path, body, out, why);
}

static enum err put_pipeline(const struct operation *o, struct jv *out,
                             struct why *why)
{
    struct request_path path = {0};
    const struct jv *body;
    const char *id;
    enum err e = field_need(o->v, "body", JV_OBJECT, &body, why);
    if (!e)
        e = field_need_text(o->v, "id", PLAN_NAME_MAX, &id, why);
    if (e)
        return e;
    if (!field_plain(id, "_.-"))
        return field_error(jv_get(o->v, "id"), why, "is no pipeline's name");
    request_path_add(&path, "/_ingest/pipeline/");
    request_path_add(&path, id);
    return operation_request(o, "PUT", &path, body, out, why);
}

static enum err put_sleep(const struct operation *o, struct jv *out,
                          struct why *why)
{
    uint64_t ns = 0;
    if (!jv_get(o->v, "duration"))
        return field_missing(o->v, "duration", why);
    enum err e = field_seconds(o->v, "duration", PLAN_TIME_MAX_NS, &ns, why);
    jv_add_u64(out, "sleep_ns", ns);
    return e;
}

const struct operation_type operations_admin[] = {
    {"refresh", PLAN_REQUESTS, RENDER_ONCE, true, put_refresh, {"index"}},
    {"flush", PLAN_REQUESTS, RENDER_ONCE, true, put_flush, {"index"}},
    {"force-merge",
     PLAN_REQUESTS,
     RENDER_ONCE,
     true,
     put_merge,
     {"index", "mode", "poll-period", "max-num-segments"}},
    {"cluster-health", PLAN_REQUESTS, RENDER_ONCE, true, put_health, {"index"}},
    {"index-stats",
     PLAN_REQUESTS,
     RENDER_MAYBE,
     false,
     put_index_stats,
     {"index", "condition"}},
    {"node-stats", PLAN_REQUESTS, RENDER_MAYBE, false, put_node_stats, {NULL}},
    {"put-settings", PLAN_REQUESTS, RENDER_ONCE, true, put_settings, {"body"}},
    {"put-pipeline",
     PLAN_REQUESTS,
     RENDER_ONCE,
     true,
     put_pipeline,
     {"id", "body"}},
    {"sleep", PLAN_SLEEP, RENDER_ONCE, true, put_sleep, {"duration"}},
    {.word = NULL}};
