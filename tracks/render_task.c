#include <string.h>

#include "common/json_build.h"
#include "common/json_place.h"
#include "tracks/field.h"
#include "tracks/labels.h"
#include "tracks/operation.h"
#include "tracks/render.h"
#include "tracks/render_pace.h"

/* 0 would be Rally's default; nothing is lost by a wait so short. */
#define RETRY_WAIT_MIN_NS 1000000u

/* For a condition to come true, where Rally would wait for ever: as long as its
 * tracks let a merge take. */
#define CONDITION_NS (7200ull * 1000000000)

/* What a task's parts come to. */
struct parts {
    const struct jv *task, *parallel, *op;
    const struct operation_type *type;
    struct render_pace pace;
    bool until_success, retry_on_timeout, retry_on_error;
    uint64_t retries, retry_wait_ns; /* 0: not given */
};

/* Whether and when it is tried again; the task's word over its operation's. */
static enum err retries_read(struct parts *p, struct why *why)
{
    const struct jv *const levels[] = {p->op, p->task};
    enum err e = ERR_OK;
    p->retry_on_timeout = true;
    for (size_t i = 0; i < 2 && !e; i++) {
        const struct jv *v = levels[i];
        e = field_bool(v, "retry-until-success", &p->until_success, why);
        if (!e)
            e = field_whole(v, "retries", 0, 1000, &p->retries, why);
        if (!e)
            e = field_seconds(v, "retry-wait-period", PLAN_TIME_MAX_NS,
                              &p->retry_wait_ns, why);
        if (!e && jv_type(jv_get(v, "retry-wait-period")) == JV_NUMBER &&
            p->retry_wait_ns < RETRY_WAIT_MIN_NS)
            p->retry_wait_ns = RETRY_WAIT_MIN_NS;
        if (!e)
            e = field_bool(v, "retry-on-timeout", &p->retry_on_timeout, why);
        if (!e)
            e = field_bool(v, "retry-on-error", &p->retry_on_error, why);
    }
    p->retry_on_error = p->retry_on_error || p->until_success;
    return e;
}

static void retries_add(const struct parts *p, struct jv *out)
{
    if (!p->until_success && !p->retries)
        return;
    if (p->until_success)
        jv_add_bool(out, "until_success", true);
    if (p->retries)
        jv_add_u64(out, "retries", p->retries);
    if (p->retry_wait_ns)
        jv_add_u64(out, "retry_wait_ns", p->retry_wait_ns);
    if (!p->retry_on_timeout)
        jv_add_bool(out, "no_retry_on_timeout", true);
    if (!p->retry_on_error)
        jv_add_bool(out, "no_retry_on_error", true);
}

/* What a task may say about failures, itself or its operation. */
static enum err failures_add(struct parts *p, struct jv *out, struct why *why)
{
    const char *level = NULL, *mode = jv_text(jv_get(p->op, "mode"), "");
    uint64_t timeout_ns = PLAN_TIMEOUT_NS;
    if (!strcmp(mode, "polling"))
        timeout_ns = PLAN_TIME_MAX_NS;
    else if (jv_type(jv_get(p->op, "condition")) == JV_OBJECT)
        timeout_ns = CONDITION_NS;
    enum err e = field_seconds(p->op, "request-timeout", PLAN_TIME_MAX_NS,
                               &timeout_ns, why);
    if (!e)
        e = field_seconds(p->task, "request-timeout", PLAN_TIME_MAX_NS,
                          &timeout_ns, why);
    if (!e)
        e = retries_read(p, why);
    if (!e)
        e = field_text(p->task, "ignore-response-error-level", 32, &level, why);
    if (!e && level && strcmp(level, "non-fatal") != 0)
        e = field_error(jv_get(p->task, "ignore-response-error-level"), why,
                        "\"%s\" is not supported; accepted: non-fatal", level);
    if (e)
        return e;
    jv_add_u64(out, "timeout_ns", timeout_ns ? timeout_ns : PLAN_TIMEOUT_NS);
    if (level)
        jv_add_bool(out, "lenient", true);
    retries_add(p, out);
    return ERR_OK;
}

/* Administration is not reported, unless the task or the operation says so. */
static enum err hidden_add(const struct parts *p, struct jv *out,
                           struct why *why)
{
    bool reported = !p->type->admin;
    enum err e = field_bool(p->op, "include-in-reporting", &reported, why);
    if (!e)
        e = field_bool(p->task, "include-in-reporting", &reported, why);
    if (!reported)
        jv_add_bool(out, "hidden", true);
    return e;
}

