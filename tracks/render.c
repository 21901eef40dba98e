/* A schedule's items become the plan's steps. One of them is measured: a
 * parallel element, a bulk, or a search or request with clients, times or a
 * rate of its own; where there is none, the last search or request. What is
 * before it prepares the target, what is after it finishes. */
#include "tracks/render.h"

#include <string.h>

#include "common/json_build.h"
#include "common/json_place.h"
#include "tracks/field.h"
#include "tracks/field_list.h"

/* What the walk over a schedule finds out. */
struct walk {
    enum render_rank best; /* of the tasks so far */
    size_t measured;       /* the number of the step that has it */
    struct jv *step;       /* that step */
};

static enum err parallel_render(const struct render *r, const struct jv *v,
                                struct jv *tasks, struct why *why)
{
    static const char *const keys[] = {"clients", "warmup-time-period",
                                       "time-period", "tasks", NULL};
    const struct jv *list;
    uint64_t clients = 0;
    enum render_rank rank = RENDER_ONCE;
    enum err e = jv_only(v, keys, why);
    if (!e)
        e = field_list(v, "tasks", PLAN_TASKS_MAX, &list, why);
    if (!e)
        e = field_whole(v, "clients", 1, PLAN_CLIENTS_MAX, &clients, why);
    double sum = 0;
    for (size_t i = 0; !e && i < jv_size(list); i++) {
        e = render_task(r, jv_at(list, i), v, tasks, &rank, why);
        if (!e && rank == RENDER_ONCE)
            e = field_error(jv_at(list, i), why,
                            "this operation cannot be part of a parallel "
                            "element");
        sum += jv_number(jv_get(jv_at(tasks, i), "clients"), 0);
    }
    if (!e && clients && sum != (double)clients)
        e = field_error(jv_get(v, "clients"), why,
                        "%g, and its tasks have %g together: must be equal or "
                        "left out",
                        (double)clients, sum);
    return e;
}

static enum err item_render(const struct render *r, const struct jv *item,
                            struct jv *steps, struct walk *walk,
                            struct why *why)
{
    static const char *const keys[] = {"parallel", NULL};
    enum render_rank rank = RENDER_ONCE;
    enum err e = ERR_OK;
    size_t number = jv_size(steps);
    struct jv *step = jv_add(steps, NULL, JV_OBJECT);
    struct jv *tasks = jv_add(step, "tasks", JV_ARRAY);
    const struct jv *parallel = jv_get(item, "parallel");
    if (parallel) {
        rank = RENDER_MEASURED;
        e = jv_only(item, keys, why);
        if (!e)
            e = parallel_render(r, parallel, tasks, why);
    } else {
        e = render_task(r, item, NULL, tasks, &rank, why);
    }
    if (e)
        return e;
    if (rank == RENDER_MEASURED && walk->best == RENDER_MEASURED)
        return field_error(item, why,
                           "a second measured task: a challenge has one, or "
                           "one \"parallel\" element of several");
    if (rank != RENDER_ONCE && rank >= walk->best) {
        walk->best = rank;
        walk->measured = number;
        walk->step = step;
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
    struct walk walk = {.best = RENDER_ONCE};
    enum err e =
        field_list(challenge, "schedule", PLAN_STEPS_MAX, &schedule, why);
    struct jv *steps = jv_add(plan, "steps", JV_ARRAY);
    for (size_t i = 0; !e && i < jv_size(schedule); i++) {
        e = item_render(r, jv_at(schedule, i), steps, &walk, why);
        if (!e)
            e = names_check(jv_at(schedule, i), steps, why);
    }
    if (!e && walk.best == RENDER_ONCE)
        e = field_error(schedule, why,
                        "nothing to measure: accepted are bulk, search, "
                        "raw-request, index-stats, node-stats, or a "
                        "\"parallel\" element of them");
    if (e)
        return e;
    jv_add_bool(walk.step, "measured", true);
    jv_add_u64(plan, "measured", walk.measured);
    return ERR_OK;
}

enum err render_challenge(const struct render *r, const struct jv *challenge,
                          const char *name, struct jv **out, struct why *why)
{
    struct jv *plan = jv_new(JV_OBJECT);
    jv_add_u64(plan, "version", 1);
    jv_add_text(plan, "track", r->name);
    jv_add_text(plan, "challenge", name);
    enum err e = render_corpora(r, plan, why);
    if (!e)
        e = schedule_render(r, challenge, plan, why);
    if (e) {
        jv_free(plan);
        plan = NULL;
    }
    *out = plan;
    return e;
}
