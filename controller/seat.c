#include "controller/seat.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "controller/bench.h"

#define STRIKES_MAX 3u
#define LATE_MAX    3u
#define ARM_NS      (30 * NS_PER_S)

/* How long the agent may take in a phase that is polled; 0: not polled. */
static uint64_t patience_ns(const struct bench *b, enum seat_phase phase)
{
    const struct bench_config *c = &b->config;
    struct bench_times times = bench_times(b);
    if (phase == SEAT_PREPARE)
        return c->ready_ns + SEAT_GRACE_NS;
    if (phase == SEAT_ARM)
        return ARM_NS + SEAT_GRACE_NS;
    if (phase == SEAT_START)
        return BENCH_LEAD_NS + times.warmup_ns + times.measure_ns +
               c->drain_ns + SEAT_GRACE_NS;
    return phase == SEAT_STOP ? c->drain_ns + SEAT_GRACE_NS : 0;
}

void seat_enter(struct bench *b, struct seat *s, enum seat_phase phase,
                uint64_t now_ns)
{
    uint64_t patience = patience_ns(b, phase);
    if (patience)
        s->due_ns = now_ns + patience;
    if (phase == SEAT_COLLECT) {
        s->spool_len = 0;
        s->spool_crc = 0;
    }
    if (phase == SEAT_CLOCK) {
        s->pings = 0;
        s->clock_known = false;
    }
    s->phase = phase;
    s->poll_ns = now_ns;
}

void seat_begin(struct seat *s, bool takes_part)
{
    s->takes_part = takes_part;
    s->sent = s->accepted = s->armed = s->started = false;
    s->stopping = s->done = s->collected = s->clock_known = false;
    s->state = ATTEMPT_PLANNED;
    s->outcome = OUTCOME_NONE;
    s->recollected = s->strikes = 0;
    s->spool_len = 0;
    s->start.t0_ns = s->away_ns = 0;
    s->told = s->met = 0;
    memset(&s->status, 0, sizeof s->status);
}

bool seat_is_reaching(const struct seat *s)
{
    return s->phase == SEAT_HELLO || s->phase == SEAT_ACQUIRE;
}

bool seat_at_rest(const struct seat *s)
{
    return !s->takes_part || s->phase == SEAT_SEALED ||
           s->phase == SEAT_COLLECT || s->phase == SEAT_REST;
}

/* Text as it is told: with the agent's name where there are several. */
static void tell(const struct bench *b, const struct seat *s, const char *text,
                 char *to, size_t size)
{
    if (b->n_seats > 1 && strncmp(text, "agent ", 6) != 0)
        (void)snprintf(to, size, "agent %s: %s", s->name, text);
    else
        (void)snprintf(to, size, "%s", text);
}

static void keep_text(struct bench *b, const struct seat *s, const char *text)
{
    if (!b->text[0] && text && text[0])
        tell(b, s, text, b->text, sizeof b->text);
}

void seat_drop(struct seat *s, enum attempt_outcome outcome)
{
    s->outcome = outcome;
    s->collected = false;
    s->spool_len = 0;
    s->phase = SEAT_REST;
}

/* What ends an old attempt for us was decided before. */
static enum attempt_outcome bad_end(const struct bench *b)
{
    return b->interrupted || b->left ? OUTCOME_ABORTED : OUTCOME_FAILED;
}

void seat_void(struct bench *b, struct seat *s, enum attempt_outcome outcome,
               const char *text)
{
    keep_text(b, s, text);
    b->failing = true;
    seat_drop(s, outcome);
}

void seat_fail(struct bench *b, struct seat *s, const char *fmt, ...)
{
    char text[sizeof b->text];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!s->sent || s->stopping) {
        seat_void(b, s, bad_end(b), text);
        return;
    }
    keep_text(b, s, text);
    b->failing = true;
}

void seat_lose(struct bench *b, struct seat *s, const char *text)
{
    enum seat_phase at = seat_is_reaching(s) ? s->resume : s->phase;
    s->lost = b->lost = true;
    if (!b->error[0])
        tell(b, s, text, b->error, sizeof b->error);
    if (!bench_active(b) || !s->takes_part)
        s->phase = SEAT_GONE;
    else if (at == SEAT_REST)
        s->phase = SEAT_REST;
    else
        seat_void(b, s, bad_end(b), text);
}

