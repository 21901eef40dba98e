#include "controller/run.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "controller/dispatch.h"
#include "controller/estimate.h"
#include "controller/interrupt.h"
#include "results/answer.h"
#include "results/ceiling.h"

#define REDRAW_NS (250 * NS_PER_MS)

/* One agent's request on its way. */
struct line {
    struct chan *chan;
    struct request request;
    uint64_t sent_ns;
    bool open;
};

struct runner {
    const struct run_setup *in;
    struct bench bench;
    struct estimate estimate;
    int64_t attempt; /* the store's id */
    uint64_t begun_ns;
    uint64_t shown_ns; /* the progress line, and what it told */
    const char *shown;
    unsigned interrupts;
    bool told; /* the bench, of an interrupt */
    struct line lines[BENCH_AGENTS_MAX];
    struct wire_buf wire;
    struct setup setup; /* of the trial at work */
    struct msg_reply head;
    union request_body body;
    struct why heard; /* text of the event */
};

static uint32_t cell_of(const struct runner *r)
{
    return r->in->trials->order[r->bench.trial];
}

/* The calibration at work; NULL: a trial is. */
static const struct ceiling_plan *ceiling_of(const struct runner *r)
{
    return bench_is_extra(&r->bench)
               ? &r->in->ceilings
                      ->items[r->bench.trial - bench_trials(&r->bench)]
               : NULL;
}

static double docs_s(const struct bench *b)
{
    double sum = 0;
    for (unsigned i = 0; i < b->n_seats; i++)
        if (b->seats[i].takes_part && b->seats[i].phase == SEAT_RUNNING)
            sum += b->seats[i].status.docs_s;
    return sum;
}

/* What the bench is at: its phase, or what a load says beyond that. */
static const char *doing(const struct bench *b)
{
    for (unsigned i = 0; i < b->n_seats; i++)
        if (b->seats[i].takes_part && b->seats[i].phase == SEAT_PREPARING &&
            b->seats[i].status.task[0])
            return b->seats[i].status.task;
    return bench_phase_name(b);
}

static void show(struct runner *r)
{
    const struct bench *b = &r->bench;
    uint64_t now = clock_mono_ns();
    struct progress_now view = {
        .trial = bench_is_extra(b) ? 0 : b->trial + 1,
        .n_trials = bench_trials(b),
        .attempt = b->att,
        .cell = r->setup.spec.cell,
        .phase = doing(b),
        .docs_s = docs_s(b),
        .left_ns = estimate_left_ns(&r->estimate, queue_left(&b->queue), 1,
                                    now - r->begun_ns)};
    bool due = now - r->shown_ns >= REDRAW_NS || view.phase != r->shown;
    if (!bench_active(b) || !due)
        return;
    progress_show(r->in->progress, &view);
    r->shown_ns = now;
    r->shown = view.phase;
}

/* Sending and waiting --------------------------------------------------- */

/* What came, or did not, as an event. */
static void hear(struct runner *r, unsigned agent, enum err e,
                 struct bench_event *ev)
{
    *ev = (struct bench_event){.what = e ? BENCH_UNHEARD : BENCH_ANSWERED,
                               .agent = agent,
                               .now_ns = clock_mono_ns(),
                               .err = e,
                               .text = r->heard.text,
                               .sent_ns = r->lines[agent].sent_ns};
    if (e)
        return;
    ev->err = (enum err)r->head.err;
    if (ev->err) {
        (void)err_set(&r->heard, ev->err, "%s", r->head.text);
        return;
    }
    ev->ping = &r->body.ping;
    ev->lease = &r->body.lease;
    ev->status = &r->body.status;
    ev->chunk = &r->body.chunk;
}

/* The agent is silent: its name to the text, and when it is ours and died,
 * start it again and say so. */
static void unheard(struct runner *r, unsigned agent, enum err e,
                    struct bench_event *ev)
{
    struct agent *a = r->in->lab->agents[agent];
    char said[320];
    struct why dead = {""};
    if (r->bench.n_seats > 1)
        (void)err_wrap(&r->heard, e, "agent %s", a->hello.name);
    else
        (void)agent_blame(a, e, &r->heard);
    if (agent_mend(a, said, sizeof said, &dead))
        r->heard = dead; /* it will not come back; the bench finds out */
    if (said[0])
        progress_say(r->in->progress, "%s", said);
    hear(r, agent, e, ev);
}

