#include "controller/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "controller/dispatch.h"
#include "controller/interrupt.h"
#include "controller/runner.h"
#include "controller/sequel.h"

#define REDRAW_NS (250 * NS_PER_MS)
#define WISH_NS   NS_PER_S

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
    const struct ceiling_plan *ceiling = runner_ceiling(r);
    struct dispatch dispatch = {.bench = &r->bench,
                                .setup = &r->setup,
                                .uuid = r->in->uuid,
                                .tid = ceiling
                                           ? RUN_CEILING_TID + ceiling->number
                                           : r->bench.trial + 1};
    if (a->op == MSG_PREPARE)
        dispatch.plan = ceiling ? ceiling->json
                                : trials_plan(r->in->trials, runner_cell(r));
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
    if (now - r->asked_ns >= WISH_NS) {
        r->asked_ns = now;
        enum err e = sitting_wished(r->in->store, r->in->sitting->experiment,
                                    &r->wish, why);
        if (e)
            return e;
    }
    if (r->interrupts > 1)
        return err_set(why, ERR_INTERRUPTED, "interrupted twice: left at once");
    show(r);
    return ERR_OK;
}

/* By Ctrl-C here, or by whoever left a wish. */
static enum wish wanted(const struct runner *r)
{
    return r->interrupts ? WISH_NOW : r->wish;
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
        if (wanted(r) > r->told) {
            r->told = wanted(r);
            ev->what = r->told == WISH_NOW ? BENCH_INTERRUPT : BENCH_ENOUGH;
            return ERR_OK;
        }
        for (unsigned i = 0; i < r->bench.n_seats; i++)
            if ((news & 1u << i) && take(r, i, ev))
                return ERR_OK;
        if (ev->now_ns >= a->due_ns)
            return ERR_OK;
    }
}

/* Tests kill the controller right after what PITWALL_TEST_DIE_AT names: "ADD",
 * "SEND:PREPARE", "MOVE:armed", "FINISH". */
static void die_there(const struct runner *r, const struct bench_action *a)
{
    static const char *const words[] = {"WAIT", "SEND",   "ADD",
                                        "MOVE", "FINISH", "DONE"};
    char point[48];
    const char *more = a->what == BENCH_SEND   ? msg_op_name(a->op)
                       : a->what == BENCH_MOVE ? state_name(a->state)
                                               : "";
    (void)snprintf(point, sizeof point, "%s%s%s", words[a->what],
                   more[0] ? ":" : "", more);
    if (!strcmp(point, r->die_at))
        (void)raise(SIGKILL);
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
        e = ledger_add(r, a, ev, why);
        break;
    case BENCH_MOVE:
        if (r->attempt)
            e = store_attempt_move(r->in->store, r->attempt, a->state, why);
        break;
    case BENCH_FINISH:
        e = ledger_finish(r, a, ev, why);
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
    r->die_at = getenv("PITWALL_TEST_DIE_AT");
    for (unsigned i = 0; i < in->lab->n; i++) {
        config.names[i] = lab_agent(in->lab, i);
        r->lines[i].chan = in->lab->agents[i]->chan;
    }
    estimate_init(&r->estimate, t->ex->warmup_ns, t->ex->measure_ns);
    estimate_recall(&r->estimate, in->pace.trial_ns, in->pace.n);
    enum err e = ERR_OK;
    if (in->past)
        e = sequel_left(in->past, in->ceilings, &r->left, &config.n_left, why);
    config.left = r->left;
    if (!e)
        e = bench_init(&r->bench, &config, why);
    if (!e && in->past)
        sequel_recall(in->past, &r->bench);
    return e;
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
        if (r->die_at)
            die_there(r, &a);
    }
    progress_clear(in->progress);
    end->interrupted = r->interrupts > 0;
    end->stopped = !r->interrupts && r->wish;
    end->enough = end->interrupted || end->stopped ? 0 : r->enough;
    end->unstored = r->bench.left_open || (e && bench_active(&r->bench)) ||
                    r->bench.harvested < r->bench.config.n_left;
    end->n_left = queue_left(&r->bench.queue);
    (void)snprintf(end->text, sizeof end->text, "%s", r->bench.error);
    bench_fini(&r->bench);
    free(r->left);
    wire_buf_free(&r->wire);
    free(r);
    return e;
}