/* A network that is cut leaves the lease, and under it a trial goes on; an
 * agent that is not there any more refuses. */
static bool may_come_back(const struct seat *s, const struct bench_event *ev)
{
    bool dead = ev->err == ERR_REFUSED || ev->err == ERR_NOTFOUND ||
                ev->err == ERR_GONE;
    return !dead && ev->now_ns < s->lease_ns;
}

/* Silence: the request may or may not have arrived, so the agent is asked
 * again from the greeting on. */
static void unheard(struct bench *b, struct seat *s,
                    const struct bench_event *ev)
{
    const char *text = ev->text ? ev->text : err_text(ev->err);
    if (s->phase == SEAT_RELEASE) {
        s->phase = SEAT_GONE;
        return;
    }
    if (!seat_is_reaching(s))
        s->resume = s->phase;
    if (!s->tries)
        s->gone_ns = ev->now_ns;
    if ((s->tries >= SEAT_TRIES && !may_come_back(s, ev)) || b->interrupted) {
        seat_lose(b, s, text);
        return;
    }
    uint32_t doublings = s->tries < SEAT_BACKOFFS ? s->tries : SEAT_BACKOFFS;
    s->phase = SEAT_HELLO;
    s->poll_ns = ev->now_ns + (SEAT_BACKOFF_NS << doublings);
    s->tries++;
}

/* With a new lease in hand: go on where the agent was lost. */
static void go_on(struct bench *b, struct seat *s, uint64_t now_ns)
{
    if (s->tries)
        s->away_ns += now_ns - s->gone_ns;
    s->tries = 0;
    if (s->resume == SEAT_ACK || s->resume == SEAT_REST)
        seat_enter(b, s, s->resume, now_ns);
    else if (!bench_active(b) || !s->sent)
        seat_enter(b, s, SEAT_IDLE, now_ns);
    else if (s->stopping)
        seat_enter(b, s, SEAT_STOP, now_ns);
    else /* STATUS tells how far it is; what did not arrive is sent again */
        seat_enter(b, s, SEAT_PREPARING, now_ns);
    s->armed = s->started = false;
}

static void on_lease(struct bench *b, struct seat *s,
                     const struct bench_event *ev)
{
    s->token = ev->lease->token ? ev->lease->token : s->token;
    s->renew_ns = ev->now_ns + SEAT_RENEW_NS;
    s->lease_ns = s->asked_ns;
    if (s->op == MSG_ACQUIRE)
        go_on(b, s, ev->now_ns);
    else if (s->phase == SEAT_EXTEND)
        seat_enter(b, s, SEAT_CLOCK, ev->now_ns);
}

/* The clock was read between sending and hearing: in the middle, give or take
 * half of that. The quickest answer tells most. */
static void on_ping(struct bench *b, struct seat *s,
                    const struct bench_event *ev)
{
    uint64_t took_ns = ev->now_ns - ev->sent_ns;
    uint64_t uncertain_ns = (took_ns + 1) / 2;
    if (!s->clock_known || uncertain_ns < s->uncertain_ns) {
        s->offset_ns = (int64_t)(ev->ping->mono_ns - ev->sent_ns - took_ns / 2);
        s->uncertain_ns = uncertain_ns;
        s->clock_known = true;
    }
    if (++s->pings >= SEAT_PINGS)
        seat_enter(b, s, SEAT_READY, ev->now_ns);
}

/* What the agent's word for the outcome means here. */
static void on_sealed(struct bench *b, struct seat *s)
{
    struct why why = {""};
    enum attempt_outcome outcome = OUTCOME_FAILED;
    if (outcome_parse(s->status.outcome, &outcome, &why))
        keep_text(b, s, why.text);
    /* An attempt that nobody here stopped was not aborted by our will. */
    bool willed = b->interrupted || b->left;
    bool failed_first = s->stopping && !s->done && !willed;
    if (outcome == OUTCOME_NONE || (outcome == OUTCOME_OK && failed_first) ||
        (outcome == OUTCOME_ABORTED && !willed))
        outcome = OUTCOME_FAILED;
    if (outcome != OUTCOME_OK)
        keep_text(b, s, s->status.text);
    if (outcome != OUTCOME_OK && !willed)
        b->failing = true;
    s->outcome = outcome;
    s->phase = SEAT_SEALED;
}

