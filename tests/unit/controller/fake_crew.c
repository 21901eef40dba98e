#include "tests/unit/controller/fake_crew.h"

#include <stdio.h>

#include "common/crc.h"
#include "tests/lib/check.h"

#define SPOOL "spool"

struct world w;
static struct msg_status_reply status;
static struct msg_lease lease = {.token = 7};
static struct msg_ping_reply ping;
static struct msg_chunk chunk;

static void note(const char *word)
{
    size_t used = strlen(w.log);
    (void)snprintf(w.log + used, sizeof w.log - used, "%s%s", used ? " " : "",
                   word);
}

void crew_begin(uint32_t trials)
{
    struct why why = {""};
    const struct bench_config config = {
        .ends = &w.trials,
        .n_blocks = 1,
        .times = {.warmup_ns = NS_PER_S, .measure_ns = 2 * NS_PER_S},
        .ready_ns = 30 * NS_PER_S,
        .drain_ns = 5 * NS_PER_S,
        .n_agents = AGENTS,
        .names = {"srv", "gen1", "gen2"}};
    memset(&w, 0, sizeof w);
    w.trials = trials;
    w.now_ns = 1000 * NS_PER_S;
    w.agent = w.any = -1;
    w.apart = true;
    for (unsigned i = 0; i < AGENTS; i++)
        w.agents[i].clock_ns = (int64_t)i * 50 * (int64_t)NS_PER_S;
    check_ok(bench_init(&w.bench, &config, &why), why);
}

/* Where a load has come to: the one that counts for all is there long before
 * the others. */
static void fill_meet(const struct far *a, unsigned i)
{
    bool any = (int)i == w.any && !a->left;
    uint64_t at_ns = a->sealed_at_ns - 3 * NS_PER_S + 100 * NS_PER_MS;
    if (!i || a->state != ATTEMPT_RUNNING || a->left == w.n_meets ||
        w.now_ns < at_ns || (w.any >= 0 && !any && !a->left))
        return;
    status.meet = w.meets[a->left];
    status.meet_any = any;
}

static void fill_status(const struct far *a, unsigned i)
{
    memset(&status, 0, sizeof status);
    fill_meet(a, i);
    (void)snprintf(status.state, sizeof status.state, "%s",
                   state_name(a->state));
    if (!i)
        (void)snprintf(status.target_url, sizeof status.target_url,
                       "http://10.0.0.1:9200");
    if (a->state == ATTEMPT_SEALED) {
        (void)snprintf(status.outcome, sizeof status.outcome, "%s",
                       a->outcome ? a->outcome : "ok");
        (void)snprintf(status.text, sizeof status.text, "%s",
                       a->text ? a->text : "");
        status.spool_bytes = sizeof SPOOL;
        status.spool_crc = crc32c(0, (const uint8_t *)SPOOL, sizeof SPOOL);
    }
}

static void stop(struct far *a, bool done)
{
    if (a->state >= ATTEMPT_STOPPING)
        return;
    a->state = ATTEMPT_SEALED;
    a->stopped = true;
    a->done = done;
    if (!done)
        a->outcome = "aborted";
}

/* What the agent makes of a request. */
static void obey(struct far *a, unsigned i)
{
    const struct bench_action *act = &a->action;
    if (act->op == MSG_PREPARE && !a->known) {
        a->known = true;
        a->state = ATTEMPT_PREPARING;
    } else if (act->op == MSG_STATUS && a->state == ATTEMPT_PREPARING) {
        a->state = ATTEMPT_PREPARED;
    } else if (act->op == MSG_ARM && a->state == ATTEMPT_PREPARED) {
        a->state = ATTEMPT_ARMED;
    } else if (act->op == MSG_START_AT && a->state == ATTEMPT_ARMED) {
        a->state = ATTEMPT_RUNNING;
        a->t0_ns = act->start_at.t0_ns;
        a->sealed_at_ns = a->t0_ns - (uint64_t)a->clock_ns + 3 * NS_PER_S +
                          i * 10 * NS_PER_MS;
    } else if (act->op == MSG_MEET) {
        assert_true(a->left < w.n_meets);
        assert_int_equal(act->meet.meet, w.meets[a->left]);
        a->from_ns[a->left++] = act->meet.from_ns;
    } else if (act->op == MSG_STOP) {
        stop(a, act->done);
    } else if (act->op == MSG_ACK) {
        a->known = false;
    }
    /* a load ends by itself, a target runs on */
    if ((i || !w.apart) && a->state == ATTEMPT_RUNNING &&
        w.now_ns >= a->sealed_at_ns && (!i || a->left == w.n_meets))
        a->state = ATTEMPT_SEALED;
}

