#include "controller/bench.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/crew.h"
#include "controller/harvest.h"

/* What a seat's phase does: the request it sends, whether it does so again and
 * again until the agent's state leads on, and the attempt's state that has to
 * be in the store before. */
#define SENDS   1u
#define POLLS   2u
#define RECORDS 4u

static const struct row {
    const char *name;
    enum msg_op op;
    unsigned does;
    enum attempt_state record;
    const char *late; /* what it means when the deadline passes here ... */
    enum attempt_state until; /* ... before this state is reached */
} rows[SEAT_PHASES] = {
    [SEAT_HELLO] = {"reaching", MSG_HELLO, SENDS | POLLS, 0, NULL, 0},
    [SEAT_ACQUIRE] = {"reaching", MSG_ACQUIRE, SENDS, 0, NULL, 0},
    [SEAT_IDLE] = {"choosing", 0, 0, 0, NULL, 0},
    [SEAT_PREPARE] = {"starting", MSG_PREPARE, SENDS | RECORDS,
                      ATTEMPT_PREPARING, NULL, 0},
    [SEAT_PREPARING] = {"starting", MSG_STATUS, SENDS | POLLS, 0,
                        "the target was not ready in time", ATTEMPT_PREPARED},
    [SEAT_ARM] = {"connecting", MSG_ARM, SENDS | RECORDS, ATTEMPT_PREPARED,
                  NULL, 0},
    [SEAT_ARMING] = {"connecting", MSG_STATUS, SENDS | POLLS, 0,
                     "the load did not open its connections in time",
                     ATTEMPT_ARMED},
    [SEAT_EXTEND] = {"connecting", MSG_RENEW, SENDS | RECORDS, ATTEMPT_ARMED,
                     NULL, 0},
    [SEAT_CLOCK] = {"connecting", MSG_PING, SENDS, 0, NULL, 0},
    [SEAT_READY] = {"connecting", 0, 0, 0, NULL, 0},
    [SEAT_START] = {"connecting", MSG_START_AT, SENDS, 0, NULL, 0},
    [SEAT_MEET] = {"measuring", MSG_MEET, SENDS, 0, NULL, 0},
    [SEAT_RUNNING] = {"measuring", MSG_STATUS, SENDS | POLLS | RECORDS,
                      ATTEMPT_RUNNING, "the load did not end after its time",
                      ATTEMPT_SEALED},
    [SEAT_STOP] = {"stopping", MSG_STOP, SENDS | RECORDS, ATTEMPT_STOPPING,
                   NULL, 0},
    [SEAT_STOPPING] = {"stopping", MSG_STATUS, SENDS | POLLS, 0,
                       "the agent did not stop the attempt in time",
                       ATTEMPT_SEALED},
    [SEAT_SEALED] = {"collecting", 0, 0, 0, NULL, 0},
    [SEAT_COLLECT] = {"collecting", MSG_COLLECT, SENDS | RECORDS,
                      ATTEMPT_SEALED, NULL, 0},
    [SEAT_REST] = {"collecting", 0, 0, 0, NULL, 0},
    [SEAT_ACK] = {"storing", MSG_ACK, SENDS, 0, NULL, 0},
    [SEAT_RELEASE] = {"ending", MSG_RELEASE, SENDS, 0, NULL, 0},
    [SEAT_GONE] = {"over", 0, 0, 0, NULL, 0},
};

enum err bench_init(struct bench *b, const struct bench_config *config,
                    struct why *why)
{
    *b = (struct bench){.config = *config,
                        .n_seats = config->n_agents ? config->n_agents : 1};
    assert(b->n_seats <= BENCH_AGENTS_MAX);
    for (unsigned i = 0; i < b->n_seats; i++) {
        b->seats[i].name = config->names[i] ? config->names[i] : "";
        b->seats[i].phase = SEAT_ACQUIRE;
        b->seats[i].resume = SEAT_IDLE;
    }
    enum err e = queue_init(&b->queue, config->ends, config->n_blocks,
                            config->retries, why);
    for (uint32_t i = 0; !e && config->asks && i < config->n_blocks; i++)
        queue_park(&b->queue, i, true);
    return e;
}

void bench_fini(struct bench *b)
{
    queue_fini(&b->queue);
    for (unsigned i = 0; i < b->n_seats; i++) {
        free(b->seats[i].spool);
        b->seats[i].spool = NULL;
    }
}

const char *bench_phase_name(const struct bench *b)
{
    static const char *const names[] = {
        [BENCH_REACH] = "reaching", [BENCH_PICK] = "choosing",
        [BENCH_TRY] = "measuring",  [BENCH_GATHER] = "collecting",
        [BENCH_END] = "storing",    [BENCH_SETTLE] = "storing",
        [BENCH_LEAVE] = "ending",   [BENCH_OVER] = "over"};
    enum seat_phase first = SEAT_PHASES;
    for (unsigned i = 0; b->phase == BENCH_TRY && i < b->n_seats; i++)
        if (!seat_at_rest(&b->seats[i]) && b->seats[i].phase < first)
            first = b->seats[i].phase;
    return first < SEAT_PHASES ? rows[first].name : names[b->phase];
}

