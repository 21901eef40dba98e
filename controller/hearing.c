#include "controller/hearing.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/crc.h"

#define STRIKES_MAX   3u
#define LATE_MAX      3u
#define RECOLLECT_MAX 2u
#define ARM_NS        (30 * NS_PER_S)

/* How long the agent may take in a phase that is polled; 0: not polled. */
static uint64_t patience_ns(const struct bench *b, enum bench_phase phase)
{
    const struct bench_config *c = &b->config;
    if (phase == BENCH_PREPARE)
        return c->ready_ns + BENCH_GRACE_NS;
    if (phase == BENCH_ARM)
        return ARM_NS + BENCH_GRACE_NS;
    if (phase == BENCH_START)
        return BENCH_LEAD_NS + c->warmup_ns + c->measure_ns + c->drain_ns +
               BENCH_GRACE_NS;
    return phase == BENCH_STOP ? c->drain_ns + BENCH_GRACE_NS : 0;
}

void hearing_enter(struct bench *b, enum bench_phase phase, uint64_t now_ns)
{
    uint64_t patience = patience_ns(b, phase);
    if (patience)
        b->due_ns = now_ns + patience;
    if (phase == BENCH_COLLECT) {
        b->spool_len = 0;
        b->spool_crc = 0;
    }
    b->phase = phase;
    b->poll_ns = now_ns;
}

static void keep_text(struct bench *b, const char *text)
{
    if (!b->text[0])
        (void)snprintf(b->text, sizeof b->text, "%s", text ? text : "");
}

void hearing_drop(struct bench *b, enum attempt_outcome outcome,
                  const char *text)
{
    keep_text(b, text);
    b->outcome = outcome;
    b->collected = false;
    b->spool_len = 0;
    b->phase = BENCH_END;
}

void hearing_fail(struct bench *b, uint64_t now_ns, const char *fmt, ...)
{
    char text[sizeof b->text];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    keep_text(b, text);
    if (!b->sent || b->stopping) {
        hearing_drop(b, b->interrupted ? OUTCOME_ABORTED : OUTCOME_FAILED,
                     text);
        return;
    }
    b->stopping = true;
    hearing_enter(b, BENCH_STOP, now_ns);
}

void hearing_lose(struct bench *b, const char *text)
{
    bool reaching = b->phase == BENCH_HELLO || b->phase == BENCH_ACQUIRE;
    enum bench_phase at = reaching ? b->resume : b->phase;
    b->lost = true;
    if (!b->error[0])
        (void)snprintf(b->error, sizeof b->error, "%s", text);
    if (!b->active || at == BENCH_ACK)
        b->phase = BENCH_OVER;
    else if (at == BENCH_END)
        b->phase = BENCH_END;
    else
        hearing_drop(b, b->interrupted ? OUTCOME_ABORTED : OUTCOME_FAILED,
                     text);
}

/* Silence: the request may or may not have arrived, so the agent is asked
 * again from the greeting on. */
static void unheard(struct bench *b, const struct bench_event *ev)
{
    const char *text = ev->text ? ev->text : err_text(ev->err);
    if (b->phase == BENCH_RELEASE) {
        b->phase = BENCH_OVER;
        return;
    }
    if (b->phase != BENCH_HELLO && b->phase != BENCH_ACQUIRE)
        b->resume = b->phase;
    if (b->tries >= BENCH_TRIES || b->interrupted) {
        hearing_lose(b, text);
        return;
    }
    b->phase = BENCH_HELLO;
    b->poll_ns = ev->now_ns + (BENCH_BACKOFF_NS << b->tries);
    b->tries++;
}

/* With a new lease in hand: go on where the agent was lost. */
static void go_on(struct bench *b, uint64_t now_ns)
{
    b->tries = 0;
    if (!b->active || b->resume == BENCH_ACK || b->resume == BENCH_END)
        hearing_enter(b, b->active ? b->resume : BENCH_PICK, now_ns);
    else if (!b->sent)
        hearing_enter(b, BENCH_PREPARE, now_ns);
    else if (b->stopping)
        hearing_enter(b, BENCH_STOP, now_ns);
    else /* STATUS tells how far it is; what did not arrive is sent again */
        hearing_enter(b, BENCH_PREPARING, now_ns);
    b->armed = b->started = false;
}