/* The operation that the task means: inline, by name, or a bare type. */
static enum err operation_of(const struct render *r, struct parts *p,
                             const char **word, struct why *why)
{
    const struct jv *v = jv_get(p->task, "operation"),
                    *all = jv_get(r->root, "operations");
    const char *ignored;
    p->op = v;
    if (!v)
        return field_missing(p->task, "operation", why);
    for (size_t i = 0; jv_type(v) == JV_STRING && i < jv_size(all); i++)
        if (!strcmp(jv_text(jv_get(jv_at(all, i), "name"), ""), jv_text(v, "")))
            p->op = jv_at(all, i);
    *word = jv_text(p->op, "");
    if (jv_type(p->op) == JV_STRING)
        return ERR_OK;
    enum err e = field_text(p->op, "name", PLAN_NAME_MAX, &ignored, why);
    return e ? e
             : field_need_text(p->op, "operation-type", PLAN_NAME_MAX, word,
                               why);
}

/* A search of "all" pages has any number of them. */
static struct render_unit unit_of(const struct parts *p, const char *word)
{
    double pages = jv_number(jv_get(p->op, "pages"), 0);
    bool known = pages >= 1 && pages <= PLAN_PAGES_MAX;
    return (struct render_unit){.docs = !strcmp(word, "bulk"),
                                .pages = known ? (uint64_t)pages : 0};
}

/* A task that nothing ends: Rally would go on for ever. */
static enum err end_check(const struct parts *p, struct jv *out,
                          struct why *why)
{
    const struct render_pace *pace = &p->pace;
    bool looped = jv_bool(jv_get(jv_get(out, "bulk"), "looped"), false);
    bool endless = p->type->kind == PLAN_BULK ? looped : pace->warmup_ns > 0;
    const char *by = jv_text(jv_get(p->parallel, "completed-by"), NULL),
               *name = jv_text(jv_get(out, "name"), "");
    if (!endless || pace->measure_ns || pace->iterations)
        return ERR_OK;
    if (!by || !strcmp(by, name))
        return field_error(p->task, why,
                           "nothing ends it: give \"time-period\" or "
                           "\"iterations\"");
    if (p->type->kind != PLAN_BULK)
        jv_add_u64(out, "measure_ns", PLAN_TIME_MAX_NS);
    return ERR_OK;
}

static enum err rank_of(const struct parts *p, const struct jv *out,
                        enum render_rank *rank, struct why *why)
{
    const struct jv *first = jv_at(jv_get(out, "requests"), 0),
                    *want = jv_get(first, "want");
    bool waits = want || p->until_success || p->retries;
    bool measured = p->type->rank == RENDER_MEASURED || p->parallel ||
                    jv_get(first, "pages") || render_pace_is_eager(&p->pace);
    *rank = measured ? RENDER_MEASURED : p->type->rank;
    if (waits && *rank == RENDER_MAYBE)
        *rank = RENDER_ONCE;
    if (measured && p->type->kind == PLAN_SLEEP)
        return field_error(p->task, why,
                           "a sleep is done once, by one client, and not in "
                           "a \"parallel\" element");
    if (measured && waits)
        return field_error(p->task, why,
                           "a task of several clients, iterations, times or a "
                           "rate, or in a \"parallel\" element, cannot have "
                           "\"%s\"",
                           want               ? "condition"
                           : p->until_success ? "retry-until-success"
                                              : "retries");
    return ERR_OK;
}

static enum err keys_check(const struct jv *task, struct why *why)
{
    static const char *const keys[] = {"operation",
                                       "name",
                                       "tags",
                                       "meta",
                                       "clients",
                                       "warmup-iterations",
                                       "iterations",
                                       "warmup-time-period",
                                       "time-period",
                                       "ramp-up-time-period",
                                       "target-throughput",
                                       "target-interval",
                                       "schedule",
                                       "ignore-response-error-level",
                                       "include-in-reporting",
                                       "request-timeout",
                                       "retries",
                                       "retry-until-success",
                                       "retry-wait-period",
                                       "retry-on-timeout",
                                       "retry-on-error",
                                       "run-on-serverless",
                                       NULL};
    const char *ignored;
    enum err e = field_only(task, keys, NULL, why);
    return e ? e : field_text(task, "name", PLAN_NAME_MAX, &ignored, why);
}

enum err render_task(const struct render *r, const struct jv *task,
                     const struct jv *parallel, struct jv *tasks,
                     enum render_rank *rank, struct why *why)
{
    struct parts p = {.task = task, .parallel = parallel};
    const char *word;
    enum err e = keys_check(task, why);
    if (!e)
        e = operation_of(r, &p, &word, why);
    if (!e)
        e = render_pace_read(task, parallel, unit_of(&p, word), &p.pace, why);
    if (e)
        return e;
    struct jv *out = jv_add(tasks, NULL, JV_OBJECT);
    const char *name = jv_text(jv_get(p.op, "name"), word);
    jv_add_text(out, "name", jv_text(jv_get(task, "name"), name));
    e = operation_render(r, p.op, word, out, &p.type, why);
    if (e)
        return e;
    render_pace_add(&p.pace, r->test_mode, out);
    e = failures_add(&p, out, why);
    if (!e)
        e = hidden_add(&p, out, why);
    if (!e)
        e = labels_render(r, p.op, task, out, why);
    if (!e)
        e = end_check(&p, out, why);
    return e ? e : rank_of(&p, out, rank, why);
}