/* What is waited for does not come: the agent said so after the deadline (we
 * may have slept ourselves, and it may long be done). A target apart from its
 * load runs until it is stopped. */
static void obey_deadlines(struct bench *b)
{
    for (unsigned i = 0; i < b->n_seats; i++) {
        struct seat *s = &b->seats[i];
        const struct row *row = &rows[s->phase];
        bool runs_on = b->apart && !i && s->phase == SEAT_RUNNING;
        if (s->takes_part && !s->waiting && row->late && !runs_on &&
            s->state < row->until && s->heard_ns >= s->due_ns)
            seat_fail(b, s, "%s", row->late);
    }
}

static void begin(struct bench *b, const struct bench_event *ev)
{
    b->att = ev->att;
    b->apart = ev->apart && b->n_seats > 1;
    b->recorded = ATTEMPT_PLANNED;
    b->failing = false;
    b->t0_ns = b->end_ns = 0;
    b->late = b->met = 0;
    b->outcome = OUTCOME_NONE;
    b->text[0] = '\0';
    for (unsigned i = 0; i < b->n_seats; i++)
        seat_begin(&b->seats[i], !i || b->apart);
    b->phase = BENCH_TRY;
    if (b->left)
        harvest_begin(b, ev->now_ns);
}

static void cut_short(struct bench *b)
{
    b->cut_short = true;
    (void)snprintf(b->error, sizeof b->error,
                   "trial %u failed, and --on-error=abort: %.440s",
                   b->trial + 1, b->text);
}

/* True: the trial will be repeated. */
static bool judge(struct bench *b, enum attempt_outcome outcome, bool invalid,
                  bool crashed)
{
    if (outcome == OUTCOME_OK && invalid)
        return queue_invalid(&b->queue, b->trial);
    if (outcome == OUTCOME_FAILED && !crashed)
        return queue_failed(&b->queue, b->trial);
    if (outcome == OUTCOME_ABORTED)
        queue_broken_off(&b->queue, b->trial);
    else
        queue_done(&b->queue, b->trial);
    return false;
}

void bench_recall(struct bench *b, uint32_t trial, enum attempt_outcome outcome,
                  bool invalid, bool crashed)
{
    b->trial = trial;
    (void)judge(b, outcome, invalid, crashed);
}

/* The attempt's end is stored: repeat the trial, or be done with it. */
static void on_ended(struct bench *b, const struct bench_event *ev)
{
    b->phase = BENCH_SETTLE;
    if (bench_is_extra(b))
        return;
    bool repeat = judge(b, b->outcome, ev->invalid, crew_crashed(b));
    if (b->outcome == OUTCOME_FAILED && !repeat && b->config.abort_on_error &&
        !b->lost && !b->interrupted)
        cut_short(b);
}

/* A spool did not decode: all are collected again. */
static void on_corrupt(struct bench *b, const struct bench_event *ev)
{
    b->phase = BENCH_GATHER;
    for (unsigned i = 0; i < b->n_seats; i++)
        if (b->seats[i].takes_part && b->seats[i].collected) {
            b->seats[i].collected = false;
            seat_collect_again(b, &b->seats[i], ev->now_ns,
                               ev->text ? ev->text : "damaged");
        }
}

static void hear(struct bench *b, const struct bench_event *ev)
{
    switch (ev->what) {
    case BENCH_INTERRUPT:
        b->interrupted = true;
        break;
    case BENCH_ENOUGH:
        b->enough = true;
        if (b->phase == BENCH_PICK) /* instead of the attempt to be added */
            b->storing = b->asking = false;
        break;
    case BENCH_LATER:
        b->storing = b->asking = false;
        b->ask_ns = ev->now_ns + BENCH_LATER_NS;
        break;
    case BENCH_ANSWERED:
    case BENCH_UNHEARD:
        assert(ev->agent < b->n_seats);
        seat_hear(b, &b->seats[ev->agent], ev);
        break;
    case BENCH_STORED:
    case BENCH_CORRUPT:
        if (!b->storing)
            break;
        b->storing = false;
        if (b->asking)
            b->asking = false;
        else if (b->phase == BENCH_PICK)
            begin(b, ev);
        else if (b->phase == BENCH_END && ev->what == BENCH_CORRUPT)
            on_corrupt(b, ev);
        else if (b->phase == BENCH_END)
            on_ended(b, ev);
        break;
    case BENCH_TICK:
        break;
    }
}