/* Where the agent's word for the attempt's state leads; bench.c leads on. */
static enum seat_phase phase_of(const struct seat *s)
{
    if (s->stopping)
        return SEAT_STOPPING;
    switch (s->state) {
    case ATTEMPT_PREPARED:
        return s->armed ? SEAT_ARMING : SEAT_PREPARING;
    case ATTEMPT_ARMED:
        return s->started ? SEAT_RUNNING : SEAT_ARMING;
    case ATTEMPT_RUNNING:
        return SEAT_RUNNING;
    case ATTEMPT_STOPPING:
        return s->started ? SEAT_RUNNING : SEAT_STOPPING;
    case ATTEMPT_PLANNED:
    case ATTEMPT_PREPARING:
    case ATTEMPT_SEALED:
    case ATTEMPT_STORED:
        break;
    }
    return SEAT_PREPARING;
}

/* Every 20 ms, but 200 ms while load runs, and once right at the window's end,
 * which is when most loads end. */
static uint64_t next_poll(const struct bench *b, const struct seat *s,
                          uint64_t now_ns)
{
    bool runs = s->state == ATTEMPT_ARMED || s->state == ATTEMPT_RUNNING;
    bool ends = now_ns >= b->end_ns && now_ns < b->end_ns + NS_PER_S;
    if (s->phase != SEAT_RUNNING || !runs || ends)
        return now_ns + SEAT_POLL_NS;
    uint64_t due = now_ns + SEAT_POLL_RUN_NS;
    return now_ns >= b->end_ns || due < b->end_ns ? due : b->end_ns;
}

/* After the window a track may have more to do: the agent, which hears its
 * load each second, says for how long that runs. */
static void runs_on(const struct bench *b, struct seat *s, uint64_t now_ns)
{
    if (s->state == ATTEMPT_RUNNING && b->end_ns && now_ns > b->end_ns)
        s->due_ns = now_ns + b->config.drain_ns + SEAT_GRACE_NS;
}

/* The load tells how far its corpus is, and the agent for how long a target
 * takes to be ready or to stop: while that changes, the agent's own
 * deadline begins again, and so does ours. */
static void still_makes(const struct bench *b, struct seat *s,
                        const struct bench_event *ev)
{
    if (!ev->status->task[0] || !strcmp(ev->status->task, s->status.task))
        return;
    if (s->phase == SEAT_PREPARING)
        s->due_ns = ev->now_ns + b->config.ready_ns + SEAT_GRACE_NS;
    else if (s->state == ATTEMPT_STOPPING)
        s->due_ns = ev->now_ns + b->config.drain_ns + SEAT_GRACE_NS;
}

static void on_status(struct bench *b, struct seat *s,
                      const struct bench_event *ev)
{
    struct why why = {""};
    still_makes(b, s, ev);
    s->status = *ev->status;
    s->heard_ns = ev->now_ns;
    s->accepted = true;
    s->strikes = 0;
    if (state_parse(s->status.state, &s->state, &why)) {
        seat_fail(b, s, "%s", why.text);
        return;
    }
    if (s->state == ATTEMPT_SEALED || s->state == ATTEMPT_STORED) {
        on_sealed(b, s);
        return;
    }
    runs_on(b, s, ev->now_ns);
    s->phase = phase_of(s);
    s->poll_ns = next_poll(b, s, ev->now_ns);
}

/* The lease is not ours any more: ask for it once, since it may only have run
 * out while we slept; if another owner holds it, that is the end. */
static void on_fenced(struct bench *b, struct seat *s,
                      const struct bench_event *ev)
{
    if (s->phase == SEAT_RELEASE) {
        s->phase = SEAT_GONE;
    } else if (s->phase == SEAT_ACQUIRE || s->strikes++ >= STRIKES_MAX) {
        seat_lose(b, s, ev->text ? ev->text : err_text(ev->err));
    } else {
        s->resume = s->phase;
        s->phase = SEAT_ACQUIRE;
    }
}

