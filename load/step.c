#include "load/step.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void step_retime(struct work *w, const struct options_load *l)
{
    if (l->measure_ns) {
        w->measure_ns = l->measure_ns;
        w->warm_ops = 0;
        w->ops = 0;
    }
    if (l->has_warmup) {
        w->warmup_ns = l->warmup_ns;
        w->warm_ops = 0;
    }
    if (l->timeout_ns)
        w->timeout_ns = l->timeout_ns;
}

enum err step_overrule(struct work *w, const struct options_load *l,
                       struct why *why)
{
    if (l->clients)
        w->clients = l->clients;
    if (l->rate_s > 0) {
        w->rate_s = l->rate_s;
        w->rate_docs = !strcmp(l->rate_unit, "docs");
        w->pacing = PACER_FIXED;
    }
    if (l->has_arrival && w->rate_s <= 0)
        return err_set(why, ERR_USAGE,
                       "--arrival: task %s has no rate, and there is no --rate",
                       w->name);
    if (l->has_arrival)
        w->pacing = l->poisson ? PACER_POISSON : PACER_FIXED;
    if (w->rate_docs && !w->bulk)
        return err_set(why, ERR_USAGE,
                       "--rate in docs/s: task %s has no documents", w->name);
    return ERR_OK;
}

static enum pacer_kind pacing_of(const struct plan_task *t)
{
    if (t->rate_s <= 0)
        return PACER_CLOSED;
    return t->poisson ? PACER_POISSON : PACER_FIXED;
}

/* Whether clients and rate are meant for this task: of several that run side by
 * side only the bulks, if there are any. */
static bool is_meant(const struct plan_step *step, const struct plan_task *t)
{
    bool any = false;
    for (size_t i = 0; i < step->n_tasks; i++)
        any = any || step->tasks[i].kind == PLAN_BULK;
    return !any || t->kind == PLAN_BULK;
}

/* Streams as ranges of the composite operation's bodies. */
static enum err make_streams(struct work *w, const struct plan_task *t,
                             struct why *why)
{
    uint32_t *streams = calloc(t->n_streams + 1, sizeof *streams);
    if (!streams)
        return err_set(why, ERR_NOMEM, "streams: out of memory");
    for (size_t i = 0; i < t->n_streams; i++)
        streams[i + 1] = streams[i] + (uint32_t)t->streams[i].n_requests;
    w->streams = streams;
    w->n_streams = (uint32_t)t->n_streams;
    w->conns = w->n_streams;
    if (t->max_connections && t->max_connections < w->conns)
        w->conns = t->max_connections;
    return ERR_OK;
}

static enum err make_work(struct work *w, const struct plan_task *t,
                          struct why *why)
{
    bool bounded = t->measure_ns || t->warmup_ns || t->iterations;
    assert(t->kind != PLAN_SLEEP); /* plan_parse refuses it */
    *w = (struct work){.name = t->name,
                       .operation = t->operation,
                       .bulk = t->kind == PLAN_BULK,
                       .looped = t->kind != PLAN_BULK || t->looped,
                       .hidden = t->hidden,
                       .clients = t->clients,
                       .pacing = pacing_of(t),
                       .rate_s = t->rate_s,
                       .rate_docs = t->rate_docs,
                       .warmup_ns = t->warmup_ns,
                       .measure_ns = t->measure_ns,
                       .warm_ops = t->warmup_iterations,
                       .ops = t->iterations,
                       .ramp_up_ns = t->ramp_up_ns,
                       .timeout_ns = t->timeout_ns,
                       .conns = 1};
    if (t->kind != PLAN_BULK && !bounded)
        w->ops = 1; /* as Rally */
    if (t->kind == PLAN_REQUESTS)
        w->requests = t->requests;
    return t->kind == PLAN_COMPOSITE ? make_streams(w, t, why) : ERR_OK;
}

static size_t completed_by(const struct plan_step *plan)
{
    if (!plan->completed_by)
        return STEP_BY_NONE;
    for (size_t i = 0; i < plan->n_tasks; i++)
        if (!strcmp(plan->completed_by, plan->tasks[i].name))
            return i;
    return STEP_BY_ANY;
}

static void place(struct step *step, const struct plan_step *plan)
{
    uint32_t slots = 0;
    for (size_t i = 0; i < step->n_works; i++) {
        step->works[i].slot = slots;
        slots += step->works[i].clients;
    }
    step->slots = plan->clients ? plan->clients : slots;
    for (size_t i = 0; i < step->n_works; i++) {
        struct work *w = &step->works[i];
        for (uint32_t c = 0; c < w->clients; c++)
            w->own += share_has(&step->share, (w->slot + c) % step->slots);
    }
}

enum err step_make(struct step *step, struct work *works,
                   const struct plan_step *plan, const struct options *options,
                   struct why *why)
{
    enum err e = ERR_OK;
    *step = (struct step){.works = works,
                          .n_works = plan->n_tasks,
                          .share = options->share,
                          .completed_by = completed_by(plan)};
    for (size_t i = 0; i < plan->n_tasks && !e; i++) {
        e = make_work(&works[i], &plan->tasks[i], why);
        step_retime(&works[i], &options->load);
        if (!e && is_meant(plan, &plan->tasks[i]))
            e = step_overrule(&works[i], &options->load, why);
    }
    if (!e)
        place(step, plan);
    return e;
}

void step_fini(struct step *step)
{
    for (size_t i = 0; i < step->n_works; i++) {
        body_free(step->works[i].bodies);
        free((void *)(uintptr_t)step->works[i].streams);
    }
    *step = (struct step){0};
}

/* All streams' requests one after the other, as one task. */
static enum err render_streams(struct work *w, const struct plan_task *task,
                               const struct body_config *config,
                               struct why *why)
{
    size_t n = w->streams[w->n_streams];
    struct plan_request *requests = calloc(n, sizeof *requests);
    if (!requests)
        return err_set(why, ERR_NOMEM, "streams: out of memory");
    for (size_t i = 0; i < task->n_streams; i++)
        memcpy(requests + w->streams[i], task->streams[i].requests,
               task->streams[i].n_requests * sizeof *requests);
    const struct plan_task flat = {.name = task->name,
                                   .operation = task->operation,
                                   .kind = PLAN_REQUESTS,
                                   .clients = task->clients,
                                   .headers = task->headers,
                                   .n_headers = task->n_headers,
                                   .requests = requests,
                                   .n_requests = n};
    enum err e = body_make(&w->bodies, NULL, &flat, config, why);
    free(requests);
    return e;
}

enum err step_render(struct work *w, const struct plan *plan,
                     const struct plan_task *task,
                     const struct body_config *config, struct why *why)
{
    if (task->kind == PLAN_COMPOSITE)
        return render_streams(w, task, config, why);
    return body_make(&w->bodies, plan, task, config, why);
}
