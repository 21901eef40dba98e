#include <string.h>

#include "common/json_build.h"
#include "common/json_place.h"
#include "common/units.h"
#include "tracks/field.h"
#include "tracks/render.h"

#define TEST_MODE_MEASURE_NS (10ull * 1000000000)

/* A task's times, by Rally's names. */
struct pace {
    uint64_t clients, warmup_ns, measure_ns;
    double rate_s;
    bool rate_docs, poisson;
};

static enum err refuse_mixes(const struct jv *task, struct why *why)
{
    static const char *const mixes[][2] = {
        {"warmup-iterations", "time-period"},
        {"warmup-time-period", "iterations"},
        {"ramp-up-time-period", "iterations"},
        {"ramp-up-time-period", "warmup-iterations"},
        {"target-throughput", "target-interval"}};
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++)
        if (jv_get(task, mixes[i][0]) && jv_get(task, mixes[i][1]))
            return field_error(task, why, "\"%s\" cannot be mixed with \"%s\"",
                               mixes[i][0], mixes[i][1]);
    return ERR_OK;
}

/* target-throughput: a number of operations a second, or "N unit/s". */
static enum err throughput_read(const struct jv *task, bool bulk,
                                struct pace *p, struct why *why)
{
    char unit[16] = "";
    struct why cause = {0};
    const struct jv *v = jv_get(task, "target-throughput");
    if (!v || jv_type(v) == JV_NULL)
        return ERR_OK;
    if (jv_type(v) == JV_NUMBER) {
        p->rate_s = jv_number(v, 0);
        if (!(p->rate_s >= 0 && p->rate_s <= 1e9))
            return field_error(v, why, "must be 0 to 1e9 per second, not %g",
                               p->rate_s);
        return ERR_OK;
    }
    if (jv_type(v) != JV_STRING)
        return field_error(v, why, "must be a number or \"N %s/s\"",
                           bulk ? "docs" : "ops");
    if (units_rate(jv_text(v, ""), &p->rate_s, unit, &cause))
        return field_error(v, why, "%s", cause.text);
    p->rate_docs = !strcmp(unit, "docs");
    if (p->rate_s > 1e9 || (p->rate_docs && !bulk) ||
        (!p->rate_docs && *unit && strcmp(unit, "ops") != 0))
        return field_error(v, why, "\"%s\" is not accepted here; accepted: %s",
                           jv_text(v, ""),
                           bulk ? "\"N docs/s\", \"N ops/s\"" : "\"N ops/s\"");
    return ERR_OK;
}

static enum err interval_read(const struct jv *task, struct pace *p,
                              struct why *why)
{
    const struct jv *v;
    enum err e = field_find(task, "target-interval", JV_NUMBER, &v, why);
    if (e || !v)
        return e;
    double interval_s = jv_number(v, 0);
    if (!(interval_s >= 1e-9 && interval_s <= 86400))
        return field_error(v, why, "must be above 0 and at most 86400 seconds");
    p->rate_s = 1 / interval_s;
    return ERR_OK;
}

static enum err arrival_read(const struct jv *task, struct pace *p,
                             struct why *why)
{
    const char *schedule = "deterministic";
    enum err e = field_text(task, "schedule", 64, &schedule, why);
    p->poisson = !strcmp(schedule, "poisson");
    if (!e && !p->poisson && strcmp(schedule, "deterministic") != 0)
        e = field_error(jv_get(task, "schedule"), why,
                        "\"%s\" is not supported; accepted: deterministic, "
                        "poisson",
                        schedule);
    return e;
}

/* Times of a task, those of its parallel element standing in. */
static enum err pace_read(const struct jv *task, const struct jv *parallel,
                          bool bulk, struct pace *p, struct why *why)
{
    const struct jv *const levels[] = {parallel, task};
    enum err e = refuse_mixes(task, why);
    for (size_t i = parallel ? 0 : 1; i < 2 && !e; i++) {
        e = field_seconds(levels[i], "warmup-time-period", PLAN_TIME_MAX_NS,
                          &p->warmup_ns, why);
        if (!e)
            e = field_seconds(levels[i], "time-period", PLAN_TIME_MAX_NS,
                              &p->measure_ns, why);
    }
    if (!e)
        e = field_whole(task, "clients", 1, PLAN_CLIENTS_MAX, &p->clients, why);
    if (!e)
        e = throughput_read(task, bulk, p, why);
    if (!e)
        e = interval_read(task, p, why);
    return e ? e : arrival_read(task, p, why);
}

