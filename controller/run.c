#include "controller/run.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "controller/bench.h"
#include "controller/estimate.h"
#include "controller/interrupt.h"
#include "results/answer.h"

#define REDRAW_NS (250 * NS_PER_MS)

struct runner {
    const struct run_setup *in;
    struct bench bench;
    struct estimate estimate;
    int64_t attempt;  /* the store's id */
    uint64_t invalid; /* trials, before the attempt's end */
    uint64_t begun_ns;
    uint64_t shown_ns; /* the progress line, and the phase it told */
    enum bench_phase shown;
    unsigned interrupts;
    struct request request;
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

static void show(struct runner *r)
{
    const struct bench *b = &r->bench;
    uint64_t now = clock_mono_ns();
    struct progress_now view = {
        .trial = b->trial + 1,
        .n_trials = b->config.n_trials,
        .attempt = b->att,
        .cell = r->setup.spec.cell,
        .phase = bench_phase_name(b),
        .docs_s = b->phase == BENCH_RUNNING ? b->status.docs_s : 0,
        .left_ns = estimate_left_ns(&r->estimate, queue_left(&b->queue), 1,
                                    now - r->begun_ns)};
    bool due = now - r->shown_ns >= REDRAW_NS || b->phase != r->shown;
    if (!b->active || !due)
        return;
    progress_show(r->in->progress, &view);
    r->shown_ns = now;
    r->shown = b->phase;
}

/* Bodies ---------------------------------------------------------------- */

union bodies {
    struct msg_hello hello;
    struct msg_acquire acquire;
    struct msg_renew renew;
    struct msg_prepare prepare;
    struct msg_start_at start_at;
    struct msg_stop stop;
    struct msg_collect collect;
    struct msg_ack ack;
};

static enum err fill_prepare(struct runner *r, struct msg_prepare *out,
                             struct wire_buf *spec, struct why *why)
{
    const char *plan = trials_plan(r->in->trials, cell_of(r));
    size_t n = 0;
    const struct wire_field *fields = spec_fields(&n);
    enum err e = wire_encode(fields, n, &r->setup.spec, spec, why);
    out->spec = (struct wire_blob){.data = spec->data, .len = spec->len};
    out->plan =
        (struct wire_blob){.data = (const uint8_t *)plan, .len = strlen(plan)};
    return e;
}

static void fill_body(struct runner *r, const struct bench_action *a,
                      union bodies *out)
{
    switch (a->op) {
    case MSG_HELLO:
        out->hello.proto_min = MSG_PROTO_MIN;
        out->hello.proto_max = MSG_PROTO_MAX;
        (void)snprintf(out->hello.version, sizeof out->hello.version, "%s",
                       PITWALL_VERSION);
        break;
    case MSG_ACQUIRE:
        out->acquire.ttl_ns = a->ttl_ns;
        (void)snprintf(out->acquire.owner, sizeof out->acquire.owner, "%s",
                       r->in->uuid);
        break;
    case MSG_RENEW:
        out->renew.ttl_ns = a->ttl_ns;
        break;
    case MSG_START_AT:
        out->start_at = a->start_at;
        break;
    case MSG_STOP:
        (void)snprintf(out->stop.reason, sizeof out->stop.reason, "%.190s",
                       r->bench.interrupted ? "interrupted" : r->bench.text);
        break;
    case MSG_COLLECT:
        out->collect.offset = a->offset;
        out->collect.max = 131072;
        break;
    case MSG_ACK:
        out->ack.bytes = a->ack_bytes;
        out->ack.crc = a->ack_crc;
        break;
    case MSG_PING:
    case MSG_RELEASE:
    case MSG_PREPARE:
    case MSG_ARM:
    case MSG_STATUS:
    case MSG_OP_LAST:
        break;
    }
}

static enum err encode(struct runner *r, const struct bench_action *a,
                       struct why *why)
{
    const struct bench *b = &r->bench;
    union bodies body;
    struct wire_buf spec = {0};
    enum err e = ERR_OK;
    memset(&body, 0, sizeof body);
    if (a->op == MSG_PREPARE)
        e = fill_prepare(r, &body.prepare, &spec, why);
    else
        fill_body(r, a, &body);
    r->request = (struct request){.op = a->op,
                                  .eid = r->in->uuid,
                                  .tid = b->active ? b->trial + 1 : 0,
                                  .att = b->active ? b->att : 0,
                                  .token = b->token,
                                  .seq = ++r->in->lab->seq,
                                  .body = &body};
    if (!e)
        e = request_encode(&r->request, &r->wire, why);
    r->request.body = NULL;
    wire_buf_free(&spec);
    return e;
}

/* Sending and waiting --------------------------------------------------- */

/* Wait for fd (-1: none), a signal or due_ns. An interrupt goes to the bench at
 * once; a second one ends the run. */
static enum err wait_for(struct runner *r, int fd, uint64_t due_ns,
                         struct why *why)
{
    struct pollfd fds[2] = {{.fd = r->in->interrupt_fd, .events = POLLIN},
                            {.fd = fd, .events = POLLIN}};
    uint64_t now = clock_mono_ns();
    uint64_t until = now + REDRAW_NS < due_ns ? now + REDRAW_NS : due_ns;
    if (poll(fds, 2, clock_poll_ms(now, until)) < 0 && errno != EINTR)
        return err_errno(why, errno, "poll");
    r->interrupts += interrupt_take(r->in->interrupt_fd);
    if (r->interrupts > 1)
        return err_set(why, ERR_INTERRUPTED, "interrupted twice: left at once");
    show(r);
    return ERR_OK;
}

/* What came, or did not, as an event. */
static void hear(struct runner *r, enum err e, struct bench_event *ev)
{
    ev->now_ns = clock_mono_ns();
    ev->text = r->heard.text;
    ev->err = e;
    ev->what = e ? BENCH_UNHEARD : BENCH_ANSWERED;
    if (e)
        return;
    ev->err = (enum err)r->head.err;
    if (ev->err) {
        (void)err_set(&r->heard, ev->err, "%s", r->head.text);
        return;
    }
    ev->lease = &r->body.lease;
    ev->status = &r->body.status;
    ev->chunk = &r->body.chunk;
}

/* The agent is silent: when ours died, start it again and say so. */
static enum err mend(struct runner *r, struct why *why)
{
    char said[320];
    enum err e = lab_mend(r->in->lab, said, sizeof said, why);
    if (said[0])
        progress_say(r->in->progress, "%s", said);
    return e;
}

static enum err await(struct runner *r, struct bench_event *ev, struct why *why)
{
    struct chan *chan = r->in->lab->chan;
    const void *data = NULL;
    size_t len = 0;
    for (;;) {
        bool told = r->interrupts > 0;
        enum err e = wait_for(r, chan_fd(chan), chan_due_ns(chan), why);
        if (e)
            return e;
        if (!told && r->interrupts) {
            struct bench_event stop = {.what = BENCH_INTERRUPT,
                                       .now_ns = clock_mono_ns()};
            struct bench_action none;
            bench_step(&r->bench, &stop, &none);
        }
        e = chan_result(chan, &data, &len, &r->heard);
        if (e == ERR_AGAIN)
            continue;
        if (!e)
            e = request_decode(&r->request, data, len, &r->head, &r->body,
                               &r->heard);
        hear(r, e, ev);
        return ERR_OK;
    }
}

static enum err do_send(struct runner *r, const struct bench_action *a,
                        struct bench_event *ev, struct why *why)
{
    enum err e = encode(r, a, why);
    if (e)
        return e;
    r->heard.text[0] = '\0';
    e = chan_submit(r->in->lab->chan, r->wire.data, r->wire.len,
                    BENCH_REQUEST_NS, &r->heard);
    if (e)
        hear(r, e, ev);
    else if ((e = await(r, ev, why)))
        return e;
    if (ev->what != BENCH_UNHEARD)
        return ERR_OK;
    (void)lab_blame(r->in->lab, ev->err, &r->heard);
    struct why dead = {""};
    if (mend(r, &dead)) /* it will not come back; the bench finds out */
        r->heard = dead;
    return ERR_OK;
}

static enum err do_wait(struct runner *r, const struct bench_action *a,
                        struct bench_event *ev, struct why *why)
{
    bool told = r->interrupts > 0;
    uint64_t now = clock_mono_ns();
    enum err e = ERR_OK;
    while (!e && now < a->due_ns && (told || !r->interrupts)) {
        e = wait_for(r, -1, a->due_ns, why);
        now = clock_mono_ns();
    }
    ev->what = !told && r->interrupts ? BENCH_INTERRUPT : BENCH_TICK;
    ev->now_ns = now;
    return e;
}

/* The store ------------------------------------------------------------- */

static enum err count_invalid(struct runner *r, uint64_t *n, struct why *why)
{
    struct answer_counts counts = {0};
    enum err e = answer_counts(r->in->store, r->in->experiment, &counts, why);
    *n = counts.invalid;
    return e;
}

static enum err do_add(struct runner *r, struct bench_event *ev,
                       struct why *why)
{
    const struct run_setup *in = r->in;
    r->begun_ns = clock_mono_ns();
    trials_setup(in->trials, cell_of(r), &r->setup);
    enum err e = count_invalid(r, &r->invalid, why);
    if (!e)
        e = store_attempt_add(in->store, in->experiment, r->bench.trial + 1,
                              &r->attempt, &ev->att, why);
    ev->what = BENCH_STORED;
    return e;
}

static void say_end(struct runner *r, const struct bench_action *a,
                    bool invalid)
{
    const struct bench *b = &r->bench;
    char took[24], attempt[32] = "";
    uint64_t length = clock_mono_ns() - r->begun_ns;
    bool plain = a->outcome == OUTCOME_OK && !invalid;
    if (b->att > 1)
        (void)snprintf(attempt, sizeof attempt, ", attempt %u", b->att);
    if (r->in->progress->terminal && plain)
        return;
    progress_say(r->in->progress, "trial %u of %u%s  %s  %s%s%s%s  (%s)",
                 b->trial + 1, b->config.n_trials, attempt, r->setup.spec.cell,
                 outcome_name(a->outcome), invalid ? ", invalid" : "",
                 a->error ? ": " : "", a->error ? a->error : "",
                 units_show_ns(took, sizeof took, (double)length));
}

static enum err do_finish(struct runner *r, const struct bench_action *a,
                          struct bench_event *ev, struct why *why)
{
    uint64_t invalid = 0;
    struct store_part part = {.agent = r->in->lab->hello.name,
                              .role = "both",
                              .spool = a->spool.data,
                              .spool_len = a->spool.len};
    struct store_result result = {
        .outcome = a->outcome, .error = a->error, .parts = &part, .n_parts = 1};
    enum err e =
        store_attempt_end(r->in->store, r->attempt, &result, &r->heard);
    if (e == ERR_CORRUPT && a->spool.data) {
        ev->what = BENCH_CORRUPT;
        ev->text = r->heard.text;
        return ERR_OK;
    }
    if (e) {
        *why = r->heard;
        return err_wrap(why, e, "store trial %u", r->bench.trial + 1);
    }
    e = count_invalid(r, &invalid, why);
    ev->what = BENCH_STORED;
    ev->invalid = invalid > r->invalid;
    estimate_add(&r->estimate, clock_mono_ns() - r->begun_ns);
    say_end(r, a, ev->invalid);
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
        e = store_attempt_move(r->in->store, r->attempt, a->state, why);
        break;
    case BENCH_FINISH:
        e = do_finish(r, a, ev, why);
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
    struct bench_config config = {.n_cells = t->n_cells,
                                  .n_trials = trials_count(t),
                                  .retries = in->retries,
                                  .abort_on_error = in->abort_on_error,
                                  .warmup_ns = t->ex->warmup_ns,
                                  .measure_ns = t->ex->measure_ns,
                                  .ready_ns = TRIALS_READY_NS,
                                  .drain_ns = TRIALS_DRAIN_NS};
    r->in = in;
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
    end->unstored = e && r->bench.active;
    end->n_left = r->bench.queue.n_trials - r->bench.queue.next;
    (void)snprintf(end->text, sizeof end->text, "%s", r->bench.error);
    bench_fini(&r->bench);
    wire_buf_free(&r->wire);
    free(r);
    return e;
}
