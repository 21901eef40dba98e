/* Benches of several agents: a target's and two loads', each answering when it
 * does, one of them silent, failing or stopped. */
#include <stdio.h>

#include "common/crc.h"
#include "controller/bench.h"
#include "tests/lib/check.h"

#define AGENTS 3u
#define SPOOL  "spool"

struct far {
    enum attempt_state state;
    bool known;
    const char *outcome, *text; /* once sealed; NULL: ok */
    int64_t clock_ns;
    uint64_t t0_ns, sealed_at_ns; /* its clock; ours */
    bool done, stopped, silent;
    bool pending;
    struct bench_action action;
    uint64_t sent_ns;
};

struct world {
    struct bench bench;
    struct far agents[AGENTS];
    uint64_t now_ns;
    char log[4096];
    bool apart;
    enum attempt_outcome outcome;
    char error[512];
    unsigned ends, collected;
    /* What goes wrong, once: when agent is told op. */
    enum msg_op op;
    int agent; /* -1: nothing */
    void (*wrong)(struct world *w, struct far *a);
};

static struct world w;
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

static void begin(uint32_t trials)
{
    struct why why = {""};
    const struct bench_config config = {
        .n_cells = trials,
        .n_trials = trials,
        .times = {.warmup_ns = NS_PER_S, .measure_ns = 2 * NS_PER_S},
        .ready_ns = 30 * NS_PER_S,
        .drain_ns = 5 * NS_PER_S,
        .n_agents = AGENTS,
        .names = {"srv", "gen1", "gen2"}};
    memset(&w, 0, sizeof w);
    w.now_ns = 1000 * NS_PER_S;
    w.agent = -1;
    w.apart = true;
    for (unsigned i = 0; i < AGENTS; i++)
        w.agents[i].clock_ns = (int64_t)i * 50 * (int64_t)NS_PER_S;
    check_ok(bench_init(&w.bench, &config, &why), why);
}

static void fill_status(const struct far *a, unsigned i)
{
    memset(&status, 0, sizeof status);
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
    } else if (act->op == MSG_STOP) {
        stop(a, act->done);
    } else if (act->op == MSG_ACK) {
        a->known = false;
    }
    /* a load ends by itself, a target runs on */
    if ((i || !w.apart) && a->state == ATTEMPT_RUNNING &&
        w.now_ns >= a->sealed_at_ns)
        a->state = ATTEMPT_SEALED;
}

