#include "load/course.h"

#include <poll.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/meet.h"

#define WAIT_MAX_NS (100 * NS_PER_MS) /* until a stop is seen */
#define LEAD_NS     (20 * NS_PER_MS)  /* from connecting to t0 */

void course_init(struct course *c, const struct course_config *config)
{
    *c = (struct course){.config = *config, .next_ns = UINT64_MAX};
}

void course_fini(struct course *c)
{
    for (size_t i = 0; i < c->n_sessions; i++)
        session_close(c->sessions[i]);
    free(c->sessions);
    *c = (struct course){0};
}

static bool stopped(void *ctx)
{
    struct course *c = ctx;
    if (clock_mono_ns() >= c->next_ns) {
        c->config.second(c->config.ctx);
        c->next_ns += NS_PER_S;
    }
    return c->config.stopped(c->config.ctx);
}

static enum err do_once(struct course *c, const struct plan_step *step,
                        struct why *why)
{
    const struct job *job = c->config.job;
    const struct once_config config = {.ops = job->ops,
                                       .address = &job->address,
                                       .http = job->options->http,
                                       .headers = job->options->headers,
                                       .congestion = job->options->congestion,
                                       .stopped = stopped,
                                       .ctx = c};
    enum err e = ERR_OK;
    for (size_t i = 0; i < step->n_tasks && !e; i++) {
        struct once_result result;
        c->task = step->tasks[i].name;
        e = once_run(&config, &step->tasks[i], &result, why);
        if (!e)
            e = c->config.once(c->config.ctx, &step->tasks[i], &result, why);
    }
    return e;
}

static enum err open_session(struct course *c, size_t step, struct why *why)
{
    const struct job *job = c->config.job;
    struct session **more =
        realloc(c->sessions, (c->n_sessions + 1) * sizeof(struct session *));
    if (!more)
        return err_set(why, ERR_NOMEM, "steps: out of memory");
    c->sessions = more;
    enum err e =
        session_open(&more[c->n_sessions], job, &job->steps[step], why);
    c->n_sessions += !e;
    return e;
}

/* Several load agents leave what is done once to the first of them. */
static bool does_once(const struct course *c)
{
    return share_is_first(&c->config.job->options->share);
}

enum err course_arm(struct course *c, struct why *why)
{
    struct job *job = c->config.job;
    enum err e = ERR_OK;
    for (; c->at < job->measured && !e; c->at++)
        if (does_once(c))
            e = do_once(c, &job->plan->steps[c->at], why);
    if (!e)
        e = job_render(job, why);
    return e ? e : open_session(c, c->at, why);
}

/* Number of a meeting of the session that is under way. */
static uint32_t meeting(const struct course *c, enum meet_kind kind)
{
    return meet_number((uint32_t)c->n_sessions - 1, kind);
}

/* Say once that it has come to a meeting: of `any` its word counts for all,
 * unless it had nothing to do. */
static void come(struct course *c, enum meet_kind kind)
{
    uint32_t number = meeting(c, kind);
    const struct step *step = &c->config.job->steps[c->at];
    bool any = kind == MEET_COMPLETE && step->completed_by == STEP_BY_ANY &&
               session_progress(c->sessions[c->n_sessions - 1]).completed;
    if (c->come < number)
        c->config.come(c->config.ctx, number, any);
    c->come = number;
}

/* Come to a meeting and wait for the others. */
static enum err meet(struct course *c, enum meet_kind kind, uint64_t *from_ns,
                     struct why *why)
{
    uint32_t number = meeting(c, kind);
    struct pollfd fd = {.fd = c->config.fd, .events = POLLIN};
    *from_ns = 0;
    if (!c->config.come)
        return ERR_OK;
    come(c, kind);
    while (!stopped(c)) {
        if (c->config.gone(c->config.ctx, number, from_ns))
            return ERR_OK;
        (void)poll(&fd, 1, (int)(WAIT_MAX_NS / NS_PER_MS));
    }
    return err_set(why, ERR_INTERRUPTED,
                   "stopped while it waited for other load agents");
}

/* What completed-by needs of several load agents while they drive: say that its
 * task is over here, and stop when it is everywhere. */
static void complete(struct course *c, struct session *s, bool *completed)
{
    const struct step *step = &c->config.job->steps[c->at];
    uint32_t number = meeting(c, MEET_COMPLETE);
    uint64_t from_ns = 0;
    if (!c->config.come || step->completed_by == STEP_BY_NONE)
        return;
    if (session_progress(s).completed)
        come(c, MEET_COMPLETE);
    if (!*completed && c->config.gone(c->config.ctx, number, &from_ns)) {
        *completed = true;
        session_stop(s, from_ns ? from_ns : clock_mono_ns());
    }
}