static void on_lease(struct bench *b, const struct bench_event *ev)
{
    b->token = ev->lease->token ? ev->lease->token : b->token;
    b->renew_ns = ev->now_ns + BENCH_RENEW_NS;
    if (b->op == MSG_ACQUIRE)
        go_on(b, ev->now_ns);
    else if (b->phase == BENCH_EXTEND)
        hearing_enter(b, BENCH_START, ev->now_ns);
}

/* Where the agent's word for the attempt's state leads. */
static void on_sealed(struct bench *b, uint64_t now_ns)
{
    struct why why = {""};
    enum attempt_outcome outcome = OUTCOME_FAILED;
    if (outcome_parse(b->status.outcome, &outcome, &why))
        keep_text(b, why.text);
    keep_text(b, b->status.text);
    /* An attempt that nobody here stopped was not aborted by our will. */
    bool failed_first = b->stopping && !b->interrupted;
    if (outcome == OUTCOME_NONE || (outcome == OUTCOME_OK && failed_first) ||
        (outcome == OUTCOME_ABORTED && !b->interrupted))
        outcome = OUTCOME_FAILED;
    if (outcome == OUTCOME_OK)
        b->text[0] = '\0';
    b->outcome = outcome;
    hearing_enter(b, BENCH_COLLECT, now_ns);
}

static enum bench_phase phase_of(const struct bench *b,
                                 enum attempt_state state)
{
    if (b->stopping)
        return BENCH_STOPPING;
    switch (state) {
    case ATTEMPT_PREPARED:
        return b->armed ? BENCH_ARMING : BENCH_ARM;
    case ATTEMPT_ARMED:
        return b->started ? BENCH_RUNNING : BENCH_EXTEND;
    case ATTEMPT_RUNNING:
        return BENCH_RUNNING;
    case ATTEMPT_STOPPING:
        return b->started ? BENCH_RUNNING : BENCH_STOPPING;
    case ATTEMPT_PLANNED:
    case ATTEMPT_PREPARING:
    case ATTEMPT_SEALED:
    case ATTEMPT_STORED:
        break;
    }
    return BENCH_PREPARING;
}

/* Every 20 ms, but 200 ms while load runs, and once right at the window's end.
 */
static uint64_t next_poll(const struct bench *b, enum attempt_state state,
                          uint64_t now_ns)
{
    bool runs = state == ATTEMPT_ARMED || state == ATTEMPT_RUNNING;
    if (b->phase != BENCH_RUNNING || !runs || now_ns >= b->end_ns)
        return now_ns + BENCH_POLL_NS;
    uint64_t due = now_ns + BENCH_POLL_RUN_NS;
    return due < b->end_ns ? due : b->end_ns;
}

static void on_status(struct bench *b, const struct bench_event *ev)
{
    enum attempt_state state = ATTEMPT_PREPARING;
    struct why why = {""};
    b->status = *ev->status;
    b->clock_ns = (int64_t)(b->status.mono_ns - ev->now_ns);
    b->heard_ns = ev->now_ns;
    b->accepted = true;
    b->strikes = 0;
    if (state_parse(b->status.state, &state, &why)) {
        hearing_fail(b, ev->now_ns, "%s", why.text);
        return;
    }
    if (state == ATTEMPT_SEALED || state == ATTEMPT_STORED) {
        on_sealed(b, ev->now_ns);
        return;
    }
    enum bench_phase phase = phase_of(b, state);
    bool polled = phase == BENCH_PREPARING || phase == BENCH_ARMING ||
                  phase == BENCH_RUNNING || phase == BENCH_STOPPING;
    if (!polled) {
        hearing_enter(b, phase, ev->now_ns);
        return;
    }
    b->phase = phase;
    b->poll_ns = next_poll(b, state, ev->now_ns);
}

