#include "tracks/plan_task.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_place.h"
#include "tracks/field.h"

enum err plan_array(void **out, size_t n, size_t size, struct why *why)
{
    *out = calloc(n, size);
    return *out ? ERR_OK : err_set(why, ERR_NOMEM, "plan: out of memory");
}

/* What the task does: exactly one of the four. */
static enum err work_read(const struct jv *v, struct plan_task *t,
                          size_t n_corpora, struct why *why)
{
    const struct jv *bulk = jv_get(v, "bulk"),
                    *requests = jv_get(v, "requests"),
                    *streams = jv_get(v, "streams"),
                    *sleep = jv_get(v, "sleep_ns");
    if (!!bulk + !!requests + !!streams + !!sleep != 1)
        return field_error(v, why,
                           "needs one of \"bulk\", \"requests\", \"streams\", "
                           "\"sleep_ns\"");
    if (jv_get(v, "max_connections") && !streams)
        return field_error(jv_get(v, "max_connections"), why,
                           "means nothing without \"streams\"");
    if (bulk)
        return plan_bulk_read(bulk, t, n_corpora, why);
    if (requests)
        return plan_requests_read(v, t, why);
    if (streams)
        return plan_streams_read(v, t, why);
    t->kind = PLAN_SLEEP;
    return field_whole(v, "sleep_ns", 0, PLAN_TIME_MAX_NS, &t->sleep_ns, why);
}

/* By what the task ends: a time or iterations, not both. */
static enum err length_read(const struct jv *v, struct plan_task *t,
                            struct why *why)
{
    const struct {
        const char *key;
        uint64_t max, *out;
    } rows[] = {
        {"warmup_ns", PLAN_TIME_MAX_NS, &t->warmup_ns},
        {"measure_ns", PLAN_TIME_MAX_NS, &t->measure_ns},
        {"ramp_up_ns", PLAN_TIME_MAX_NS, &t->ramp_up_ns},
        {"warmup-iterations", PLAN_ITERATIONS_MAX, &t->warmup_iterations},
        {"iterations", PLAN_ITERATIONS_MAX, &t->iterations}};
    enum err e = ERR_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !e; i++)
        e = field_whole(v, rows[i].key, 0, rows[i].max, rows[i].out, why);
    if (e)
        return e;
    bool timed = t->warmup_ns || t->measure_ns || t->ramp_up_ns;
    if (timed && (t->warmup_iterations || t->iterations))
        return field_error(v, why, "both times and iterations");
    if (t->ramp_up_ns > t->warmup_ns)
        return field_error(jv_get(v, "ramp_up_ns"), why,
                           "is longer than \"warmup_ns\"");
    return ERR_OK;
}

static enum err pace_read(const struct jv *v, struct plan_task *t,
                          struct why *why)
{
    const struct jv *rate;
    const char *unit = "ops";
    uint64_t clients = 1, retries = 0;
    enum err e = field_whole(v, "clients", 1, PLAN_CLIENTS_MAX, &clients, why);
    if (!e)
        e = length_read(v, t, why);
    if (!e)
        e = field_whole(v, "timeout_ns", 1, PLAN_TIME_MAX_NS, &t->timeout_ns,
                        why);
    if (!e)
        e = field_whole(v, "retries", 0, 1000, &retries, why);
    if (!e)
        e = field_whole(v, "retry_wait_ns", 0, PLAN_TIME_MAX_NS,
                        &t->retry_wait_ns, why);
    if (!e)
        e = field_find(v, "rate_s", JV_NUMBER, &rate, why);
    if (!e)
        e = field_text(v, "rate_unit", 8, &unit, why);
    if (e)
        return e;
    t->clients = (uint32_t)clients;
    t->retries = (uint32_t)retries;
    t->rate_s = jv_number(rate, 0);
    if (!(t->rate_s >= 0 && t->rate_s <= 1e9))
        return field_error(rate, why, "must be 0 to 1e9");
    t->rate_docs = !strcmp(unit, "docs");
    if (!t->rate_docs && strcmp(unit, "ops") != 0)
        return field_error(jv_get(v, "rate_unit"), why,
                           "\"%s\" is unknown; accepted: ops, docs", unit);
    return ERR_OK;
}

static bool is_header(const char *text)
{
    size_t name = strcspn(text, ":");
    for (size_t i = 0; i < name; i++)
        if (!isgraph((unsigned char)text[i]))
            return false;
    for (const char *c = text; *c; c++)
        if (iscntrl((unsigned char)*c))
            return false;
    return name && text[name];
}

static enum err headers_read(const struct jv *v, struct plan_task *t,
                             struct why *why)
{
    const struct jv *list;
    enum err e = field_find(v, "headers", JV_ARRAY, &list, why);
    if (e || !list)
        return e;
    if (jv_size(list) > PLAN_HEADERS_MAX)
        return field_error(list, why, "more than %d headers", PLAN_HEADERS_MAX);
    e = plan_array((void **)&t->headers, jv_size(list) + 1, sizeof *t->headers,
                   why);
    for (size_t i = 0; !e && i < jv_size(list); i++) {
        const char *text = jv_text(jv_at(list, i), "");
        if (!is_header(text) || strlen(text) > PLAN_HEADER_MAX)
            return field_error(jv_at(list, i), why,
                               "must be \"NAME: VALUE\", at most %d bytes",
                               PLAN_HEADER_MAX);
        t->headers[t->n_headers++] = text;
    }
    return e;
}

enum err plan_task_read(const struct jv *v, struct plan_task *t,
                        size_t n_corpora, struct why *why)
{
    static const char *const keys[] = {"name",
                                       "operation",
                                       "clients",
                                       "hidden",
                                       "warmup_ns",
                                       "measure_ns",
                                       "ramp_up_ns",
                                       "warmup-iterations",
                                       "iterations",
                                       "rate_s",
                                       "rate_unit",
                                       "poisson",
                                       "timeout_ns",
                                       "lenient",
                                       "until_success",
                                       "retries",
                                       "bulk",
                                       "requests",
                                       "streams",
                                       "max_connections",
                                       "sleep_ns",
                                       "retry_wait_ns",
                                       "no_retry_on_timeout",
                                       "no_retry_on_error",
                                       "headers",
                                       "tags",
                                       "meta",
                                       NULL};
    const struct {
        const char *key;
        bool *out;
    } flags[] = {{"hidden", &t->hidden},
                 {"poisson", &t->poisson},
                 {"lenient", &t->lenient},
                 {"until_success", &t->until_success},
                 {"no_retry_on_timeout", &t->no_retry_on_timeout},
                 {"no_retry_on_error", &t->no_retry_on_error}};
    enum err e = jv_only(v, keys, why);
    t->timeout_ns = PLAN_TIMEOUT_NS;
    if (!e)
        e = field_need_text(v, "name", PLAN_NAME_MAX, &t->name, why);
    if (!e)
        e = field_need_text(v, "operation", 32, &t->operation, why);
    if (!e)
        e = pace_read(v, t, why);
    if (!e)
        e = headers_read(v, t, why);
    if (!e)
        e = field_text(v, "tags", PLAN_LABELS_MAX, &t->tags, why);
    if (!e)
        e = field_text(v, "meta", PLAN_LABELS_MAX, &t->meta, why);
    for (size_t i = 0; i < sizeof flags / sizeof *flags && !e; i++)
        e = field_bool(v, flags[i].key, flags[i].out, why);
    return e ? e : work_read(v, t, n_corpora, why);
}
