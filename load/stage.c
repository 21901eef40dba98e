#include "load/stage.h"

static struct stage_term term_of(const struct work *w,
                                 const struct stage_run *run)
{
    if (run->measure_ns)
        return (struct stage_term){.warmup_ns = run->warmup_ns,
                                   .measure_ns = run->measure_ns};
    return (struct stage_term){.warmup_ns = w->warmup_ns,
                               .measure_ns = w->measure_ns,
                               .warm_ops = w->warm_ops,
                               .ops = w->ops};
}

/* Clients up to this one begin a slot's share of the task: they must be warm.
 */
static uint32_t first_clients(const struct step *step, const struct work *w)
{
    return w->clients < step->slots ? w->clients : step->slots;
}

/* Of the first n clients, how many are this process's. */
static uint32_t own_clients(const struct step *step, const struct work *w,
                            uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += share_has(&step->share, (w->slot + i) % step->slots);
    return count;
}

/* All clients of the task have their slots when the step begins. */
static bool begins_at_once(const struct step *step, const struct work *w)
{
    return (uint64_t)w->slot + w->clients <= step->slots;
}

static void task_init(struct stage *s, size_t i)
{
    struct stage_task *t = &s->tasks[i];
    const struct work *w = &s->step->works[i];
    uint64_t begin_ns = UINT64_MAX, end_ns = UINT64_MAX;
    t->term = term_of(w, &s->run);
    if (begins_at_once(s->step, w) && !t->term.warm_ops)
        begin_ns = s->run.t0_ns + t->term.warmup_ns;
    if (begin_ns < UINT64_MAX && t->term.measure_ns)
        end_ns = begin_ns + t->term.measure_ns;
    span_init(&t->span, begin_ns, end_ns,
              own_clients(s->step, w, first_clients(s->step, w)));
    atomic_init(&t->clients, w->own);
    atomic_init(&t->last_ns, 0);
}

void stage_init(struct stage *s, const struct step *step,
                struct stage_task *tasks, const struct stage_run *run)
{
    *s = (struct stage){.step = step, .run = *run, .tasks = tasks};
    atomic_init(&s->stop_ns, UINT64_MAX);
    atomic_init(&s->give_up_ns, UINT64_MAX);
    atomic_init(&s->completed, step->completed_by < step->n_works &&
                                   !step->works[step->completed_by].own);
    uint64_t first_ns = UINT64_MAX;
    for (size_t i = 0; i < step->n_works; i++) {
        task_init(s, i);
        uint64_t begin_ns = span_begin(&tasks[i].span);
        if (begin_ns < first_ns)
            first_ns = begin_ns;
    }
    s->origin_ns = run->origin_ns           ? run->origin_ns
                   : first_ns == UINT64_MAX ? run->t0_ns
                                            : first_ns;
}

bool stage_is_first(const struct stage *s, size_t i, uint32_t client)
{
    return client < first_clients(s->step, &s->step->works[i]);
}

void stage_over(struct stage *s, size_t i, uint64_t at_ns, bool idle)
{
    struct stage_task *t = &s->tasks[i];
    uint64_t last_ns = atomic_load(&t->last_ns);
    while (last_ns < at_ns &&
           !atomic_compare_exchange_weak(&t->last_ns, &last_ns, at_ns))
        continue;
    bool all = atomic_fetch_sub(&t->clients, 1) == 1;
    bool any = s->step->completed_by == STEP_BY_ANY && !idle;
    if (!any && !(s->step->completed_by == i && all))
        return;
    if (any || !s->run.meets)
        stage_stop(s, any ? at_ns : atomic_load(&t->last_ns));
    atomic_store(&s->completed, true);
}

bool stage_completed(const struct stage *s)
{
    return atomic_load(&s->completed);
}

void stage_edges(const struct stage *s, uint64_t *begin_ns, uint64_t *end_ns)
{
    *begin_ns = UINT64_MAX;
    *end_ns = 0;
    for (size_t i = 0; i < s->step->n_works; i++) {
        uint64_t from_ns = span_begin(&s->tasks[i].span);
        uint64_t to_ns = span_end(&s->tasks[i].span);
        if (from_ns < *begin_ns)
            *begin_ns = from_ns;
        if (to_ns > *end_ns)
            *end_ns = to_ns;
    }
}

void stage_stop(struct stage *s, uint64_t at_ns)
{
    uint64_t stop_ns = atomic_load(&s->stop_ns);
    while (at_ns < stop_ns &&
           !atomic_compare_exchange_weak(&s->stop_ns, &stop_ns, at_ns))
        continue;
    for (size_t i = 0; i < s->step->n_works; i++)
        span_finish(&s->tasks[i].span, at_ns);
}

void stage_abort(struct stage *s, uint64_t at_ns)
{
    uint64_t none = UINT64_MAX;
    (void)atomic_compare_exchange_strong(&s->give_up_ns, &none,
                                         at_ns + s->run.drain_ns);
    stage_stop(s, at_ns);
}

uint64_t stage_stopped(const struct stage *s)
{
    return atomic_load_explicit(&s->stop_ns, memory_order_relaxed);
}

uint64_t stage_given_up(const struct stage *s)
{
    return atomic_load_explicit(&s->give_up_ns, memory_order_relaxed);
}