static void collect_again(struct bench *b, uint64_t now_ns, const char *text)
{
    if (b->recollected++ < RECOLLECT_MAX) {
        hearing_enter(b, BENCH_COLLECT, now_ns);
        return;
    }
    char full[sizeof b->text];
    (void)snprintf(full, sizeof full, "results cannot be collected: %.400s",
                   text);
    b->text[0] = '\0';
    hearing_drop(b, OUTCOME_FAILED, full);
}

/* Room for the whole spool, once its size is known. */
static bool make_room(struct bench *b, uint64_t total)
{
    if (total <= b->spool_size)
        return true;
    uint8_t *room = total <= BENCH_SPOOL_MAX ? realloc(b->spool, total) : NULL;
    if (!room)
        return false;
    b->spool = room;
    b->spool_size = total;
    return true;
}

static void on_chunk(struct bench *b, const struct bench_event *ev)
{
    const struct msg_chunk *c = ev->chunk;
    uint64_t total = b->status.spool_bytes;
    if (c->offset != b->spool_len || c->total != total ||
        c->data.len > total - b->spool_len || (!c->data.len && total)) {
        collect_again(b, ev->now_ns, "a piece of the spool does not fit");
        return;
    }
    if (!make_room(b, total)) {
        hearing_drop(b, OUTCOME_FAILED, "the results are too large to collect");
        return;
    }
    if (c->data.len)
        memcpy(b->spool + b->spool_len, c->data.data, c->data.len);
    b->spool_crc = crc32c(b->spool_crc, c->data.data, c->data.len);
    b->spool_len += c->data.len;
    if (b->spool_len < total)
        return;
    if (b->spool_crc != b->status.spool_crc) {
        collect_again(b, ev->now_ns, "the spool's checksum differs");
        return;
    }
    b->collected = true;
    b->phase = BENCH_END;
}

/* A crash of the target is a result of the target; the executor's words. */
static bool is_crash(const char *text)
{
    return !strncmp(text, "target exited", 13) ||
           !strncmp(text, "target was killed", 17);
}

static void cut_short(struct bench *b)
{
    b->cut_short = true;
    (void)snprintf(b->error, sizeof b->error,
                   "trial %u failed, and --on-error=abort: %.440s",
                   b->trial + 1, b->text);
}

/* The attempt's end is stored: repeat the trial, or be done with it. */
static void on_ended(struct bench *b, const struct bench_event *ev)
{
    bool repeat = false;
    if (b->outcome == OUTCOME_FAILED && !is_crash(b->text) && !b->lost)
        repeat = queue_failed(&b->queue, b->trial);
    else if (b->outcome == OUTCOME_OK && ev->invalid)
        repeat = queue_invalid(&b->queue, b->trial);
    if (b->outcome == OUTCOME_FAILED && !repeat && b->config.abort_on_error &&
        !b->lost && !b->interrupted)
        cut_short(b);
    if (b->lost) {
        b->active = false;
        b->phase = BENCH_OVER;
    } else if (b->collected) {
        hearing_enter(b, BENCH_ACK, ev->now_ns);
    } else {
        b->active = false;
        b->phase = BENCH_PICK;
    }
}

static void on_added(struct bench *b, const struct bench_event *ev)
{
    b->active = true;
    b->att = ev->att;
    b->recorded = ATTEMPT_PLANNED;
    b->sent = b->accepted = b->armed = b->started = false;
    b->stopping = b->collected = false;
    b->late = b->recollected = b->strikes = 0;
    b->end_ns = 0;
    b->outcome = OUTCOME_NONE;
    b->text[0] = '\0';
    memset(&b->status, 0, sizeof b->status);
    hearing_enter(b, BENCH_PREPARE, ev->now_ns);
}

static void on_stored(struct bench *b, const struct bench_event *ev)
{
    if (b->phase == BENCH_PICK)
        on_added(b, ev);
    else if (b->phase == BENCH_END)
        on_ended(b, ev);
}

/* The lease is not ours any more: ask for it once, since it may only have run
 * out while we slept; if another owner holds it, that is the end. */