/* Where the bench stands ------------------------------------------------- */

/* One seat at the end of an attempt or of all. */
static void settle_seat(struct bench *b, struct seat *s, uint64_t now_ns)
{
    if (s->waiting)
        return;
    if (b->phase == BENCH_GATHER && s->phase == SEAT_SEALED)
        seat_enter(b, s, SEAT_COLLECT, now_ns);
    if (b->phase == BENCH_SETTLE && s->phase == SEAT_REST) {
        seat_enter(b, s, s->collected ? SEAT_ACK : SEAT_IDLE, now_ns);
        if (s->lost)
            s->phase = SEAT_GONE;
    }
    if (b->phase == BENCH_LEAVE && s->phase == SEAT_IDLE)
        seat_enter(b, s, SEAT_RELEASE, now_ns);
    else if (b->phase == BENCH_LEAVE && seat_is_reaching(s))
        s->phase = SEAT_GONE; /* the lease runs out by itself */
}

static bool all_settled(const struct bench *b)
{
    for (unsigned i = 0; i < b->n_seats; i++)
        if (b->seats[i].waiting ||
            (b->seats[i].phase != SEAT_IDLE && b->seats[i].phase != SEAT_GONE))
            return false;
    return true;
}

static bool all_gone(const struct bench *b)
{
    for (unsigned i = 0; i < b->n_seats; i++)
        if (b->seats[i].phase != SEAT_GONE)
            return false;
    return true;
}

static void try_on(struct bench *b, uint64_t now_ns)
{
    bool rest = true;
    if (b->left)
        harvest_lead(b, now_ns);
    else if (!b->failing && !b->interrupted)
        crew_lead(b, now_ns);
    if (b->failing || b->interrupted)
        crew_stop(b, now_ns);
    for (unsigned i = 0; i < b->n_seats; i++)
        rest = rest && seat_at_rest(&b->seats[i]);
    if (rest)
        b->phase = BENCH_GATHER;
}

/* All seats are at rest: what it came to goes to the store, unless part of it
 * may still lie with an agent, or the store has it. */
static void conclude(struct bench *b)
{
    bool known = b->left && b->left->state == ATTEMPT_STORED;
    b->left_open = crew_leaves(b);
    crew_conclude(b);
    b->phase = b->left_open || known ? BENCH_SETTLE : BENCH_END;
    for (unsigned i = 0; b->left_open && i < b->n_seats; i++)
        b->seats[i].collected = false; /* and not acknowledged */
}

/* Move on as far as what was told allows. */
static void advance(struct bench *b, uint64_t now_ns)
{
    bool ending = b->interrupted || b->enough || b->lost || b->cut_short;
    obey_deadlines(b);
    if (b->phase == BENCH_TRY)
        try_on(b, now_ns);
    for (unsigned i = 0; i < b->n_seats; i++)
        settle_seat(b, &b->seats[i], now_ns);
    if (b->phase == BENCH_GATHER && crew_all_in(b, SEAT_REST)) {
        conclude(b);
        advance(b, now_ns);
    }
    if ((b->phase == BENCH_REACH || b->phase == BENCH_SETTLE) && all_settled(b))
        b->phase = BENCH_PICK;
    if (ending && (b->phase == BENCH_REACH || b->phase == BENCH_PICK)) {
        b->phase = BENCH_LEAVE;
        advance(b, now_ns);
    }
    if (b->phase == BENCH_LEAVE && all_gone(b))
        b->phase = BENCH_OVER;
}

/* What to do ------------------------------------------------------------- */

static void send(struct bench *b, struct seat *s, enum msg_op op,
                 struct bench_action *out)
{
    s->waiting = true;
    s->op = op;
    out->what = BENCH_SEND;
    out->op = op;
    out->agent = (unsigned)(s - b->seats);
}

/* The lease covers the whole of a running trial, so that a short partition does
 * not ruin it. */
static uint64_t ttl_ns(const struct bench *b, const struct seat *s,
                       uint64_t now_ns)
{
    struct bench_times times = bench_times(b);
    if (s->phase == SEAT_EXTEND)
        return times.warmup_ns + times.measure_ns + SEAT_TTL_RUN_NS;
    if (s->phase == SEAT_RUNNING && now_ns < b->end_ns)
        return b->end_ns - now_ns + SEAT_TTL_RUN_NS;
    return SEAT_TTL_NS;
}

/* The lease is taken to be over early, since the agent counts from when it
 * hears: that can be up to a request's time after it was sent. */
static void ask_lease(const struct bench *b, struct seat *s, uint64_t now_ns,
                      struct bench_action *out)
{
    out->ttl_ns = ttl_ns(b, s, now_ns);
    if (out->op == MSG_ACQUIRE || out->op == MSG_RENEW)
        s->asked_ns = now_ns + out->ttl_ns - SEAT_REQUEST_NS;
}