static enum err do_send(struct runner *r, const struct bench_action *a,
                        struct bench_event *ev, struct why *why)
{
    struct line *line = &r->lines[a->agent];
    struct dispatch dispatch = {
        .bench = &r->bench, .setup = &r->setup, .uuid = r->in->uuid};
    if (a->op == MSG_PREPARE)
        dispatch.plan = ceiling_of(r) ? ceiling_of(r)->json
                                      : trials_plan(r->in->trials, cell_of(r));
    enum err e =
        dispatch_encode(&dispatch, a, ++r->in->lab->agents[a->agent]->seq,
                        &line->request, &r->wire, why);
    if (e)
        return e;
    r->heard.text[0] = '\0';
    line->sent_ns = clock_mono_ns();
    e = chan_submit(line->chan, r->wire.data, r->wire.len, SEAT_REQUEST_NS,
                    &r->heard);
    line->open = !e;
    *ev = (struct bench_event){.what = BENCH_TICK, .now_ns = clock_mono_ns()};
    if (e)
        unheard(r, a->agent, e, ev);
    return ERR_OK;
}

/* Take an answer that is there, or a silence that has lasted: true. */
static bool take(struct runner *r, unsigned agent, struct bench_event *ev)
{
    struct line *line = &r->lines[agent];
    const void *data = NULL;
    size_t len = 0;
    r->heard.text[0] = '\0';
    enum err e = chan_result(line->chan, &data, &len, &r->heard);
    if (e == ERR_AGAIN)
        return false;
    line->open = false;
    if (!e)
        e = request_decode(&line->request, data, len, &r->head, &r->body,
                           &r->heard);
    if (e)
        unheard(r, agent, e, ev);
    else
        hear(r, agent, e, ev);
    return true;
}

/* Wait for an answer, a signal or due_ns; which lines have news: a bit each. */
static enum err wait_for(struct runner *r, uint64_t due_ns, uint32_t *news,
                         struct why *why)
{
    struct pollfd fds[1 + BENCH_AGENTS_MAX] = {
        {.fd = r->in->interrupt_fd, .events = POLLIN}};
    uint64_t now = clock_mono_ns();
    uint64_t until = now + REDRAW_NS < due_ns ? now + REDRAW_NS : due_ns;
    unsigned n = r->bench.n_seats;
    for (unsigned i = 0; i < n; i++) {
        const struct line *line = &r->lines[i];
        fds[1 + i] = (struct pollfd){
            .fd = line->open ? chan_fd(line->chan) : -1, .events = POLLIN};
        if (line->open && chan_due_ns(line->chan) < until)
            until = chan_due_ns(line->chan);
    }
    if (poll(fds, 1 + n, clock_poll_ms(now, until)) < 0 && errno != EINTR)
        return err_errno(why, errno, "poll");
    now = clock_mono_ns();
    for (unsigned i = 0; i < n; i++)
        if (r->lines[i].open && ((fds[1 + i].revents & POLLIN) ||
                                 now >= chan_due_ns(r->lines[i].chan)))
            *news |= 1u << i;
    r->interrupts += interrupt_take(r->in->interrupt_fd);
    if (r->interrupts > 1)
        return err_set(why, ERR_INTERRUPTED, "interrupted twice: left at once");
    show(r);
    return ERR_OK;
}

/* Until something happens that the bench should know. */
static enum err do_wait(struct runner *r, const struct bench_action *a,
                        struct bench_event *ev, struct why *why)
{
    for (;;) {
        uint32_t news = 0;
        enum err e = wait_for(r, a->due_ns, &news, why);
        if (e)
            return e;
        *ev =
            (struct bench_event){.what = BENCH_TICK, .now_ns = clock_mono_ns()};
        if (r->interrupts && !r->told) {
            r->told = true;
            ev->what = BENCH_INTERRUPT;
            return ERR_OK;
        }
        for (unsigned i = 0; i < r->bench.n_seats; i++)
            if ((news & 1u << i) && take(r, i, ev))
                return ERR_OK;
        if (ev->now_ns >= a->due_ns)
            return ERR_OK;
    }
}

