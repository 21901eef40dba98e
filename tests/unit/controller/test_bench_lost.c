/* Benches whose agent is silent, fenced or damaged, and Ctrl-C in every state;
 * the world played by fake_agent.c. */
#include <stdio.h>

#include "tests/lib/check.h"
#include "tests/unit/controller/fake_agent.h"

static struct fake f;
static enum msg_op silent_op; /* unheard `count` times */

static bool silent(struct fake *w, const struct bench_action *a,
                   struct bench_event *ev)
{
    if (a->what != BENCH_SEND || a->op != silent_op || !w->count)
        return false;
    w->count--;
    return fake_silent(w, ev);
}

static void begin_silent(enum msg_op op, unsigned times)
{
    fake_begin(&f, 1, 1);
    silent_op = op;
    f.count = times;
    f.twist = silent;
}

static void a_request_that_got_lost_is_sent_again(void **state)
{
    (void)state;
    begin_silent(MSG_PREPARE, 1);
    fake_run(&f);
    assert_string_equal(
        f.log, "ACQUIRE ADD1 move:preparing PREPARE HELLO ACQUIRE "
               "PREPARE move:prepared ARM move:armed START_AT move:running "
               "move:sealed COLLECT END:ok ACK RELEASE");
    fake_end(&f);
}

/* As silent(), but the agent did get the request. */
static bool answer_lost(struct fake *w, const struct bench_action *a,
                        struct bench_event *ev)
{
    if (a->what != BENCH_SEND || a->op != silent_op || !w->count)
        return false;
    w->count--;
    if (a->op == MSG_PREPARE) {
        w->known = true;
        w->state = ATTEMPT_PREPARING;
    } else if (a->op == MSG_ARM) {
        w->state = ATTEMPT_ARMED;
    } else if (a->op == MSG_START_AT) {
        w->state = ATTEMPT_RUNNING;
        w->sealed_at_ns = w->now_ns + 10 * NS_PER_S;
    }
    return fake_silent(w, ev);
}

static void an_answer_that_got_lost_changes_nothing(void **state)
{
    (void)state;
    static const enum msg_op ops[] = {MSG_PREPARE, MSG_ARM,     MSG_START_AT,
                                      MSG_STATUS,  MSG_COLLECT, MSG_ACK,
                                      MSG_RENEW};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        begin_silent(ops[i], 1);
        f.twist = answer_lost;
        fake_run(&f);
        assert_int_equal(f.ends, 1);
        assert_int_equal(f.ended[0], OUTCOME_OK);
        assert_int_equal(f.ended_spool, 15);
        assert_true(f.acked);
        fake_end(&f);
    }
}

static void an_agent_that_stays_silent_is_lost(void **state)
{
    (void)state;
    begin_silent(MSG_HELLO, 100);
    f.bench.seats[0].phase = SEAT_HELLO;
    uint64_t begin = f.now_ns;
    fake_run(&f);
    assert_int_equal(f.ends, 0);
    assert_true(f.bench.lost);
    assert_string_equal(f.bench.error, "agent x: timed out");
    /* 6 requests of 3 s, and 0.2 + 0.4 + 0.8 + 1.6 + 3.2 s between them */
    assert_int_equal((f.now_ns - begin) / NS_PER_MS, 18000 + 6200);
    fake_end(&f);
}

static bool dead_from_arm(struct fake *w, const struct bench_action *a,
                          struct bench_event *ev)
{
    if (a->what != BENCH_SEND)
        return false;
    w->count += a->op == MSG_ARM;
    return w->count && fake_silent(w, ev);
}

static void a_death_in_mid_trial_leaves_it_and_the_rest_open(void **state)
{
    (void)state;
    fake_begin(&f, 2, 2);
    f.twist = dead_from_arm;
    fake_run(&f);
    assert_string_equal(f.log,
                        "ACQUIRE ADD1 move:preparing PREPARE move:prepared "
                        "ARM HELLO HELLO HELLO HELLO HELLO");
    assert_string_equal(f.bench.error, "agent x: timed out");
    assert_true(f.bench.left_open);
    assert_int_equal(queue_left(&f.bench.queue), 3);
    fake_end(&f);
}

