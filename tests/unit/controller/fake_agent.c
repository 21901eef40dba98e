#include "tests/unit/controller/fake_agent.h"

#include <stdio.h>

#include "common/crc.h"
#include "tests/lib/check.h"

static const uint8_t spool[] = "three chunks of a spool, in five bytes each";

#define SPOOL_LEN   15u
#define SPOOL_CHUNK 5u

static struct msg_lease lease;
static struct msg_status_reply status;
static struct msg_chunk chunk;
static struct msg_ping_reply ping;

static void note(struct fake *f, const char *word)
{
    size_t used = strlen(f->log);
    (void)snprintf(f->log + used, sizeof f->log - used, "%s%s", used ? " " : "",
                   word);
}

void fake_begin(struct fake *f, uint32_t n_cells, uint32_t n_blocks)
{
    struct bench_config config = {
        .ends = f->blocks,
        .n_blocks = n_blocks,
        .retries = 1,
        .times = {.warmup_ns = 200 * NS_PER_MS, .measure_ns = NS_PER_S},
        .ready_ns = 30 * NS_PER_S,
        .drain_ns = 5 * NS_PER_S};
    struct why why = {""};
    memset(f, 0, sizeof *f);
    assert_true(n_blocks <= FAKE_BLOCKS_MAX);
    for (uint32_t i = 0; i < n_blocks; i++)
        f->blocks[i] = n_cells * (i + 1);
    f->now_ns = 1000 * NS_PER_S;
    f->clock_ns = 5 * (int64_t)NS_PER_S;
    f->outcome = OUTCOME_OK;
    check_ok(bench_init(&f->bench, &config, &why), why);
}

void fake_end(struct fake *f)
{
    bench_fini(&f->bench);
}

bool fake_refuse(struct fake *f, struct bench_event *ev, enum err e,
                 const char *text)
{
    (void)f;
    ev->what = BENCH_ANSWERED;
    ev->err = e;
    ev->text = text;
    return true;
}

bool fake_silent(struct fake *f, struct bench_event *ev)
{
    f->now_ns += SEAT_REQUEST_NS;
    ev->what = BENCH_UNHEARD;
    ev->err = ERR_TIMEOUT;
    ev->text = "agent x: timed out";
    return true;
}

/* The agent's own life goes on with time. */
static void age(struct fake *f)
{
    if (f->state == ATTEMPT_PREPARING || f->state == ATTEMPT_STOPPING) {
        if (f->slow)
            f->slow--;
        else
            f->state = f->state == ATTEMPT_PREPARING ? ATTEMPT_PREPARED
                                                     : ATTEMPT_SEALED;
    }
    if (f->state == ATTEMPT_RUNNING && f->now_ns >= f->sealed_at_ns)
        f->state = ATTEMPT_SEALED;
}

static void fill_status(struct fake *f, struct bench_event *ev)
{
    memset(&status, 0, sizeof status);
    (void)snprintf(status.state, sizeof status.state, "%s",
                   state_name(f->state));
    status.mono_ns = f->now_ns + (uint64_t)f->clock_ns;
    if (f->state == ATTEMPT_SEALED) {
        (void)snprintf(status.outcome, sizeof status.outcome, "%s",
                       outcome_name(f->outcome));
        (void)snprintf(status.text, sizeof status.text, "%s",
                       f->text ? f->text : "");
        status.spool_bytes = SPOOL_LEN;
        status.spool_crc = crc32c(0, spool, SPOOL_LEN);
    }
    ev->status = &status;
}

static void start(struct fake *f, const struct bench_action *a)
{
    uint64_t t0 = a->start_at.t0_ns - (uint64_t)f->clock_ns;
    f->start_at = a->start_at;
    f->state = ATTEMPT_RUNNING;
    f->sealed_at_ns =
        t0 + a->start_at.warmup_ns + a->start_at.measure_ns + 30 * NS_PER_MS;
}

static void answer(struct fake *f, const struct bench_action *a,
                   struct bench_event *ev)
{
    ev->what = BENCH_ANSWERED;
    if (a->op == MSG_STATUS && !f->known) {
        (void)fake_refuse(f, ev, ERR_NOTFOUND, "no such attempt");
        return;
    }
    if (a->op == MSG_STATUS)
        age(f);
    if (a->op == MSG_PREPARE && !f->known) {
        f->known = true;
        f->state = ATTEMPT_PREPARING;
    } else if (a->op == MSG_ARM && f->state == ATTEMPT_PREPARED) {
        f->state = ATTEMPT_ARMED;
    } else if (a->op == MSG_START_AT && f->state == ATTEMPT_ARMED) {
        start(f, a);
    } else if (a->op == MSG_STOP && f->state < ATTEMPT_STOPPING) {
        f->state = ATTEMPT_STOPPING;
        f->outcome = OUTCOME_ABORTED;
        f->text = "stopped: interrupted";
    } else if (a->op == MSG_ACK) {
        f->acked = a->ack_bytes == SPOOL_LEN &&
                   a->ack_crc == crc32c(0, spool, SPOOL_LEN);
        f->known = false;
    } else if (a->op == MSG_ACQUIRE) {
        f->token++;
    }
    ping.mono_ns = f->now_ns + (uint64_t)f->clock_ns;
    ev->ping = &ping;
    ev->sent_ns = f->now_ns;
    lease = (struct msg_lease){.token = f->token, .left_ns = a->ttl_ns};
    ev->lease = &lease;
    size_t left = SPOOL_LEN - (size_t)a->offset;
    chunk = (struct msg_chunk){
        .offset = a->offset,
        .total = SPOOL_LEN,
        .data = {.data = spool + a->offset,
                 .len = left < SPOOL_CHUNK ? left : SPOOL_CHUNK}};
    ev->chunk = &chunk;
    fill_status(f, ev);
}

