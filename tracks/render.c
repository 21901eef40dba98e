/* A schedule's items become the plan's steps. Measured are parallel elements,
 * bulks, composites, and whatever has clients, iterations, times or a rate of
 * its own; where there is none, the last search or request. The rest prepares
 * and finishes: each of it is done once. */
#include "tracks/render.h"

#include <string.h>

#include "common/json_build.h"
#include "common/json_place.h"
#include "tracks/field.h"
#include "tracks/field_list.h"

/* What the walk over a schedule finds out. */
struct walk {
    struct jv *measured, *maybe; /* the first and the last such step */
    size_t n_measured, n_maybe;  /* their numbers */
};

static enum err completed_by_check(const struct jv *v, const struct jv *tasks,
                                   struct jv *step, struct why *why)
{
    const char *by = NULL;
    enum err e = field_text(v, "completed-by", PLAN_NAME_MAX, &by, why);
    if (e || !by)
        return e;
    bool found = !strcmp(by, "any");
    for (size_t i = 0; i < jv_size(tasks) && !found; i++)
        found = !strcmp(jv_text(jv_get(jv_at(tasks, i), "name"), ""), by);
    if (!found)
        return field_error(jv_get(v, "completed-by"), why,
                           "\"%s\" is none of its tasks; accepted: a task's "
                           "name, any",
                           by);
    jv_add_text(step, "completed-by", by);
    return ERR_OK;
}

static enum err parallel_render(const struct render *r, const struct jv *v,
                                struct jv *step, struct jv *tasks,
                                struct why *why)
{
    static const char *const keys[] = {"clients",
                                       "warmup-iterations",
                                       "iterations",
                                       "warmup-time-period",
                                       "time-period",
                                       "ramp-up-time-period",
                                       "completed-by",
                                       "tasks",
                                       NULL};
    const struct jv *list;
    uint64_t clients = 0;
    enum render_rank rank;
    enum err e = field_only(v, keys, NULL, why);
    if (!e)
        e = field_list(v, "tasks", PLAN_TASKS_MAX, &list, why);
    if (!e)
        e = field_whole(v, "clients", 1, PLAN_CLIENTS_MAX, &clients, why);
    for (size_t i = 0; !e && i < jv_size(list); i++)
        e = render_task(r, jv_at(list, i), v, tasks, &rank, why);
    if (clients)
        jv_add_u64(step, "clients", clients);
    return e ? e : completed_by_check(v, tasks, step, why);
}

static enum err item_render(const struct render *r, const struct jv *item,
                            struct jv *steps, struct walk *walk,
                            struct why *why)
{
    static const char *const keys[] = {"parallel", NULL};
    enum render_rank rank = RENDER_MEASURED;
    enum err e = ERR_OK;
    size_t number = jv_size(steps);
    struct jv *step = jv_add(steps, NULL, JV_OBJECT);
    struct jv *tasks = jv_add(step, "tasks", JV_ARRAY);
    const struct jv *parallel = jv_get(item, "parallel");
    if (parallel) {
        e = field_only(item, keys, NULL, why);
        if (!e)
            e = parallel_render(r, parallel, step, tasks, why);
    } else {
        e = render_task(r, item, NULL, tasks, &rank, why);
    }
    if (e)
        return e;
    if (rank == RENDER_MEASURED) {
        jv_add_bool(step, "measured", true);
        if (!walk->measured)
            walk->n_measured = number;
        walk->measured = step;
    } else if (rank == RENDER_MAYBE) {
        walk->maybe = step;
        walk->n_maybe = number;
    }
    return ERR_OK;
}

/* Task names are keys of the results. */
static enum err names_check(const struct jv *item, const struct jv *steps,
                            struct why *why)
{
    const struct jv *last = jv_get(jv_at(steps, jv_size(steps) - 1), "tasks");
    for (size_t s = 0; s < jv_size(steps); s++) {
        const struct jv *tasks = jv_get(jv_at(steps, s), "tasks");
        for (size_t t = 0; t < jv_size(tasks); t++)
            for (size_t k = 0; k < jv_size(last); k++) {
                const char *name = jv_text(jv_get(jv_at(last, k), "name"), "");
                if (jv_at(tasks, t) != jv_at(last, k) &&
                    !strcmp(jv_text(jv_get(jv_at(tasks, t), "name"), ""), name))
                    return field_error(item, why,
                                       "a second task named \"%s\": give it a "
                                       "\"name\"",
                                       name);
            }
    }
    return ERR_OK;
}

static enum err schedule_render(const struct render *r,
                                const struct jv *challenge, struct jv *plan,
                                struct why *why)
{
    const struct jv *schedule;
    struct walk walk = {0};
    enum err e =
        field_list(challenge, "schedule", PLAN_STEPS_MAX, &schedule, why);
    struct jv *steps = jv_add(plan, "steps", JV_ARRAY);
    for (size_t i = 0; !e && i < jv_size(schedule); i++) {
        e = item_render(r, jv_at(schedule, i), steps, &walk, why);
        if (!e)
            e = names_check(jv_at(schedule, i), steps, why);
    }
    if (e)
        return e;
    if (!walk.measured && !walk.maybe)
        return field_error(schedule, why,
                           "nothing to measure: accepted are bulk, search, "
                           "raw-request, info, index-stats, node-stats, "
                           "composite, and others with clients, iterations, "
                           "times or a rate");
    if (!walk.measured)
        jv_add_bool(walk.maybe, "measured", true);
    jv_add_u64(plan, "measured",
               walk.measured ? walk.n_measured : walk.n_maybe);
    return ERR_OK;
}

enum err render_challenge(const struct render *r, const struct jv *challenge,
                          const char *name, struct jv **out, struct why *why)
{
    struct render render = *r;
    render.challenge = challenge;
    struct jv *plan = jv_new(JV_OBJECT);
    jv_add_u64(plan, "version", 1);
    jv_add_text(plan, "track", r->name);
    jv_add_text(plan, "challenge", name);
    enum err e = ERR_OK;
    if (jv_get(r->root, "corpora")) {
        render.corpora = jv_add(plan, "corpora", JV_ARRAY);
        e = render_corpora(&render, why);
    }
    if (!e)
        e = schedule_render(&render, challenge, plan, why);
    if (e) {
        jv_free(plan);
        plan = NULL;
    }
    *out = plan;
    return e;
}