/* The agent died in START_AT and came back without its memory. */
static bool restarted(struct fake *w, const struct bench_action *a,
                      struct bench_event *ev)
{
    if (a->what != BENCH_SEND)
        return false;
    if (a->op == MSG_START_AT && !w->count) {
        w->count = 1;
        return fake_silent(w, ev);
    }
    if (a->op == MSG_STATUS && w->count == 1) {
        w->count = 2;
        return fake_refuse(w, ev, ERR_NOTFOUND, "no such attempt");
    }
    return false;
}

static void an_agent_that_forgot_the_attempt_fails_it(void **state)
{
    (void)state;
    fake_begin(&f, 1, 1);
    f.twist = restarted;
    fake_run(&f);
    assert_int_equal(f.ends, 2); /* and its repeat */
    assert_int_equal(f.ended[0], OUTCOME_FAILED);
    assert_int_equal(f.ended[1], OUTCOME_OK);
    fake_end(&f);
}

/* The network is cut from START_AT on, for 40 s. */
static bool cut(struct fake *w, const struct bench_action *a,
                struct bench_event *ev)
{
    static uint64_t till_ns;
    if (a->what != BENCH_SEND)
        return false;
    if (a->op == MSG_STATUS && w->state == ATTEMPT_RUNNING && !w->count++)
        till_ns = w->now_ns + 40 * NS_PER_S;
    return w->count && w->now_ns < till_ns && fake_silent(w, ev);
}

/* The lease is for warm-up 0.2 + window 1 + 60 s, which is longer. */
static void a_cut_within_the_lease_costs_nothing(void **state)
{
    (void)state;
    fake_begin(&f, 1, 1);
    f.twist = cut;
    fake_run(&f);
    assert_int_equal(f.ends, 1);
    assert_int_equal(f.ended[0], OUTCOME_OK);
    assert_int_equal(f.ended_spool, 15);
    assert_memory_equal(f.ended_text, "partitioned: ", 13);
    assert_false(f.bench.lost);
    fake_end(&f);
}

static bool refused_from_start(struct fake *w, const struct bench_action *a,
                               struct bench_event *ev)
{
    if (a->what != BENCH_SEND)
        return false;
    w->count += a->op == MSG_START_AT;
    if (!w->count)
        return false;
    (void)fake_silent(w, ev);
    ev->err = ERR_REFUSED;
    return true;
}

/* Nobody listens there any more: the lease is not waited for. */
static void a_dead_agent_is_given_up_before_its_lease_ends(void **state)
{
    (void)state;
    fake_begin(&f, 1, 1);
    f.twist = refused_from_start;
    uint64_t begin = f.now_ns;
    fake_run(&f);
    assert_true(f.bench.lost && f.bench.left_open);
    assert_true(f.now_ns - begin < 30 * NS_PER_S);
    fake_end(&f);
}

static bool full(struct fake *w, const struct bench_action *a,
                 struct bench_event *ev)
{
    return a->what == BENCH_SEND && a->op == MSG_PREPARE &&
           w->bench.trial == 1 &&
           fake_refuse(w, ev, ERR_NOSPACE, "16 MiB are free");
}

static void a_full_agent_costs_one_attempt_not_all_trials(void **state)
{
    (void)state;
    fake_begin(&f, 2, 2);
    f.twist = full;
    fake_run(&f);
    assert_int_equal(f.ends, 1);
    assert_string_equal(f.bench.error, "16 MiB are free");
    assert_true(f.bench.left_open);
    assert_int_equal(queue_left(&f.bench.queue), 2);
    fake_end(&f);
}

static enum msg_op fenced_op;

static bool fenced(struct fake *w, const struct bench_action *a,
                   struct bench_event *ev)
{
    if (a->what != BENCH_SEND)
        return false;
    if (a->op == MSG_ACQUIRE && w->count == 1)
        return fake_refuse(w, ev, ERR_HELD, "held by another for 12 s");
    if (a->op != fenced_op || w->count)
        return false;
    w->count = 1;
    return fake_refuse(w, ev, ERR_FENCED, "fenced by a newer lease");
}

static void a_fenced_bench_ends_when_another_holds_the_agent(void **state)
{
    (void)state;
    static const enum msg_op ops[] = {MSG_PREPARE, MSG_ARM, MSG_START_AT,
                                      MSG_STATUS, MSG_COLLECT};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        fake_begin(&f, 2, 1);
        fenced_op = ops[i];
        f.twist = fenced;
        fake_run(&f);
        assert_true(f.bench.lost);
        assert_string_equal(f.bench.error, "held by another for 12 s");
        assert_int_equal(f.ends, 0); /* what it has is not ours to judge */
        assert_true(f.bench.left_open);
        assert_int_equal(queue_left(&f.bench.queue), 1);
        fake_end(&f);
    }
}