static void finish(struct fake *f, const struct bench_action *a,
                   struct bench_event *ev)
{
    char word[64];
    (void)snprintf(word, sizeof word, "END:%s%s", outcome_name(a->outcome),
                   f->bench.seats[0].collected ? "" : ":bare");
    note(f, word);
    assert_true(f->ends < 64);
    f->ended_trial[f->ends] = f->bench.trial;
    f->ended[f->ends++] = a->outcome;
    (void)snprintf(f->ended_text, sizeof f->ended_text, "%s",
                   a->error ? a->error : "");
    f->ended_spool = f->bench.seats[0].spool_len;
    ev->invalid = f->invalid;
    f->invalid = false;
}

/* STATUS is polled, RENEW is timed and PING comes often: left out of the log.
 */
static void note_send(struct fake *f, const struct bench_action *a)
{
    if (a->op != MSG_STATUS && a->op != MSG_RENEW && a->op != MSG_COLLECT &&
        a->op != MSG_PING)
        note(f, msg_op_name(a->op));
    if (a->op == MSG_COLLECT && a->offset == 0)
        note(f, "COLLECT");
}

static void play(struct fake *f, const struct bench_action *a,
                 struct bench_event *ev)
{
    char word[64];
    *ev = (struct bench_event){.what = BENCH_STORED};
    if (a->what == BENCH_SEND)
        note_send(f, a);
    if (f->twist && a->what != BENCH_WAIT && f->twist(f, a, ev)) {
        ev->now_ns = f->now_ns;
        return;
    }
    switch (a->what) {
    case BENCH_SEND:
        answer(f, a, ev);
        break;
    case BENCH_WAIT:
        assert_true(a->due_ns > f->now_ns && a->due_ns != UINT64_MAX);
        f->now_ns = a->due_ns;
        ev->what = BENCH_TICK;
        ev->now_ns = f->now_ns;
        return;
    case BENCH_ASK:
        note(f, "ASK");
        break;
    case BENCH_ADD:
        (void)snprintf(word, sizeof word, "%s%u", a->left ? "LEFT" : "ADD",
                       f->bench.trial + 1);
        note(f, word);
        ev->att = a->left ? a->left->att : 1;
        if (a->left)
            break;
        f->known = false;
        f->state = ATTEMPT_PLANNED;
        f->outcome = OUTCOME_OK;
        f->text = NULL;
        for (unsigned i = 0; i < f->ends; i++)
            ev->att += f->ended_trial[i] == f->bench.trial;
        break;
    case BENCH_MOVE:
        (void)snprintf(word, sizeof word, "move:%s", state_name(a->state));
        note(f, word);
        break;
    case BENCH_FINISH:
        finish(f, a, ev);
        break;
    case BENCH_DONE:
        break;
    }
    f->now_ns += NS_PER_MS;
    ev->now_ns = f->now_ns;
}

static bool log_ends(const struct fake *f, const char *word)
{
    size_t n = strlen(f->log), w = strlen(word);
    return n >= w && !strcmp(f->log + n - w, word);
}

/* Ctrl-C while an answer is outstanding: the bench takes note, and waits. */
static void interrupt(struct fake *f)
{
    struct bench_event ev = {.what = BENCH_INTERRUPT, .now_ns = f->now_ns};
    struct bench_action a;
    bench_step(&f->bench, &ev, &a);
    assert_int_equal(a.what, BENCH_WAIT);
    f->interrupt_after = NULL;
}

void fake_run(struct fake *f)
{
    struct bench_event ev = {.what = BENCH_TICK, .now_ns = f->now_ns};
    struct bench_action a;
    for (unsigned i = 0; i < 100000; i++) {
        bench_step(&f->bench, &ev, &a);
        if (a.what == BENCH_DONE)
            return;
        if (f->enough_at_trial && a.what == BENCH_ADD &&
            f->bench.trial == f->enough_at_trial)
            ev =
                (struct bench_event){.what = BENCH_ENOUGH, .now_ns = f->now_ns};
        else
            play(f, &a, &ev);
        if (f->interrupt_after && log_ends(f, f->interrupt_after))
            interrupt(f);
        if (f->interrupt_at_ns && a.what == BENCH_WAIT &&
            f->now_ns > f->interrupt_at_ns) {
            ev.what = BENCH_INTERRUPT;
            f->interrupt_at_ns = 0;
        }
        if (f->enough_at_ns && a.what == BENCH_WAIT &&
            f->now_ns > f->enough_at_ns) {
            ev.what = BENCH_ENOUGH;
            f->enough_at_ns = 0;
        }
    }
    fail_msg("no end after 100000 steps; log: %s", f->log);
}
