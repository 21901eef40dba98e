#include "tracks/plan_task.h"

#include <stdlib.h>
#include <string.h>

#include "common/json_place.h"
#include "tracks/field.h"

enum err plan_array(void **out, size_t n, size_t size, struct why *why)
{
    *out = calloc(n, size);
    return *out ? ERR_OK : err_set(why, ERR_NOMEM, "plan: out of memory");
}

static enum err bulk_read(const struct jv *v, struct plan_task *t,
                          size_t n_corpora, struct why *why)
{
    static const char *const keys[] = {"docs", "corpora", NULL};
    const struct jv *corpora;
    uint64_t docs = 0;
    enum err e = jv_only(v, keys, why);
    if (!e)
        e = field_whole(v, "docs", 1, PLAN_BULK_DOCS_MAX, &docs, why);
    if (!e)
        e = field_need(v, "corpora", JV_ARRAY, &corpora, why);
    if (e)
        return e;
    if (!docs)
        return field_missing(v, "docs", why);
    t->kind = PLAN_BULK;
    t->bulk_docs = (uint32_t)docs;
    for (size_t i = 0; i < jv_size(corpora); i++) {
        double n = jv_number(jv_at(corpora, i), -1);
        if (!(n >= 0 && n < (double)n_corpora))
            return field_error(jv_at(corpora, i), why, "there is no corpus %g",
                               n);
        t->corpora |= 1u << (unsigned)n;
    }
    return t->corpora ? ERR_OK : field_error(corpora, why, "is empty");
}

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

static enum err request_read(const struct jv *v, struct plan_request *r,
                             struct why *why)
{
    static const char *const keys[] = {"method", "path", "body", "ignore",
                                       NULL};
    const struct jv *body;
    enum err e = jv_only(v, keys, why);
    if (!e)
        e = field_need_text(v, "method", 16, &r->method, why);
    if (!e)
        e = field_need_text(v, "path", PLAN_PATH_MAX, &r->path, why);
    if (!e)
        e = field_find(v, "body", JV_STRING, &body, why);
    if (e)
        return e;
    r->body = jv_text(body, NULL);
    if (!field_plain(r->method, ""))
        return field_error(jv_get(v, "method"), why, "is no HTTP method");
    if (*r->path != '/' || strchr(r->path, ' '))
        return field_error(jv_get(v, "path"), why,
                           "must begin with / and hold no blank");
    return ignore_read(v, r, why);
}

static enum err requests_read(const struct jv *v, struct plan_task *t,
                              struct why *why)
{
    const struct jv *requests;
    enum err e = field_list(v, "requests", PLAN_REQUESTS_MAX, &requests, why);
    if (!e)
        e = plan_array((void **)&t->requests, jv_size(requests),
                       sizeof *t->requests, why);
    if (e)
        return e;
    t->kind = PLAN_REQUESTS;
    t->n_requests = jv_size(requests);
    for (size_t i = 0; i < t->n_requests && !e; i++)
        e = request_read(jv_at(requests, i), &t->requests[i], why);
    return e;
}

/* What the task does: exactly one of the three. */
static enum err work_read(const struct jv *v, struct plan_task *t,
                          size_t n_corpora, struct why *why)
{
    const struct jv *bulk = jv_get(v, "bulk"),
                    *requests = jv_get(v, "requests"),
                    *sleep = jv_get(v, "sleep_ns");
    if (!!bulk + !!requests + !!sleep != 1)
        return field_error(v, why,
                           "needs one of \"bulk\", \"requests\", \"sleep_ns\"");
    if (bulk)
        return bulk_read(bulk, t, n_corpora, why);
    if (requests)
        return requests_read(v, t, why);
    t->kind = PLAN_SLEEP;
    return field_whole(v, "sleep_ns", 0, PLAN_TIME_MAX_NS, &t->sleep_ns, why);
}

static enum err pace_read(const struct jv *v, struct plan_task *t,
                          struct why *why)
{
    const struct jv *rate;
    const char *unit = "ops";
    uint64_t clients = 1, retries = 0;
    enum err e = field_whole(v, "clients", 1, PLAN_CLIENTS_MAX, &clients, why);
    if (!e)
        e = field_whole(v, "warmup_ns", 0, PLAN_TIME_MAX_NS, &t->warmup_ns,
                        why);
    if (!e)
        e = field_whole(v, "measure_ns", 0, PLAN_TIME_MAX_NS, &t->measure_ns,
                        why);
    if (!e)
        e = field_whole(v, "timeout_ns", 1, PLAN_TIME_MAX_NS, &t->timeout_ns,
                        why);
    if (!e)
        e = field_whole(v, "retries", 0, 1000, &retries, why);
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

enum err plan_task_read(const struct jv *v, struct plan_task *t,
                        size_t n_corpora, struct why *why)
{
    static const char *const keys[] = {
        "name",       "operation",     "clients",   "warmup_ns",
        "measure_ns", "rate_s",        "rate_unit", "poisson",
        "lenient",    "until_success", "retries",   "bulk",
        "timeout_ns", "requests",      "sleep_ns",  NULL};
    enum err e = jv_only(v, keys, why);
    t->timeout_ns = PLAN_TIMEOUT_NS;
    if (!e)
        e = field_need_text(v, "name", PLAN_NAME_MAX, &t->name, why);
    if (!e)
        e = field_need_text(v, "operation", 32, &t->operation, why);
    if (!e)
        e = pace_read(v, t, why);
    if (!e)
        e = field_bool(v, "poisson", &t->poisson, why);
    if (!e)
        e = field_bool(v, "lenient", &t->lenient, why);
    if (!e)
        e = field_bool(v, "until_success", &t->until_success, why);
    return e ? e : work_read(v, t, n_corpora, why);
}