static void answer(unsigned i, struct bench_event *ev)
{
    struct far *a = &w.agents[i];
    a->pending = false;
    *ev = (struct bench_event){
        .what = BENCH_ANSWERED, .agent = i, .sent_ns = a->sent_ns};
    if (a->silent || a->deaf) {
        a->deaf = false;
        ev->what = BENCH_UNHEARD;
        ev->err = ERR_TIMEOUT;
        ev->text = "no answer within 3 s";
        w.now_ns += SEAT_REQUEST_NS;
        ev->now_ns = w.now_ns;
        return;
    }
    w.now_ns += NS_PER_MS;
    if (a->late) {
        a->late = false;
        ev->now_ns = w.now_ns;
        ev->err = ERR_LATE;
        ev->text = "t0 has passed";
        return;
    }
    obey(a, i);
    ev->now_ns = w.now_ns;
    ping.mono_ns = w.now_ns - NS_PER_MS / 2 + (uint64_t)a->clock_ns;
    chunk = (struct msg_chunk){.total = sizeof SPOOL,
                               .data = {(const uint8_t *)SPOOL, sizeof SPOOL}};
    fill_status(a, i);
    ev->ping = &ping;
    ev->lease = &lease;
    ev->status = &status;
    ev->chunk = &chunk;
}

static void send(const struct bench_action *act)
{
    struct far *a = &w.agents[act->agent];
    char word[40];
    assert_false(a->pending); /* one request at a time */
    a->pending = true;
    a->action = *act;
    a->sent_ns = w.now_ns;
    if (act->op != MSG_STATUS && act->op != MSG_RENEW && act->op != MSG_PING) {
        (void)snprintf(word, sizeof word, "%u:%s", act->agent,
                       msg_op_name(act->op));
        note(word);
    }
    if ((int)act->agent == w.agent && act->op == w.op) {
        w.agent = -1;
        w.wrong(&w, a);
    }
}

static void finish(const struct bench_action *a)
{
    char word[40];
    w.ends++;
    w.outcome = a->outcome;
    (void)snprintf(w.error, sizeof w.error, "%s", a->error ? a->error : "");
    w.collected = 0;
    for (unsigned i = 0; i < AGENTS; i++)
        w.collected +=
            w.bench.seats[i].takes_part && w.bench.seats[i].collected;
    (void)snprintf(word, sizeof word, "END:%s", outcome_name(a->outcome));
    note(word);
}

/* Answers come, the slowest agent's first, when the bench has no more to do. */
static void wait(const struct bench_action *a, struct bench_event *ev)
{
    for (unsigned i = AGENTS; i-- > 0;)
        if (w.agents[i].pending) {
            answer(i, ev);
            return;
        }
    assert_true(a->due_ns != UINT64_MAX);
    w.now_ns = a->due_ns;
    *ev = (struct bench_event){.what = BENCH_TICK, .now_ns = w.now_ns};
}

void crew_run(void)
{
    struct bench_event ev = {.what = BENCH_TICK, .now_ns = w.now_ns};
    struct bench_action a;
    char word[40];
    for (unsigned i = 0; i < 20000; i++) {
        bench_step(&w.bench, &ev, &a);
        ev = (struct bench_event){.what = BENCH_STORED, .now_ns = w.now_ns};
        switch (a.what) {
        case BENCH_SEND:
            send(&a);
            ev.what = BENCH_TICK;
            break;
        case BENCH_WAIT:
            wait(&a, &ev);
            break;
        case BENCH_ASK:
            break;
        case BENCH_ADD:
            ev.att = 1;
            ev.apart = w.apart;
            for (unsigned k = 0; k < AGENTS; k++)
                w.agents[k].outcome = w.agents[k].text = NULL;
            break;
        case BENCH_MOVE:
            (void)snprintf(word, sizeof word, "move:%s", state_name(a.state));
            note(word);
            break;
        case BENCH_FINISH:
            finish(&a);
            break;
        case BENCH_DONE:
            bench_fini(&w.bench);
            return;
        }
    }
    fail_msg("no end; log: %s", w.log);
}
