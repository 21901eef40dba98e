#include "controller/bench.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/hearing.h"

/* What a phase does: the request it sends, whether it does so again and again
 * until the agent's state leads on, and the attempt's state that has to be in
 * the store before. */
#define SENDS   1u
#define POLLS   2u
#define RECORDS 4u

static const struct row {
    const char *name;
    enum msg_op op;
    unsigned does;
    enum attempt_state record;
    const char *late; /* what it means when the deadline passes here */
} rows[] = {
    [BENCH_HELLO] = {"reaching", MSG_HELLO, SENDS | POLLS, 0, NULL},
    [BENCH_ACQUIRE] = {"reaching", MSG_ACQUIRE, SENDS, 0, NULL},
    [BENCH_PICK] = {"choosing", 0, 0, 0, NULL},
    [BENCH_PREPARE] = {"starting", MSG_PREPARE, SENDS | RECORDS,
                       ATTEMPT_PREPARING, NULL},
    [BENCH_PREPARING] = {"starting", MSG_STATUS, SENDS | POLLS, 0,
                         "the target was not ready in time"},
    [BENCH_ARM] = {"connecting", MSG_ARM, SENDS | RECORDS, ATTEMPT_PREPARED,
                   NULL},
    [BENCH_ARMING] = {"connecting", MSG_STATUS, SENDS | POLLS, 0,
                      "the load did not open its connections in time"},
    [BENCH_EXTEND] = {"connecting", MSG_RENEW, SENDS | RECORDS, ATTEMPT_ARMED,
                      NULL},
    [BENCH_START] = {"connecting", MSG_START_AT, SENDS, 0, NULL},
    [BENCH_RUNNING] = {"measuring", MSG_STATUS, SENDS | POLLS | RECORDS,
                       ATTEMPT_RUNNING, "the load did not end after its time"},
    [BENCH_STOP] = {"stopping", MSG_STOP, SENDS | RECORDS, ATTEMPT_STOPPING,
                    NULL},
    [BENCH_STOPPING] = {"stopping", MSG_STATUS, SENDS | POLLS, 0,
                        "the agent did not stop the attempt in time"},
    [BENCH_COLLECT] = {"collecting", MSG_COLLECT, SENDS | RECORDS,
                       ATTEMPT_SEALED, NULL},
    [BENCH_END] = {"storing", 0, 0, 0, NULL},
    [BENCH_ACK] = {"storing", MSG_ACK, SENDS, 0, NULL},
    [BENCH_RELEASE] = {"ending", MSG_RELEASE, SENDS, 0, NULL},
    [BENCH_OVER] = {"over", 0, 0, 0, NULL},
};

enum err bench_init(struct bench *b, const struct bench_config *config,
                    struct why *why)
{
    *b = (struct bench){.config = *config, .phase = BENCH_ACQUIRE};
    b->resume = BENCH_PICK;
    return queue_init(&b->queue, config->n_cells, config->n_trials,
                      config->retries, why);
}

void bench_fini(struct bench *b)
{
    queue_fini(&b->queue);
    free(b->spool);
    b->spool = NULL;
}

const char *bench_phase_name(const struct bench *b)
{
    return rows[b->phase].name;
}

static bool is_reaching(const struct bench *b)
{
    return b->phase == BENCH_HELLO || b->phase == BENCH_ACQUIRE;
}

/* Ctrl-C, once nothing is outstanding: stop what runs, keep what is sealed,
 * begin nothing. */
static void obey_interrupt(struct bench *b, uint64_t now_ns)
{
    if (!b->active) {
        if (b->phase != BENCH_OVER && b->phase != BENCH_RELEASE)
            b->phase = b->token && !is_reaching(b) ? BENCH_RELEASE : BENCH_OVER;
        return;
    }
    if (b->phase == BENCH_END || b->phase == BENCH_COLLECT ||
        b->phase == BENCH_ACK || (b->stopping && !is_reaching(b)))
        return;
    if (is_reaching(b)) {
        hearing_lose(b, "interrupted while the agent was out of reach");
    } else if (!b->sent) {
        hearing_drop(b, OUTCOME_ABORTED, "interrupted");
    } else {
        b->stopping = true;
        hearing_enter(b, BENCH_STOP, now_ns);
    }
}

/* What was waited for does not come: the agent said so after the deadline (we
 * may have slept ourselves, and it may long be done). */