static void pace_add(const struct render *r, struct pace p, struct jv *out)
{
    if (r->test_mode) {
        p.warmup_ns = 0;
        p.rate_s = 0;
        if (p.measure_ns > TEST_MODE_MEASURE_NS)
            p.measure_ns = TEST_MODE_MEASURE_NS;
    }
    jv_add_u64(out, "clients", p.clients);
    jv_add_u64(out, "warmup_ns", p.warmup_ns);
    jv_add_u64(out, "measure_ns", p.measure_ns);
    if (p.rate_s > 0) {
        jv_add_number(out, "rate_s", p.rate_s);
        jv_add_text(out, "rate_unit", p.rate_docs ? "docs" : "ops");
        jv_add_bool(out, "poisson", p.poisson);
    }
}

/* What a task may say about failures, itself or its operation. */
static enum err failures_add(const struct jv *task, const struct jv *op,
                             struct jv *out, struct why *why)
{
    const struct jv *const levels[] = {op, task};
    const char *level = NULL;
    uint64_t timeout_ns = PLAN_TIMEOUT_NS, retries = 0;
    bool until_success = false;
    enum err e = ERR_OK;
    for (size_t i = 0; i < 2 && !e; i++) {
        e = field_seconds(levels[i], "request-timeout", PLAN_TIME_MAX_NS,
                          &timeout_ns, why);
        if (!e)
            e = field_bool(levels[i], "retry-until-success", &until_success,
                           why);
        if (!e)
            e = field_whole(levels[i], "retries", 0, 1000, &retries, why);
    }
    if (!e)
        e = field_text(task, "ignore-response-error-level", 32, &level, why);
    if (!e && level && strcmp(level, "non-fatal") != 0)
        e = field_error(jv_get(task, "ignore-response-error-level"), why,
                        "\"%s\" is not supported; accepted: non-fatal", level);
    if (e)
        return e;
    jv_add_u64(out, "timeout_ns", timeout_ns ? timeout_ns : PLAN_TIMEOUT_NS);
    jv_add_bool(out, "lenient", level);
    jv_add_bool(out, "until_success", until_success);
    jv_add_u64(out, "retries", retries);
    return ERR_OK;
}

/* The operation that the task means: inline, by name, or a bare type. */
static enum err operation_find(const struct render *r, const struct jv *task,
                               const struct jv **op, const char **type,
                               struct why *why)
{
    const struct jv *v = jv_get(task, "operation"),
                    *all = jv_get(r->root, "operations");
    *op = v;
    if (!v)
        return field_missing(task, "operation", why);
    for (size_t i = 0; jv_type(v) == JV_STRING && i < jv_size(all); i++)
        if (!strcmp(jv_text(jv_get(jv_at(all, i), "name"), ""), jv_text(v, "")))
            *op = jv_at(all, i);
    if (jv_type(*op) == JV_STRING) {
        *type = jv_text(*op, "");
        return ERR_OK;
    }
    return field_need_text(*op, "operation-type", PLAN_NAME_MAX, type, why);
}

static const char *task_name(const struct jv *task, const struct jv *op,
                             const char *type)
{
    const char *name = jv_text(jv_get(op, "name"), type);
    return jv_text(jv_get(task, "name"), name);
}

enum err render_task(const struct render *r, const struct jv *task,
                     const struct jv *parallel, struct jv *tasks,
                     enum render_rank *rank, struct why *why)
{
    static const char *const keys[] = {"operation",
                                       "name",
                                       "tags",
                                       "meta",
                                       "clients",
                                       "warmup-time-period",
                                       "time-period",
                                       "target-throughput",
                                       "target-interval",
                                       "schedule",
                                       "ignore-response-error-level",
                                       "include-in-reporting",
                                       "request-timeout",
                                       "retries",
                                       "retry-until-success",
                                       "run-on-serverless",
                                       NULL};
    struct pace pace = {.clients = 1};
    const struct jv *op;
    const char *type, *ignored = NULL;
    enum err e = refuse_mixes(task, why);
    if (!e)
        e = jv_only(task, keys, why);
    if (!e)
        e = field_text(task, "name", PLAN_NAME_MAX, &ignored, why);
    if (!e)
        e = operation_find(r, task, &op, &type, why);
    if (!e && jv_type(op) == JV_OBJECT)
        e = field_text(op, "name", PLAN_NAME_MAX, &ignored, why);
    if (!e)
        e = pace_read(task, parallel, !strcmp(type, "bulk"), &pace, why);
    if (e)
        return e;
    struct jv *out = jv_add(tasks, NULL, JV_OBJECT);
    jv_add_text(out, "name", task_name(task, op, type));
    e = operation_render(r, op, type, out, rank, why);
    pace_add(r, pace, out);
    if (!e)
        e = failures_add(task, op, out, why);
    bool eager = pace.clients > 1 || pace.warmup_ns || pace.measure_ns ||
                 pace.rate_s > 0;
    if (*rank == RENDER_MAYBE && eager)
        *rank = RENDER_MEASURED;
    return e;
}