/* The store ------------------------------------------------------------- */

static enum err do_add(struct runner *r, struct bench_event *ev,
                       struct why *why)
{
    const struct run_setup *in = r->in;
    r->begun_ns = clock_mono_ns();
    if (ceiling_of(r))
        ceiling_plan_setup(ceiling_of(r), in->trials, &r->setup);
    else
        trials_setup(in->trials, cell_of(r), &r->setup);
    ev->att = 1;
    enum err e = ERR_OK;
    if (!ceiling_of(r))
        e = store_attempt_add(in->store, in->experiment, r->bench.trial + 1,
                              &r->attempt, &ev->att, why);
    ev->what = BENCH_STORED;
    ev->apart = needs_apart(&r->setup.spec);
    return e;
}

/* broken: rules, "" for none. */
static void say_end(struct runner *r, const struct bench_action *a,
                    const char *broken)
{
    const struct bench *b = &r->bench;
    char took[24], attempt[32] = "";
    uint64_t length = clock_mono_ns() - r->begun_ns;
    bool plain = a->outcome == OUTCOME_OK && !broken[0];
    if (b->att > 1)
        (void)snprintf(attempt, sizeof attempt, ", attempt %u", b->att);
    if (r->in->progress->terminal && plain)
        return;
    progress_say(r->in->progress, "trial %u of %u%s  %s  %s%s%s%s%s  (%s)",
                 b->trial + 1, bench_trials(b), attempt, r->setup.spec.cell,
                 outcome_name(a->outcome), broken[0] ? ", invalid: " : "",
                 broken, a->error ? ": " : "", a->error ? a->error : "",
                 units_show_ns(took, sizeof took, (double)length));
}

/* What each agent that took part had to say; their number. */
static size_t fill_parts(const struct runner *r, struct store_part *parts)
{
    size_t n = 0;
    for (unsigned i = 0; i < r->bench.n_seats; i++) {
        const struct seat *s = &r->bench.seats[i];
        if (!s->takes_part)
            continue;
        parts[n++] =
            (struct store_part){.agent = lab_agent(r->in->lab, i),
                                .role = !r->bench.apart ? "both"
                                        : i             ? "load"
                                                        : "target",
                                .spool = s->collected ? s->spool : NULL,
                                .spool_len = s->collected ? s->spool_len : 0,
                                .started = s->start.t0_ns > 0,
                                .t0_ns = s->start.t0_ns,
                                .offset_ns = s->start.offset_ns,
                                .uncertain_ns = s->start.uncertain_ns};
    }
    return n;
}

static bool any_spool(const struct store_result *result)
{
    for (size_t i = 0; i < result->n_parts; i++)
        if (result->parts[i].spool)
            return true;
    return false;
}

/* A calibration is no trial: what it came to is stored, and said. */
static enum err finish_ceiling(struct runner *r, const struct bench_action *a,
                               struct bench_event *ev, struct why *why)
{
    const struct ceiling_plan *p = ceiling_of(r);
    struct store_part parts[BENCH_AGENTS_MAX];
    struct ceiling_figures f;
    const struct ceiling_run run = {.link = p->link,
                                    .load = p->load,
                                    .cells = p->cells,
                                    .n_cells = p->n_cells,
                                    .error = a->outcome == OUTCOME_OK ? NULL
                                             : a->error
                                                 ? a->error
                                                 : outcome_name(a->outcome),
                                    .parts = parts,
                                    .n_parts = fill_parts(r, parts)};
    ev->what = BENCH_STORED;
    if (r->bench.interrupted) /* it says nothing of the driver */
        return ERR_OK;
    enum err e = ceiling_add(r->in->store, r->in->experiment, &run, &f, why);
    if (!e && f.window_ns)
        progress_say(r->in->progress,
                     "ceiling of the driver over %s, %s: %.0f docs/s, %.0f "
                     "requests/s, %.1f MB/s",
                     p->link, p->load, f.docs_s, f.ops_s, f.mb_s);
    else if (!e)
        progress_say(r->in->progress,
                     "ceiling of the driver over %s, %s: not measured%s%s",
                     p->link, p->load, run.error ? ": " : "",
                     run.error ? run.error : "");
    return e;
}