static void answer(unsigned i, struct bench_event *ev)
{
    struct far *a = &w.agents[i];
    a->pending = false;
    *ev = (struct bench_event){
        .what = BENCH_ANSWERED, .agent = i, .sent_ns = a->sent_ns};
    if (a->silent) {
        ev->what = BENCH_UNHEARD;
        ev->err = ERR_TIMEOUT;
        ev->text = "no answer within 3 s";
        w.now_ns += SEAT_REQUEST_NS;
        ev->now_ns = w.now_ns;
        return;
    }
    w.now_ns += NS_PER_MS;
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

static void run(void)
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

/* Loads are prepared when the target is, all are armed when all are prepared,
 * and the target is stopped when both loads have ended. */
static void three_agents_go_in_step(void **state)
{
    (void)state;
    begin(1);
    run();
    assert_string_equal(
        w.log,
        "0:ACQUIRE 1:ACQUIRE 2:ACQUIRE move:preparing 0:PREPARE 1:PREPARE "
        "2:PREPARE move:prepared 0:ARM 1:ARM 2:ARM move:armed 0:START_AT "
        "1:START_AT 2:START_AT move:running move:stopping 0:STOP move:sealed "
        "0:COLLECT 1:COLLECT 2:COLLECT END:ok 0:ACK 1:ACK 2:ACK 0:RELEASE "
        "1:RELEASE 2:RELEASE");
    assert_int_equal(w.collected, 3);
    assert_true(w.agents[0].done && !w.agents[1].stopped);
    assert_string_equal(w.bench.error, "");
}

static void all_start_at_one_instant_by_their_own_clocks(void **state)
{
    (void)state;
    begin(1);
    run();
    for (unsigned i = 1; i < AGENTS; i++) {
        int64_t apart = (int64_t)(w.agents[i].t0_ns - w.agents[0].t0_ns) -
                        w.agents[i].clock_ns;
        const struct seat *s = &w.bench.seats[i];
        assert_true(s->clock_known);
        assert_in_range(s->uncertain_ns, 1, 10 * NS_PER_MS);
        assert_true((uint64_t)(apart < 0 ? -apart : apart) <=
                    s->uncertain_ns + w.bench.seats[0].uncertain_ns);
    }
}

static void a_link_of_the_targets_own_leaves_the_loads_alone(void **state)
{
    (void)state;
    begin(1);
    w.apart = false;
    run();
    assert_int_equal(w.outcome, OUTCOME_OK);
    assert_int_equal(w.collected, 1);
    assert_null(strstr(w.log, "0:STOP"));
    assert_null(strstr(w.log, "1:PREPARE"));
    assert_null(strstr(w.log, "2:COLLECT"));
    assert_non_null(strstr(w.log, "1:RELEASE"));
}

static void dies(struct world *world, struct far *a)
{
    (void)world;
    a->silent = true;
}

/* Its name; the other load is stopped, then the target, and both collected. */
static void losing_one_load_fails_the_trial_by_its_name(void **state)
{
    (void)state;
    begin(2);
    w.op = MSG_START_AT;
    w.agent = 2;
    w.wrong = dies;
    run();
    assert_int_equal(w.ends, 1);
    assert_int_equal(w.outcome, OUTCOME_FAILED);
    assert_string_equal(w.error, "agent gen2: no answer within 3 s");
    assert_string_equal(w.bench.error, "agent gen2: no answer within 3 s");
    assert_int_equal(w.collected, 2);
    assert_true(w.agents[0].stopped && !w.agents[0].done);
    const char *end = strstr(w.log, "END:failed");
    assert_non_null(end);
    assert_string_equal(end, "END:failed 0:ACK 1:ACK 0:RELEASE 1:RELEASE");
}

static void load_fails(struct world *world, struct far *a)
{
    (void)world;
    a->state = ATTEMPT_SEALED;
    a->outcome = "failed";
    a->text = "load was killed by signal 9 (Killed)";
}

static void a_load_that_fails_stops_the_other_then_the_target(void **state)
{
    (void)state;
    begin(2);
    w.op = MSG_STATUS;
    w.agent = 1;
    w.wrong = load_fails;
    run();
    assert_int_equal(w.ends, 2); /* the second trial goes well */
    assert_int_equal(w.outcome, OUTCOME_OK);
    const char *stop2 = strstr(w.log, "2:STOP");
    const char *stop0 = strstr(w.log, "0:STOP");
    assert_true(stop2 && stop0 && stop2 < stop0);
    assert_non_null(strstr(w.log, "END:failed 0:ACK 1:ACK 2:ACK"));
    assert_string_equal(w.bench.error, "");
}

static void target_ooms(struct world *world, struct far *a)
{
    (void)world;
    a->state = ATTEMPT_SEALED;
    a->outcome = "oom";
    a->text = "the target ran out of its heap";
    for (unsigned i = 1; i < AGENTS; i++) {
        w.agents[i].state = ATTEMPT_SEALED;
        w.agents[i].outcome = "failed";
        w.agents[i].text = "load exited with status 1: connection refused";
    }
}

/* Loads that lost their target, heard of first, are explained by it. */
static void what_the_target_did_explains_the_loads(void **state)
{
    (void)state;
    begin(1);
    w.op = MSG_START_AT;
    w.agent = 0;
    w.wrong = target_ooms;
    run();
    assert_int_equal(w.ends, 1);
    assert_int_equal(w.outcome, OUTCOME_OOM);
    assert_string_equal(w.error, "the target ran out of its heap");
    assert_int_equal(w.collected, 3);
}

static void interrupted(struct world *world, struct far *a)
{
    (void)a;
    world->bench.interrupted = true;
}

static void ctrl_c_stops_loads_first(void **state)
{
    (void)state;
    begin(2);
    w.op = MSG_START_AT;
    w.agent = 2;
    w.wrong = interrupted;
    run();
    assert_int_equal(w.ends, 1);
    assert_int_equal(w.outcome, OUTCOME_ABORTED);
    const char *stop1 = strstr(w.log, "1:STOP");
    const char *stop2 = strstr(w.log, "2:STOP");
    const char *stop0 = strstr(w.log, "0:STOP");
    assert_true(stop0 && stop1 && stop2 && stop1 < stop0 && stop2 < stop0);
    assert_non_null(strstr(w.log, "END:aborted 0:ACK 1:ACK 2:ACK 0:RELEASE"));
    assert_int_equal(w.collected, 3);
}

static void calibrations_come_first_and_are_never_repeated(void **state)
{
    (void)state;
    begin(1);
    w.bench.config.n_extra = 2;
    w.bench.config.extra_times = (struct bench_times){.measure_ns = NS_PER_S};
    w.op = MSG_PREPARE;
    w.agent = 0;
    w.wrong = load_fails;
    run();
    assert_int_equal(w.ends, 3); /* one fails, one goes well, one trial */
    assert_int_equal(w.bench.trial, 0);
    assert_int_equal(w.outcome, OUTCOME_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_agents_go_in_step),
        cmocka_unit_test(all_start_at_one_instant_by_their_own_clocks),
        cmocka_unit_test(a_link_of_the_targets_own_leaves_the_loads_alone),
        cmocka_unit_test(losing_one_load_fails_the_trial_by_its_name),
        cmocka_unit_test(a_load_that_fails_stops_the_other_then_the_target),
        cmocka_unit_test(what_the_target_did_explains_the_loads),
        cmocka_unit_test(ctrl_c_stops_loads_first),
        cmocka_unit_test(calibrations_come_first_and_are_never_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
