#include "tracks/render_pace.h"

#include <string.h>

#include "common/json_build.h"
#include "common/units.h"
#include "tracks/field.h"

#define TEST_MODE_MEASURE_NS (10ull * 1000000000)

/* Where a key stands: at the task, else at its parallel element; NULL: not. */
static const struct jv *given(const struct jv *task, const struct jv *parallel,
                              const char *key)
{
    const struct jv *levels[] = {task, parallel};
    for (size_t i = 0; i < 2; i++)
        if (jv_get(levels[i], key) &&
            jv_type(jv_get(levels[i], key)) != JV_NULL)
            return levels[i];
    return NULL;
}

static enum err refuse_mixes(const struct jv *task, const struct jv *parallel,
                             struct why *why)
{
    static const char *const mixes[][2] = {
        {"warmup-iterations", "time-period"},
        {"warmup-time-period", "iterations"},
        {"ramp-up-time-period", "iterations"},
        {"ramp-up-time-period", "warmup-iterations"}};
    if (given(task, NULL, "target-throughput") &&
        given(task, NULL, "target-interval"))
        return field_error(task, why,
                           "\"target-throughput\" cannot be mixed with "
                           "\"target-interval\"");
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++)
        if (given(task, parallel, mixes[i][0]) &&
            given(task, parallel, mixes[i][1]))
            return field_error(task, why, "\"%s\" cannot be mixed with \"%s\"",
                               mixes[i][0], mixes[i][1]);
    return ERR_OK;
}

/* Take a rate of the units that the operation has; false: of others. */
static bool take_unit(const char *word, struct render_unit unit,
                      struct render_pace *p)
{
    p->rate_docs = unit.docs && !strcmp(word, "docs");
    if (unit.pages && !strcmp(word, "pages")) {
        p->rate_s /= (double)unit.pages;
        return true;
    }
    return p->rate_docs || !*word || !strcmp(word, "ops");
}

/* target-throughput: a number of operations a second, or "N unit/s". */
static enum err throughput_read(const struct jv *task, struct render_unit unit,
                                struct render_pace *p, struct why *why)
{
    char word[16] = "";
    struct why cause = {0};
    const char *more = unit.docs    ? "\"N docs/s\", "
                       : unit.pages ? "\"N pages/s\", "
                                    : "";
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
        return field_error(v, why, "must be a number or %s\"N ops/s\"", more);
    if (units_rate(jv_text(v, ""), &p->rate_s, word, &cause))
        return field_error(v, why, "%s", cause.text);
    if (p->rate_s > 1e9 || !take_unit(word, unit, p))
        return field_error(v, why,
                           "\"%s\" is not accepted here; accepted: %s\"N "
                           "ops/s\"",
                           jv_text(v, ""), more);
    return ERR_OK;
}

static enum err interval_read(const struct jv *task, struct render_pace *p,
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

static enum err arrival_read(const struct jv *task, struct render_pace *p,
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

/* Clients start one after another within the warm-up, all of a parallel
 * element in the same time. */
static enum err ramp_up_check(const struct jv *task, const struct jv *parallel,
                              const struct render_pace *p, struct why *why)
{
    const struct jv *v = jv_get(task, "ramp-up-time-period");
    uint64_t whole_ns = 0;
    enum err e = field_seconds(parallel, "ramp-up-time-period",
                               PLAN_TIME_MAX_NS, &whole_ns, why);
    if (!e && parallel && v && p->ramp_up_ns != whole_ns)
        e = field_error(v, why, "is for the \"parallel\" element only");
    if (!e && p->ramp_up_ns > p->warmup_ns)
        e = field_error(task, why,
                        "\"warmup-time-period\" must be at least as long as "
                        "\"ramp-up-time-period\"");
    return e;
}

static enum err length_read(const struct jv *task, const struct jv *parallel,
                            struct render_pace *p, struct why *why)
{
    const struct {
        const char *key;
        uint64_t *ns;
    } times[] = {{"warmup-time-period", &p->warmup_ns},
                 {"time-period", &p->measure_ns},
                 {"ramp-up-time-period", &p->ramp_up_ns}};
    enum err e = refuse_mixes(task, parallel, why);
    for (size_t i = 0; i < 3 && !e; i++)
        e = field_seconds(given(task, parallel, times[i].key), times[i].key,
                          PLAN_TIME_MAX_NS, times[i].ns, why);
    if (!e)
        e = field_whole(given(task, parallel, "iterations"), "iterations", 1,
                        PLAN_ITERATIONS_MAX, &p->iterations, why);
    if (!e)
        e = field_whole(given(task, parallel, "warmup-iterations"),
                        "warmup-iterations", 0, PLAN_ITERATIONS_MAX,
                        &p->warmup_iterations, why);
    /* As Rally: what has a time goes by it, and counts no iterations. */
    if (given(task, parallel, "warmup-time-period") ||
        given(task, parallel, "time-period"))
        p->iterations = p->warmup_iterations = 0;
    return e ? e : ramp_up_check(task, parallel, p, why);
}

enum err render_pace_read(const struct jv *task, const struct jv *parallel,
                          struct render_unit unit, struct render_pace *p,
                          struct why *why)
{
    *p = (struct render_pace){.clients = 1};
    enum err e = length_read(task, parallel, p, why);
    if (!e)
        e = field_whole(task, "clients", 1, PLAN_CLIENTS_MAX, &p->clients, why);
    if (!e)
        e = throughput_read(task, unit, p, why);
    if (!e)
        e = interval_read(task, p, why);
    return e ? e : arrival_read(task, p, why);
}

/* As Rally: iterations at most as many as clients, no warm-up, short, and as
 * fast as it goes. */
static void to_test_mode(struct render_pace *p)
{
    p->warmup_ns = p->ramp_up_ns = 0;
    p->rate_s = 0;
    if (p->measure_ns > TEST_MODE_MEASURE_NS)
        p->measure_ns = TEST_MODE_MEASURE_NS;
    if (p->warmup_iterations > p->clients)
        p->warmup_iterations = p->clients;
    if (p->iterations > p->clients)
        p->iterations = p->clients;
}

static void add_if(struct jv *out, const char *key, uint64_t value)
{
    if (value)
        jv_add_u64(out, key, value);
}

void render_pace_add(const struct render_pace *pace, bool test_mode,
                     struct jv *out)
{
    struct render_pace p = *pace;
    if (test_mode)
        to_test_mode(&p);
    jv_add_u64(out, "clients", p.clients);
    add_if(out, "warmup_ns", p.warmup_ns);
    add_if(out, "measure_ns", p.measure_ns);
    add_if(out, "ramp_up_ns", p.ramp_up_ns);
    add_if(out, "warmup-iterations", p.warmup_iterations);
    add_if(out, "iterations", p.iterations);
    if (p.rate_s > 0) {
        jv_add_number(out, "rate_s", p.rate_s);
        jv_add_text(out, "rate_unit", p.rate_docs ? "docs" : "ops");
        jv_add_bool(out, "poisson", p.poisson);
    }
}

bool render_pace_is_eager(const struct render_pace *p)
{
    return p->clients > 1 || p->warmup_ns || p->measure_ns || p->ramp_up_ns ||
           p->warmup_iterations || p->iterations > 1 || p->rate_s > 0;
}