/* One that is alone may start later; of several the others have started. */
static void on_late(struct bench *b, struct seat *s, const char *text)
{
    if (b->apart || b->late++ >= LATE_MAX) {
        seat_fail(b, s, "start: %s", text);
        return;
    }
    s->started = false;
    s->phase = SEAT_ARMING; /* and its clock is read anew */
}

static void on_no_status(struct bench *b, struct seat *s,
                         const struct bench_event *ev, const char *text)
{
    if (ev->err == ERR_NOTFOUND && !s->accepted && !s->stopping && !b->left)
        seat_enter(b, s, SEAT_PREPARE, ev->now_ns);
    else if (ev->err == ERR_NOTFOUND)
        seat_void(b, s, bad_end(b),
                  b->left ? "the agent knows nothing of it" : text);
    else if (s->strikes++ >= STRIKES_MAX)
        seat_fail(b, s, "status: %s", text);
    else
        s->poll_ns = ev->now_ns + SEAT_POLL_NS;
}

/* A refusal of the request that is outstanding. */
static void on_refusal(struct bench *b, struct seat *s,
                       const struct bench_event *ev)
{
    const char *text = ev->text && ev->text[0] ? ev->text : err_text(ev->err);
    switch (s->op) {
    case MSG_PREPARE:
        if (ev->err == ERR_NOSPACE) /* the next trial would fare no better */
            seat_lose(b, s, text);
        else
            seat_void(b, s, OUTCOME_FAILED, text);
        break;
    case MSG_STOP: /* nothing runs */
        seat_void(b, s, OUTCOME_FAILED, text);
        break;
    case MSG_START_AT:
        if (ev->err == ERR_LATE)
            on_late(b, s, text);
        else
            seat_fail(b, s, "start: %s", text);
        break;
    case MSG_ARM:
        seat_fail(b, s, "arm: %s", text);
        break;
    case MSG_PING:
        seat_fail(b, s, "ping: %s", text);
        break;
    case MSG_MEET:
        seat_fail(b, s, "%s", text);
        break;
    case MSG_STATUS:
        on_no_status(b, s, ev, text);
        break;
    case MSG_COLLECT:
        seat_collect_again(b, s, ev->now_ns, text);
        break;
    case MSG_ACK: /* the agent keeps the spool; our store has it */
        s->phase = SEAT_IDLE;
        break;
    case MSG_RELEASE:
        s->phase = SEAT_GONE;
        break;
    case MSG_HELLO:
    case MSG_ACQUIRE:
    case MSG_RENEW:
    case MSG_SETTLE:
    case MSG_OP_LAST:
        seat_lose(b, s, text);
        break;
    }
}

static void on_answer(struct bench *b, struct seat *s,
                      const struct bench_event *ev)
{
    switch (s->op) {
    case MSG_HELLO:
        s->phase = SEAT_ACQUIRE;
        break;
    case MSG_ACQUIRE:
    case MSG_RENEW:
        on_lease(b, s, ev);
        break;
    case MSG_PING:
        on_ping(b, s, ev);
        break;
    case MSG_MEET:
        s->met = s->told;
        on_status(b, s, ev);
        break;
    case MSG_PREPARE:
    case MSG_ARM:
    case MSG_START_AT:
    case MSG_STATUS:
    case MSG_STOP:
        on_status(b, s, ev);
        break;
    case MSG_COLLECT:
        seat_take_chunk(b, s, ev);
        break;
    case MSG_ACK:
        s->phase = SEAT_IDLE;
        break;
    case MSG_RELEASE:
    case MSG_SETTLE:
    case MSG_OP_LAST:
        s->phase = SEAT_GONE;
        break;
    }
}

void seat_hear(struct bench *b, struct seat *s, const struct bench_event *ev)
{
    if (!s->waiting)
        return;
    s->waiting = false;
    if (ev->what == BENCH_UNHEARD)
        unheard(b, s, ev);
    else if (ev->err == ERR_FENCED && s->op != MSG_HELLO)
        on_fenced(b, s, ev);
    else if (ev->err)
        on_refusal(b, s, ev);
    else
        on_answer(b, s, ev);
}
