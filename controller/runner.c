#include "controller/runner.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/allot.h"
#include "controller/dispatch.h"
#include "controller/remainder.h"

const char *runner_prefix(const struct runner *r, char *buf, size_t size)
{
    (void)snprintf(buf, size, "%s%s", r->run->n > 1 ? r->lab->name : "",
                   r->run->n > 1 ? ": " : "");
    return buf;
}

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
    struct agent *a = r->lab->agents[agent];
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
    enum err e = dispatch_encode(&dispatch, a, ++r->lab->agents[a->agent]->seq,
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

bool runner_take(struct runner *r, unsigned agent)
{
    struct bench_event *ev = &r->event;
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

/* Tests kill the controller right after what PITWALL_TEST_DIE_AT names: "ADD",
 * "SEND:PREPARE", "MOVE:armed", "FINISH". */
static void die_there(const struct runner *r, const struct bench_action *a)
{
    static const char *const words[] = {"WAIT", "SEND",   "ASK", "ADD",
                                        "MOVE", "FINISH", "DONE"};
    char point[48];
    const char *more = a->what == BENCH_SEND   ? msg_op_name(a->op)
                       : a->what == BENCH_MOVE ? state_name(a->state)
                                               : "";
    (void)snprintf(point, sizeof point, "%s%s%s", words[a->what],
                   more[0] ? ":" : "", more);
    if (!strcmp(point, r->run->die_at))
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
    case BENCH_ASK:
        e = allot_ask(r, ev, why);
        break;
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
    case BENCH_WAIT:
    case BENCH_DONE:
        break;
    }
    ev->now_ns = clock_mono_ns();
    return e;
}

enum err runner_go(struct runner *r, struct why *why)
{
    for (;;) {
        bench_step(&r->bench, &r->event, &r->action);
        if (r->action.what == BENCH_ADD)
            allot_count(r);
        if (r->action.what == BENCH_WAIT)
            return ERR_OK;
        if (r->action.what == BENCH_DONE) {
            r->done = true;
            return allot_ended(r, why);
        }
        enum err e = act(r, &r->action, &r->event, why);
        if (e)
            return e;
        if (r->run->die_at)
            die_there(r, &r->action);
    }
}

static enum err start(struct runner *r, struct why *why)
{
    const struct run_setup *in = r->in;
    const struct trials *t = in->trials;
    struct bench_config config = {
        .asks = true,
        .ends = t->ends,
        .n_blocks = t->n_blocks,
        .retries = in->retries,
        .abort_on_error = in->abort_on_error,
        .times = {t->ex->warmup_ns, t->ex->measure_ns},
        .ready_ns = TRIALS_READY_NS,
        .drain_ns = TRIALS_DRAIN_NS,
        .n_extra = in->ceilings->n,
        .extra_times = in->ceilings->times,
        .n_agents = r->lab->n};
    for (unsigned i = 0; i < r->lab->n; i++) {
        config.names[i] = lab_agent(r->lab, i);
        r->lines[i].chan = r->lab->agents[i]->chan;
    }
    const char *bench = in->labs->n > 1 ? r->lab->name : NULL;
    enum err e = ERR_OK;
    if (in->past)
        e = remainder_find(in->past, in->ceilings, bench, &r->left,
                           &config.n_left, why);
    config.left = r->left;
    if (!e)
        e = bench_init(&r->bench, &config, why);
    if (!e && in->past)
        remainder_recall(in->past, &r->bench);
    return e;
}

enum err runner_new(struct runner **out, struct run *run, unsigned number,
                    struct why *why)
{
    struct runner *r = calloc(1, sizeof *r);
    if (!r)
        return err_set(why, ERR_NOMEM, "run");
    *out = r;
    r->run = run;
    r->in = run->in;
    r->lab = run->in->labs->items[number];
    r->number = number;
    r->event =
        (struct bench_event){.what = BENCH_TICK, .now_ns = clock_mono_ns()};
    return start(r, why);
}

void runner_free(struct runner *r)
{
    bench_fini(&r->bench);
    free(r->left);
    wire_buf_free(&r->wire);
    free(r);
}