static bool fenced_once(struct fake *w, const struct bench_action *a,
                        struct bench_event *ev)
{
    if (a->what != BENCH_SEND || a->op != MSG_STATUS || w->count)
        return false;
    w->count = 1;
    return fake_refuse(w, ev, ERR_FENCED, "the lease ran out");
}

static void a_lease_that_ran_out_is_taken_anew(void **state)
{
    (void)state;
    fake_begin(&f, 1, 1);
    f.twist = fenced_once;
    fake_run(&f);
    assert_false(f.bench.lost);
    assert_int_equal(f.token, 2);
    assert_int_equal(f.ended[0], OUTCOME_OK);
    fake_end(&f);
}

static bool held(struct fake *w, const struct bench_action *a,
                 struct bench_event *ev)
{
    return a->what == BENCH_SEND && a->op == MSG_ACQUIRE &&
           fake_refuse(w, ev, ERR_HELD, "held by another for 12 s");
}

static void an_agent_in_use_is_told_and_nothing_tried(void **state)
{
    (void)state;
    fake_begin(&f, 1, 1);
    f.twist = held;
    fake_run(&f);
    assert_string_equal(f.log, "ACQUIRE");
    assert_string_equal(f.bench.error, "held by another for 12 s");
    fake_end(&f);
}

/* A piece that does not fit, `count` times. */
static bool bad_chunk(struct fake *w, const struct bench_action *a,
                      struct bench_event *ev)
{
    static const uint8_t other[] = "xxxxx";
    static struct msg_chunk chunk;
    if (a->what != BENCH_SEND || a->op != MSG_COLLECT || a->offset != 5 ||
        !w->count)
        return false;
    w->count--;
    chunk = (struct msg_chunk){
        .offset = 5, .total = 15, .data = {.data = other, .len = 5}};
    ev->what = BENCH_ANSWERED;
    ev->chunk = &chunk;
    return true;
}

static void a_wrong_checksum_collects_again(void **state)
{
    (void)state;
    fake_begin(&f, 1, 1);
    f.twist = bad_chunk;
    f.count = 2;
    fake_run(&f);
    assert_string_equal(
        f.log, "ACQUIRE ADD1 move:preparing PREPARE move:prepared ARM "
               "move:armed START_AT move:running move:sealed COLLECT COLLECT "
               "COLLECT END:ok ACK RELEASE");
    fake_end(&f);
    fake_begin(&f, 1, 1);
    f.bench.queue.retries = 0;
    f.twist = bad_chunk;
    f.count = 3;
    fake_run(&f);
    assert_int_equal(f.ended[0], OUTCOME_FAILED);
    assert_string_equal(f.ended_text, "results cannot be collected: the "
                                      "spool's checksum differs");
    assert_false(f.acked);
    fake_end(&f);
}

static bool corrupt(struct fake *w, const struct bench_action *a,
                    struct bench_event *ev)
{
    if (a->what != BENCH_FINISH || !w->count)
        return false;
    w->count--;
    ev->what = BENCH_CORRUPT;
    ev->text = "record 3: damaged";
    return true;
}

static void a_spool_that_does_not_decode_is_collected_again(void **state)
{
    (void)state;
    fake_begin(&f, 1, 1);
    f.twist = corrupt;
    f.count = 1;
    fake_run(&f);
    assert_int_equal(f.ends, 1);
    assert_int_equal(f.ended[0], OUTCOME_OK);
    assert_true(f.acked);
    fake_end(&f);
}

/* Ctrl-C ---------------------------------------------------------------- */

struct cut {
    const char *after, *log;
};