static void obey_deadline(struct bench *b, uint64_t now_ns)
{
    const char *late = rows[b->phase].late;
    if (late && b->heard_ns >= b->due_ns)
        hearing_fail(b, now_ns, "%s", late);
}

static void send(struct bench *b, enum msg_op op, struct bench_action *out)
{
    b->waiting = true;
    b->op = op;
    out->what = BENCH_SEND;
    out->op = op;
}

/* The lease covers the whole of a running trial, so that a short partition does
 * not ruin it. */
static uint64_t ttl_ns(const struct bench *b, uint64_t now_ns)
{
    if (b->phase == BENCH_EXTEND)
        return b->config.warmup_ns + b->config.measure_ns + BENCH_TTL_RUN_NS;
    if (b->phase == BENCH_RUNNING && now_ns < b->end_ns)
        return b->end_ns - now_ns + BENCH_TTL_RUN_NS;
    return BENCH_TTL_NS;
}

static void send_start(struct bench *b, uint64_t now_ns,
                       struct bench_action *out)
{
    const struct bench_config *c = &b->config;
    uint64_t lead = BENCH_LEAD_NS << b->late;
    b->started = true;
    b->end_ns = now_ns + lead + c->warmup_ns + c->measure_ns;
    out->start_at =
        (struct msg_start_at){.t0_ns = now_ns + (uint64_t)b->clock_ns + lead,
                              .warmup_ns = c->warmup_ns,
                              .measure_ns = c->measure_ns};
}

/* Send the phase's request with what it carries, and note that it is on its
 * way. */
static void send_phase(struct bench *b, uint64_t now_ns,
                       struct bench_action *out)
{
    send(b, rows[b->phase].op, out);
    b->sent = b->sent || b->phase == BENCH_PREPARE;
    b->armed = b->armed || b->phase == BENCH_ARM;
    out->ttl_ns = ttl_ns(b, now_ns);
    out->offset = b->spool_len;
    out->ack_bytes = b->spool_len;
    out->ack_crc = b->spool_crc;
    if (b->phase == BENCH_START)
        send_start(b, now_ns, out);
}

static void pick(struct bench *b, struct bench_action *out)
{
    if (b->cut_short || !queue_next(&b->queue, &b->trial)) {
        b->phase = BENCH_RELEASE;
        send(b, MSG_RELEASE, out);
        return;
    }
    b->waiting = true;
    out->what = BENCH_ADD;
}

static void finish(struct bench *b, struct bench_action *out)
{
    b->waiting = true;
    out->what = BENCH_FINISH;
    out->outcome = b->outcome;
    out->error = b->text[0] ? b->text : NULL;
    if (b->collected)
        out->spool = (struct wire_blob){.data = b->spool, .len = b->spool_len};
}

static void wait_until(uint64_t due_ns, struct bench_action *out)
{
    out->what = BENCH_WAIT;
    out->due_ns = due_ns;
}

static void decide(struct bench *b, uint64_t now_ns, struct bench_action *out)
{
    const struct row *row = &rows[b->phase];
    bool renews =
        b->token && !b->lost && !is_reaching(b) && b->phase != BENCH_RELEASE;
    if (b->phase == BENCH_OVER) {
        out->what = BENCH_DONE;
    } else if (renews && now_ns >= b->renew_ns) {
        send(b, MSG_RENEW, out);
        out->ttl_ns = ttl_ns(b, now_ns);
    } else if (b->active && (row->does & RECORDS) &&
               b->recorded != row->record) {
        b->waiting = true;
        b->recorded = row->record;
        out->what = BENCH_MOVE;
        out->state = row->record;
    } else if ((row->does & POLLS) && now_ns < b->poll_ns) {
        wait_until(
            renews && b->renew_ns < b->poll_ns ? b->renew_ns : b->poll_ns, out);
    } else if (b->phase == BENCH_PICK) {
        pick(b, out);
    } else if (b->phase == BENCH_END) {
        finish(b, out);
    } else {
        assert(row->does & SENDS);
        send_phase(b, now_ns, out);
    }
}

void bench_step(struct bench *b, const struct bench_event *ev,
                struct bench_action *action)
{
    memset(action, 0, sizeof *action);
    hearing_take(b, ev);
    if (b->waiting) { /* its answer is told later, by a deadline of its own */
        wait_until(UINT64_MAX, action);
        return;
    }
    obey_deadline(b, ev->now_ns);
    if (b->interrupted)
        obey_interrupt(b, ev->now_ns);
    decide(b, ev->now_ns, action);
}