/* Send the phase's request with what it carries, and note that it is on its
 * way. */
static void send_phase(struct bench *b, struct seat *s, uint64_t now_ns,
                       struct bench_action *out)
{
    struct bench_times times = bench_times(b);
    send(b, s, rows[s->phase].op, out);
    s->sent = s->sent || s->phase == SEAT_PREPARE;
    s->armed = s->armed || s->phase == SEAT_ARM;
    s->started = s->started || s->phase == SEAT_START;
    ask_lease(b, s, now_ns, out);
    if (s->phase == SEAT_MEET)
        s->told = b->met;
    out->meet = (struct msg_meet){
        .meet = b->met,
        .from_ns = b->met_ns + (b->met_ns ? (uint64_t)s->offset_ns : 0)};
    out->done = s->done;
    out->offset = s->spool_len;
    out->ack_bytes = s->spool_len;
    out->ack_crc = s->spool_crc;
    out->start_at = (struct msg_start_at){.t0_ns = s->start.t0_ns,
                                          .warmup_ns = times.warmup_ns,
                                          .measure_ns = times.measure_ns};
}

static void store(struct bench *b, enum bench_what what,
                  struct bench_action *out)
{
    b->storing = true;
    out->what = what;
}

/* A seat's next action: true; or false and, at most, when it has one. */
static bool act(struct bench *b, struct seat *s, uint64_t now_ns,
                struct bench_action *out)
{
    const struct row *row = &rows[s->phase];
    bool renews = s->token && !s->lost && !seat_is_reaching(s) &&
                  s->phase != SEAT_RELEASE && s->phase != SEAT_GONE;
    uint64_t due_ns = renews ? s->renew_ns : UINT64_MAX;
    if (s->waiting)
        return false;
    if (now_ns >= due_ns) {
        send(b, s, MSG_RENEW, out);
        ask_lease(b, s, now_ns, out);
        return true;
    }
    if (bench_active(b) && (row->does & RECORDS) && row->record > b->recorded) {
        b->recorded = row->record;
        store(b, BENCH_MOVE, out);
        out->state = row->record;
        return true;
    }
    if ((row->does & SENDS) && (!(row->does & POLLS) || now_ns >= s->poll_ns)) {
        send_phase(b, s, now_ns, out);
        return true;
    }
    if ((row->does & POLLS) && s->poll_ns < due_ns)
        due_ns = s->poll_ns;
    if (due_ns < out->due_ns)
        out->due_ns = due_ns;
    return false;
}

/* The next trial, after what was left and the calibrations; false: none. */
static bool pick(struct bench *b)
{
    b->left = NULL;
    if (b->harvested < b->config.n_left) {
        b->left = &b->config.left[b->harvested++];
        b->trial = b->left->trial;
        return true;
    }
    if (b->extra == b->config.n_extra)
        return queue_next(&b->queue, &b->trial);
    b->trial = BENCH_EXTRA_TID + b->extra++;
    return true;
}

/* The next attempt, or the question for a block. False: leases are renewed
 * meanwhile, or it is over. */
static bool choose(struct bench *b, uint64_t now_ns, struct bench_action *out)
{
    if (!all_settled(b))
        return false;
    if (pick(b)) {
        store(b, BENCH_ADD, out);
        out->left = b->left;
        return true;
    }
    if (b->config.asks && now_ns < b->ask_ns) {
        out->due_ns = b->ask_ns;
        return false;
    }
    if (b->config.asks) {
        store(b, BENCH_ASK, out);
        b->asking = true;
        return true;
    }
    b->phase = BENCH_LEAVE;
    advance(b, now_ns);
    return false;
}

static void decide(struct bench *b, uint64_t now_ns, struct bench_action *out)
{
    out->due_ns = UINT64_MAX;
    if (b->phase == BENCH_PICK && choose(b, now_ns, out))
        return;
    if (b->phase == BENCH_OVER) {
        out->what = BENCH_DONE;
        return;
    }
    if (b->phase == BENCH_END) {
        store(b, BENCH_FINISH, out);
        out->outcome = b->outcome;
        out->error = b->text[0] ? b->text : NULL;
        return;
    }
    for (unsigned i = 0; i < b->n_seats; i++)
        if (act(b, &b->seats[i], now_ns, out))
            return;
    out->what = BENCH_WAIT;
}

void bench_step(struct bench *b, const struct bench_event *ev,
                struct bench_action *action)
{
    memset(action, 0, sizeof *action);
    action->due_ns = UINT64_MAX;
    hear(b, ev);
    if (b->storing) { /* its answer is told next */
        action->what = BENCH_WAIT;
        return;
    }
    advance(b, ev->now_ns);
    decide(b, ev->now_ns, action);
}