static void ctrl_c_is_obeyed_in_every_state(void **state)
{
    (void)state;
#define UP_TO_ARM "ACQUIRE ADD1 move:preparing PREPARE move:prepared ARM"
#define STOPPED                                                                \
    " move:stopping STOP move:sealed COLLECT END:aborted ACK RELEASE"
    static const struct cut cuts[] = {
        {"ACQUIRE", "ACQUIRE RELEASE"},
        {"ADD1", "ACQUIRE ADD1 END:aborted:bare RELEASE"},
        {"move:preparing",
         "ACQUIRE ADD1 move:preparing END:aborted:bare RELEASE"},
        {"PREPARE", "ACQUIRE ADD1 move:preparing PREPARE" STOPPED},
        {"ARM", UP_TO_ARM STOPPED},
        {"move:armed", UP_TO_ARM " move:armed" STOPPED},
        {"START_AT", UP_TO_ARM " move:armed START_AT" STOPPED},
        {"move:running", UP_TO_ARM " move:armed START_AT move:running" STOPPED},
        {"move:sealed",
         UP_TO_ARM " move:armed START_AT move:running move:sealed COLLECT "
                   "END:ok ACK RELEASE"},
        {"COLLECT",
         UP_TO_ARM " move:armed START_AT move:running move:sealed COLLECT "
                   "END:ok ACK RELEASE"},
        {"END:ok",
         UP_TO_ARM " move:armed START_AT move:running move:sealed COLLECT "
                   "END:ok ACK RELEASE"},
        {"ACK",
         UP_TO_ARM " move:armed START_AT move:running move:sealed COLLECT "
                   "END:ok ACK RELEASE"},
    };
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        fake_begin(&f, 2, 1);
        f.interrupt_after = cuts[i].after;
        fake_run(&f);
        assert_string_equal(f.log, cuts[i].log);
        fake_end(&f);
    }
}

static void ctrl_c_while_measuring_keeps_what_was_measured(void **state)
{
    (void)state;
    fake_begin(&f, 2, 1);
    f.interrupt_at_ns = f.now_ns + 800 * NS_PER_MS;
    uint64_t begin = f.now_ns;
    fake_run(&f);
    assert_string_equal(f.log,
                        UP_TO_ARM " move:armed START_AT move:running" STOPPED);
    assert_string_equal(f.ended_text, "stopped: interrupted");
    assert_int_equal(f.ended_spool, 15);
    assert_true(f.now_ns - begin < 1200 * NS_PER_MS);
    fake_end(&f);
}

static void ctrl_c_while_the_agent_is_silent_does_not_wait(void **state)
{
    (void)state;
    fake_begin(&f, 2, 1);
    f.twist = dead_from_arm;
    f.interrupt_after = "HELLO";
    uint64_t begin = f.now_ns;
    fake_run(&f);
    assert_string_equal(f.log, UP_TO_ARM " HELLO");
    assert_true(f.now_ns - begin < 8 * NS_PER_S);
    fake_end(&f);
}

static void ctrl_c_in_a_retry_begins_nothing_new(void **state)
{
    (void)state;
    begin_silent(MSG_PREPARE, 1);
    f.interrupt_after = "PREPARE";
    fake_run(&f);
    assert_string_equal(f.log, "ACQUIRE ADD1 move:preparing PREPARE");
    assert_true(f.bench.left_open);
    fake_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_that_got_lost_is_sent_again),
        cmocka_unit_test(an_answer_that_got_lost_changes_nothing),
        cmocka_unit_test(an_agent_that_stays_silent_is_lost),
        cmocka_unit_test(a_death_in_mid_trial_leaves_it_and_the_rest_open),
        cmocka_unit_test(a_cut_within_the_lease_costs_nothing),
        cmocka_unit_test(a_dead_agent_is_given_up_before_its_lease_ends),
        cmocka_unit_test(a_full_agent_costs_one_attempt_not_all_trials),
        cmocka_unit_test(an_agent_that_forgot_the_attempt_fails_it),
        cmocka_unit_test(a_fenced_bench_ends_when_another_holds_the_agent),
        cmocka_unit_test(a_lease_that_ran_out_is_taken_anew),
        cmocka_unit_test(an_agent_in_use_is_told_and_nothing_tried),
        cmocka_unit_test(a_wrong_checksum_collects_again),
        cmocka_unit_test(a_spool_that_does_not_decode_is_collected_again),
        cmocka_unit_test(ctrl_c_is_obeyed_in_every_state),
        cmocka_unit_test(ctrl_c_while_measuring_keeps_what_was_measured),
        cmocka_unit_test(ctrl_c_while_the_agent_is_silent_does_not_wait),
        cmocka_unit_test(ctrl_c_in_a_retry_begins_nothing_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