/* Wait for those whose tasks still run: what comes next is for all. */
static enum err meet_again(struct course *c, bool completed, struct why *why)
{
    const struct job *job = c->config.job;
    uint64_t from_ns;
    enum err e = ERR_OK;
    if (job->steps[c->at].completed_by != STEP_BY_NONE && !completed)
        e = meet(c, MEET_COMPLETE, &from_ns, why);
    if (!e && c->at + 1 < job->n_steps)
        e = meet(c, MEET_OVER, &from_ns, why);
    return e;
}

static enum err drive(struct course *c, const struct stage_run *run,
                      struct why *why)
{
    struct session *s = c->sessions[c->n_sessions - 1];
    bool completed = false;
    c->task = session_task(s, 0)->work->name;
    enum err e = session_start(s, run, why);
    if (e) {
        session_close(s);
        c->n_sessions--;
        return e;
    }
    for (;;) {
        uint64_t now_ns = clock_mono_ns();
        uint64_t wait_ns = c->next_ns > now_ns ? c->next_ns - now_ns : 0;
        if (session_step(s, wait_ns < WAIT_MAX_NS ? wait_ns : WAIT_MAX_NS,
                         c->told ? -1 : c->config.fd))
            break;
        if (stopped(c) && !c->told) {
            session_stop(s, 0);
            c->told = true;
        }
        complete(c, s, &completed);
    }
    session_finish(s);
    return c->told || !c->config.come ? ERR_OK : meet_again(c, completed, why);
}

/* A later step starts when a whole second since the first window's begin is
 * over, so that all seconds are the same ones. Of several load agents whoever
 * tells them the time sees to that. */
static enum err run_after(struct course *c, struct stage_run *run,
                          struct why *why)
{
    uint64_t origin_ns = session_origin(c->sessions[0]);
    uint64_t soonest_ns = clock_mono_ns() + LEAD_NS;
    uint64_t t0_ns = origin_ns;
    if (soonest_ns > origin_ns)
        t0_ns += (soonest_ns - origin_ns + NS_PER_S - 1) / NS_PER_S * NS_PER_S;
    uint64_t from_ns;
    enum err e = meet(c, MEET_START, &from_ns, why);
    *run = (struct stage_run){.t0_ns = from_ns ? from_ns : t0_ns,
                              .drain_ns = WORKER_DRAIN_NS,
                              .origin_ns = origin_ns,
                              .meets = c->config.come != NULL};
    return e;
}

/* A step that was not begun has nothing to be reported. */
static enum err drive_after(struct course *c, struct why *why)
{
    struct stage_run run;
    enum err e = run_after(c, &run, why);
    if (!e)
        return drive(c, &run, why);
    session_close(c->sessions[--c->n_sessions]);
    return e;
}

enum err course_run(struct course *c, const struct stage_run *run,
                    struct why *why)
{
    const struct job *job = c->config.job;
    struct stage_run first = *run;
    c->next_ns = run->t0_ns;
    first.meets = c->config.come != NULL;
    enum err e = drive(c, &first, why);
    for (c->at++; c->at < job->n_steps && !e; c->at++) {
        if (c->config.stopped(c->config.ctx))
            break;
        if (!job->steps[c->at].n_works) {
            if (does_once(c))
                e = do_once(c, &job->plan->steps[c->at], why);
            continue;
        }
        e = open_session(c, c->at, why);
        if (!e)
            e = drive_after(c, why);
    }
    return e;
}

struct session_progress course_progress(const struct course *c)
{
    struct session_progress sum = {0};
    for (size_t i = 0; i < c->n_sessions; i++) {
        struct session_progress p = session_progress(c->sessions[i]);
        sum.requests += p.requests;
        sum.docs += p.docs;
        sum.bytes += p.bytes;
        sum.errors += p.errors;
    }
    return sum;
}

static void add(struct session_driver *sum, const struct session_driver *d)
{
    totals_add(&sum->totals, &d->totals);
    sum->stats.connects += d->stats.connects;
    sum->stats.connects_lost += d->stats.connects_lost;
    sum->stats.retried += d->stats.retried;
    sum->seconds_lost += d->seconds_lost;
}

struct session_driver course_driver(const struct course *c)
{
    struct session_driver sum = *session_driver(c->sessions[0]);
    for (size_t i = 1; i < c->n_sessions; i++)
        add(&sum, session_driver(c->sessions[i]));
    return sum;
}