static void on_fenced(struct bench *b, const struct bench_event *ev)
{
    if (b->phase == BENCH_RELEASE) {
        b->phase = BENCH_OVER;
    } else if (b->phase == BENCH_ACQUIRE || b->strikes++ >= STRIKES_MAX) {
        hearing_lose(b, ev->text ? ev->text : err_text(ev->err));
    } else {
        b->resume = b->phase;
        b->phase = BENCH_ACQUIRE;
    }
}

/* A refusal of the request that is outstanding. */
static void on_refusal(struct bench *b, const struct bench_event *ev)
{
    const char *text = ev->text && ev->text[0] ? ev->text : err_text(ev->err);
    switch (b->op) {
    case MSG_PREPARE:
        hearing_drop(b, OUTCOME_FAILED, text); /* nothing runs */
        break;
    case MSG_START_AT:
        if (ev->err == ERR_LATE && b->late++ < LATE_MAX) {
            b->started = false;
            b->phase = BENCH_ARMING; /* STATUS reads the clock anew */
            break;
        }
        hearing_fail(b, ev->now_ns, "start: %s", text);
        break;
    case MSG_ARM:
        hearing_fail(b, ev->now_ns, "arm: %s", text);
        break;
    case MSG_STOP:
        hearing_drop(b, OUTCOME_FAILED, text);
        break;
    case MSG_STATUS:
        if (ev->err == ERR_NOTFOUND && !b->accepted && !b->stopping)
            hearing_enter(b, BENCH_PREPARE, ev->now_ns);
        else if (ev->err == ERR_NOTFOUND)
            hearing_drop(b, OUTCOME_FAILED, text);
        else if (b->strikes++ >= STRIKES_MAX)
            hearing_fail(b, ev->now_ns, "status: %s", text);
        else
            b->poll_ns = ev->now_ns + BENCH_POLL_NS;
        break;
    case MSG_COLLECT:
        collect_again(b, ev->now_ns, text);
        break;
    case MSG_ACK: /* the agent keeps the spool; our store has it */
        b->active = false;
        b->phase = BENCH_PICK;
        break;
    case MSG_RELEASE:
        b->phase = BENCH_OVER;
        break;
    case MSG_HELLO:
    case MSG_ACQUIRE:
    case MSG_RENEW:
    case MSG_PING:
    case MSG_OP_LAST:
        hearing_lose(b, text);
        break;
    }
}

static void on_answer(struct bench *b, const struct bench_event *ev)
{
    if (ev->err == ERR_FENCED && b->op != MSG_HELLO) {
        on_fenced(b, ev);
        return;
    }
    if (ev->err) {
        on_refusal(b, ev);
        return;
    }
    switch (b->op) {
    case MSG_HELLO:
        b->phase = BENCH_ACQUIRE;
        break;
    case MSG_ACQUIRE:
    case MSG_RENEW:
        on_lease(b, ev);
        break;
    case MSG_PREPARE:
    case MSG_ARM:
    case MSG_START_AT:
    case MSG_STATUS:
    case MSG_STOP:
        on_status(b, ev);
        break;
    case MSG_COLLECT:
        on_chunk(b, ev);
        break;
    case MSG_ACK:
        b->active = false;
        b->phase = BENCH_PICK;
        break;
    case MSG_RELEASE:
    case MSG_PING:
    case MSG_OP_LAST:
        b->phase = BENCH_OVER;
        break;
    }
}

void hearing_take(struct bench *b, const struct bench_event *ev)
{
    if (ev->what == BENCH_INTERRUPT) {
        b->interrupted = true;
        return;
    }
    if (ev->what == BENCH_TICK || !b->waiting)
        return;
    b->waiting = false;
    switch (ev->what) {
    case BENCH_ANSWERED:
        on_answer(b, ev);
        break;
    case BENCH_UNHEARD:
        unheard(b, ev);
        break;
    case BENCH_STORED:
        on_stored(b, ev);
        break;
    case BENCH_CORRUPT:
        collect_again(b, ev->now_ns, ev->text ? ev->text : "damaged");
        break;
    case BENCH_TICK:
    case BENCH_INTERRUPT:
        break;
    }
}