static enum err do_finish(struct runner *r, const struct bench_action *a,
                          struct bench_event *ev, struct why *why)
{
    char broken[200] = "";
    struct store_part parts[BENCH_AGENTS_MAX];
    struct store_result result = {.outcome = a->outcome,
                                  .error = a->error,
                                  .parts = parts,
                                  .n_parts = fill_parts(r, parts)};
    enum err e =
        store_attempt_end(r->in->store, r->attempt, &result, &r->heard);
    if (e == ERR_CORRUPT && any_spool(&result)) {
        ev->what = BENCH_CORRUPT;
        ev->text = r->heard.text;
        return ERR_OK;
    }
    if (e) {
        *why = r->heard;
        return err_wrap(why, e, "store trial %u", r->bench.trial + 1);
    }
    e = answer_broken(r->in->store, r->attempt, broken, sizeof broken, why);
    ev->what = BENCH_STORED;
    ev->invalid = broken[0] != '\0';
    estimate_add(&r->estimate, clock_mono_ns() - r->begun_ns);
    say_end(r, a, broken);
    return e;
}

static enum err act(struct runner *r, const struct bench_action *a,
                    struct bench_event *ev, struct why *why)
{
    enum err e = ERR_OK;
    *ev = (struct bench_event){.what = BENCH_STORED};
    switch (a->what) {
    case BENCH_SEND:
        return do_send(r, a, ev, why);
    case BENCH_WAIT:
        return do_wait(r, a, ev, why);
    case BENCH_ADD:
        e = do_add(r, ev, why);
        break;
    case BENCH_MOVE:
        if (!ceiling_of(r))
            e = store_attempt_move(r->in->store, r->attempt, a->state, why);
        break;
    case BENCH_FINISH:
        e = ceiling_of(r) ? finish_ceiling(r, a, ev, why)
                          : do_finish(r, a, ev, why);
        break;
    case BENCH_DONE:
        break;
    }
    ev->now_ns = clock_mono_ns();
    return e;
}

static enum err start(struct runner *r, const struct run_setup *in,
                      struct why *why)
{
    const struct trials *t = in->trials;
    struct bench_config config = {
        .ends = t->ends,
        .n_blocks = t->n_blocks,
        .retries = in->retries,
        .abort_on_error = in->abort_on_error,
        .times = {t->ex->warmup_ns, t->ex->measure_ns},
        .ready_ns = TRIALS_READY_NS,
        .drain_ns = TRIALS_DRAIN_NS,
        .n_extra = in->ceilings->n,
        .extra_times = in->ceilings->times,
        .n_agents = in->lab->n};
    r->in = in;
    for (unsigned i = 0; i < in->lab->n; i++) {
        config.names[i] = lab_agent(in->lab, i);
        r->lines[i].chan = in->lab->agents[i]->chan;
    }
    estimate_init(&r->estimate, t->ex->warmup_ns, t->ex->measure_ns);
    return bench_init(&r->bench, &config, why);
}

enum err run_trials(const struct run_setup *in, struct run_end *end,
                    struct why *why)
{
    struct bench_event ev = {.what = BENCH_TICK, .now_ns = clock_mono_ns()};
    struct bench_action a = {0};
    memset(end, 0, sizeof *end);
    struct runner *r = calloc(1, sizeof *r);
    if (!r)
        return err_set(why, ERR_NOMEM, "run");
    enum err e = start(r, in, why);
    while (!e) {
        bench_step(&r->bench, &ev, &a);
        if (a.what == BENCH_DONE)
            break;
        e = act(r, &a, &ev, why);
    }
    progress_clear(in->progress);
    end->interrupted = r->interrupts > 0;
    end->unstored = e && bench_active(&r->bench);
    end->n_left = queue_left(&r->bench.queue);
    (void)snprintf(end->text, sizeof end->text, "%s", r->bench.error);
    bench_fini(&r->bench);
    wire_buf_free(&r->wire);
    free(r);
    return e;
}
