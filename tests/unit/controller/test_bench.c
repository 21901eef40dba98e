/* Whole lives of a bench, the world played by fake_agent.c. */
#include <stdio.h>

#include "tests/lib/check.h"
#include "tests/unit/controller/fake_agent.h"

#define ONE_LIFE(n)                                                            \
    "ADD" #n " move:preparing PREPARE move:prepared ARM move:armed START_AT "  \
    "move:running move:sealed COLLECT END:ok ACK"

static struct fake f;

static void one_trial_lives_from_acquire_to_release(void **state)
{
    (void)state;
    fake_begin(&f, 1, 1);
    fake_run(&f);
    assert_string_equal(f.log, "ACQUIRE " ONE_LIFE(1) " RELEASE");
    assert_int_equal(f.ends, 1);
    assert_int_equal(f.ended_spool, 15);
    assert_true(f.acked);
    assert_string_equal(f.bench.error, "");
    fake_end(&f);
}

static void trials_follow_one_another(void **state)
{
    (void)state;
    fake_begin(&f, 2, 2);
    fake_run(&f);
    static const char want[] = "ACQUIRE " ONE_LIFE(1) " " ONE_LIFE(
        2) " " ONE_LIFE(3) " " ONE_LIFE(4) " RELEASE";
    assert_string_equal(f.log, want);
    fake_end(&f);
}

static void start_is_on_the_agents_clock(void **state)
{
    (void)state;
    fake_begin(&f, 1, 1);
    f.clock_ns = -999 * (int64_t)NS_PER_S; /* ours is at 1000 s */
    fake_run(&f);
    uint64_t ours = f.start_at.t0_ns + 999 * NS_PER_S;
    /* 100 ms after it was sent, and by the end 1.2 s of load have passed */
    assert_true(ours > 1000 * NS_PER_S && ours < f.now_ns - NS_PER_S);
    assert_int_equal(f.start_at.warmup_ns, 200000000);
    assert_int_equal(f.start_at.measure_ns, 1000000000);
    fake_end(&f);
}

static unsigned n_asked, n_later, n_given;

/* The first block late, the second at once, then no other. */
static bool give_blocks(struct fake *w, const struct bench_action *a,
                        struct bench_event *ev)
{
    if (a->what != BENCH_ASK)
        return false;
    ev->what = n_asked++ < n_later ? BENCH_LATER : BENCH_STORED;
    if (ev->what == BENCH_STORED && n_given == 2)
        ev->what = BENCH_ENOUGH;
    else if (ev->what == BENCH_STORED)
        queue_park(&w->bench.queue, n_given++, false);
    return true;
}

static void a_bench_that_waits_for_a_block_keeps_its_lease(void **state)
{
    (void)state;
    fake_begin(&f, 1, 2);
    f.bench.config.asks = true;
    queue_park(&f.bench.queue, 0, true);
    queue_park(&f.bench.queue, 1, true);
    f.twist = give_blocks;
    n_asked = n_given = 0;
    n_later = 400; /* 40 s, of a lease that lasts for less */
    uint64_t begun_ns = f.now_ns;
    fake_run(&f);
    assert_true(SEAT_TTL_NS < 40 * NS_PER_S);
    assert_true(f.now_ns - begun_ns > 40 * NS_PER_S);
    assert_string_equal(f.log,
                        "ACQUIRE " ONE_LIFE(1) " " ONE_LIFE(2) " RELEASE");
    assert_int_equal(n_asked, 400 + 3);
    fake_end(&f);
}

/* Every request but polls comes at most this long after the last one. */
static uint64_t last_renew_ns, longest_ns, ttl_ns;

static bool watch_renewals(struct fake *w, const struct bench_action *a,
                           struct bench_event *ev)
{
    (void)ev;
    if (a->what != BENCH_SEND || (a->op != MSG_RENEW && a->op != MSG_ACQUIRE))
        return false;
    if (last_renew_ns && w->now_ns - last_renew_ns > longest_ns)
        longest_ns = w->now_ns - last_renew_ns;
    last_renew_ns = w->now_ns;
    if (a->ttl_ns > ttl_ns)
        ttl_ns = a->ttl_ns;
    return false;
}

static void the_lease_is_renewed_every_two_seconds(void **state)
{
    (void)state;
    fake_begin(&f, 1, 1);
    f.bench.config.times.measure_ns = 30 * NS_PER_S;
    f.slow = 500; /* 10 s of preparing */
    f.twist = watch_renewals;
    last_renew_ns = longest_ns = ttl_ns = 0;
    fake_run(&f);
    assert_true(longest_ns >= 2 * NS_PER_S);
    assert_true(longest_ns < 2 * NS_PER_S + 50 * NS_PER_MS);
    /* over the measured time: 0.2 s + 30 s + 60 s */
    assert_true(ttl_ns == 90200 * NS_PER_MS);
    fake_end(&f);
}

/* The agent's verdict on the first attempts of trial 1. */
static enum attempt_outcome verdict;
static const char *verdict_text;

static bool judge(struct fake *w, const struct bench_action *a,
                  struct bench_event *ev)
{
    (void)ev;
    if (a->what == BENCH_SEND && a->op == MSG_PREPARE && w->bench.trial == 0 &&
        w->count > 0) {
        w->count--;
        w->known = true;
        w->state = ATTEMPT_SEALED;
        w->outcome = verdict;
        w->text = verdict_text;
    }
    return false;
}

static void run_judged(enum attempt_outcome outcome, const char *text,
                       unsigned times)
{
    verdict = outcome;
    verdict_text = text;
    fake_begin(&f, 2, 2);
    f.twist = judge;
    f.count = times;
    fake_run(&f);
}

static void check_trials(const uint32_t *want, unsigned n)
{
    assert_int_equal(f.ends, n);
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(f.ended_trial[i] + 1, want[i]);
}

static void oom_is_a_result_and_never_repeated(void **state)
{
    (void)state;
    static const uint32_t want[] = {1, 2, 3, 4};
    run_judged(OUTCOME_OOM, "the target ran out of its heap", 1);
    check_trials(want, 4);
    assert_int_equal(f.ended[0], OUTCOME_OOM);
    fake_end(&f);
}

static void a_crash_of_the_target_is_never_repeated(void **state)
{
    (void)state;
    static const uint32_t want[] = {1, 2, 3, 4};
    run_judged(OUTCOME_FAILED,
               "target was killed by signal 11 (Segmentation "
               "fault)",
               1);
    check_trials(want, 4);
    assert_int_equal(f.ended[0], OUTCOME_FAILED);
    fake_end(&f);
    run_judged(OUTCOME_FAILED, "target exited with status 1", 1);
    check_trials(want, 4);
    fake_end(&f);
}

static void a_failure_from_outside_is_repeated_at_its_blocks_end(void **state)
{
    (void)state;
    static const uint32_t want[] = {1, 2, 1, 3, 4};
    run_judged(OUTCOME_FAILED, "load exited with status 1", 1);
    check_trials(want, 5);
    assert_int_equal(f.ended[0], OUTCOME_FAILED);
    assert_int_equal(f.ended[2], OUTCOME_OK);
    fake_end(&f);
}

static void retries_come_to_an_end(void **state)
{
    (void)state;
    static const uint32_t want[] = {1, 2, 1, 3, 4}; /* one retry, both fail */
    run_judged(OUTCOME_FAILED, "load exited with status 1", 9);
    check_trials(want, 5);
    assert_int_equal(f.ended[2], OUTCOME_FAILED);
    fake_end(&f);
}

static void aborted_by_nobodys_will_counts_as_failed(void **state)
{
    (void)state;
    static const uint32_t want[] = {1, 2, 1, 3, 4};
    run_judged(OUTCOME_ABORTED, "the executor was started anew", 1);
    check_trials(want, 5);
    assert_int_equal(f.ended[0], OUTCOME_FAILED);
    fake_end(&f);
}

static bool find_invalid(struct fake *w, const struct bench_action *a,
                         struct bench_event *ev)
{
    (void)ev;
    if (a->what == BENCH_FINISH && w->bench.trial == 0 && w->count) {
        w->count--;
        w->invalid = true;
    }
    return false;
}

static void an_invalid_trial_is_repeated_once(void **state)
{
    (void)state;
    static const uint32_t want[] = {1, 2, 1, 3, 4};
    fake_begin(&f, 2, 2);
    f.twist = find_invalid;
    f.count = 1;
    fake_run(&f);
    check_trials(want, 5);
    fake_end(&f);
    fake_begin(&f, 2, 2);
    f.twist = find_invalid;
    f.count = 9;
    fake_run(&f);
    check_trials(want, 5);
    fake_end(&f);
}

static void on_error_abort_ends_after_the_last_retry(void **state)
{
    (void)state;
    static const uint32_t want[] = {1, 2, 1};
    verdict = OUTCOME_FAILED;
    verdict_text = "load exited with status 1";
    fake_begin(&f, 2, 2);
    f.bench.config.abort_on_error = true;
    f.twist = judge;
    f.count = 9;
    fake_run(&f);
    check_trials(want, 3);
    assert_string_equal(f.bench.error, "trial 1 failed, and --on-error=abort: "
                                       "load exited with status 1");
    assert_int_equal(queue_left(&f.bench.queue), 2);
    fake_end(&f);
}

static bool refuse_prepare(struct fake *w, const struct bench_action *a,
                           struct bench_event *ev)
{
    if (a->what != BENCH_SEND || a->op != MSG_PREPARE || w->count++)
        return false;
    return fake_refuse(w, ev, ERR_BUSY, "port 9200 is in use");
}

static void a_refused_prepare_fails_the_attempt_alone(void **state)
{
    (void)state;
    fake_begin(&f, 1, 1);
    f.twist = refuse_prepare;
    fake_run(&f);
    assert_string_equal(f.log, "ACQUIRE ADD1 move:preparing PREPARE "
                               "END:failed:bare " ONE_LIFE(1) " RELEASE");
    fake_end(&f);
}

/* Merges for ten minutes after the window. */
static bool merge(struct fake *w, const struct bench_action *a,
                  struct bench_event *ev)
{
    (void)ev;
    if (a->what == BENCH_SEND && a->op == MSG_STATUS &&
        w->state == ATTEMPT_RUNNING && !w->count++)
        w->sealed_at_ns += 600 * NS_PER_S;
    return false;
}

static void what_comes_after_the_window_is_waited_for(void **state)
{
    (void)state;
    fake_begin(&f, 1, 1);
    f.twist = merge;
    fake_run(&f);
    assert_int_equal(f.ends, 1);
    assert_int_equal(f.ended[0], OUTCOME_OK);
    assert_true(f.now_ns > 1600 * NS_PER_S);
    fake_end(&f);
}

static bool late_once(struct fake *w, const struct bench_action *a,
                      struct bench_event *ev)
{
    static uint64_t first_lead;
    if (a->what != BENCH_SEND || a->op != MSG_START_AT)
        return false;
    uint64_t lead = a->start_at.t0_ns - (w->now_ns + (uint64_t)w->clock_ns);
    if (w->count++) {
        assert_true(lead > first_lead + 50 * NS_PER_MS);
        return false;
    }
    first_lead = lead;
    return fake_refuse(w, ev, ERR_LATE, "t0 has passed");
}

static void a_late_start_is_tried_again_with_more_lead(void **state)
{
    (void)state;
    fake_begin(&f, 1, 1);
    f.twist = late_once;
    fake_run(&f);
    assert_string_equal(
        f.log, "ACQUIRE ADD1 move:preparing PREPARE move:prepared ARM "
               "move:armed START_AT START_AT move:running move:sealed COLLECT "
               "END:ok ACK RELEASE");
    fake_end(&f);
}

static bool always_late(struct fake *w, const struct bench_action *a,
                        struct bench_event *ev)
{
    return a->what == BENCH_SEND && a->op == MSG_START_AT &&
           fake_refuse(w, ev, ERR_LATE, "t0 has passed");
}

static void a_start_that_is_always_late_fails(void **state)
{
    (void)state;
    fake_begin(&f, 1, 1);
    f.bench.queue.retries = 0;
    f.twist = always_late;
    fake_run(&f);
    assert_int_equal(f.ends, 1);
    assert_int_equal(f.ended[0], OUTCOME_FAILED);
    assert_string_equal(f.ended_text, "start: t0 has passed");
    assert_int_equal(f.ended_spool, 15); /* it was stopped and collected */
    fake_end(&f);
}

/* The agent's state stays where it is. */
static bool never_ready(struct fake *w, const struct bench_action *a,
                        struct bench_event *ev)
{
    (void)ev;
    if (a->what == BENCH_SEND && a->op == MSG_STATUS &&
        w->state == ATTEMPT_PREPARING)
        w->slow = 2;
    return false;
}

static void a_target_that_is_never_ready_is_stopped(void **state)
{
    (void)state;
    fake_begin(&f, 1, 1);
    f.bench.queue.retries = 0;
    f.twist = never_ready;
    uint64_t begin = f.now_ns;
    fake_run(&f);
    assert_string_equal(f.log,
                        "ACQUIRE ADD1 move:preparing PREPARE move:stopping "
                        "STOP move:sealed COLLECT END:failed ACK RELEASE");
    assert_string_equal(f.ended_text, "the target was not ready in time");
    /* 30 s that the agent may take and 10 s of grace */
    assert_true(f.now_ns - begin > 40 * NS_PER_S);
    assert_true(f.now_ns - begin < 42 * NS_PER_S);
    fake_end(&f);
}

/* Likewise; for a minute its load tells how far its corpus is. */
static bool making(struct fake *w, const struct bench_action *a,
                   struct bench_event *ev)
{
    static uint64_t begin_ns;
    static struct msg_status_reply reply;
    if (a->what != BENCH_SEND || a->op != MSG_STATUS ||
        w->state != ATTEMPT_PREPARING)
        return false;
    begin_ns = begin_ns ? begin_ns : w->now_ns;
    uint64_t s = (w->now_ns - begin_ns) / NS_PER_S;
    if (s > 60)
        return never_ready(w, a, ev);
    reply = (struct msg_status_reply){.mono_ns = w->now_ns};
    (void)snprintf(reply.state, sizeof reply.state, "preparing");
    (void)snprintf(reply.task, sizeof reply.task, "making corpus, %u of 99",
                   (unsigned)s);
    ev->what = BENCH_ANSWERED;
    ev->status = &reply;
    return true;
}

static void a_corpus_that_grows_is_waited_for(void **state)
{
    (void)state;
    fake_begin(&f, 1, 1);
    f.bench.queue.retries = 0;
    f.twist = making;
    uint64_t begin = f.now_ns;
    fake_run(&f);
    assert_string_equal(f.ended_text, "the target was not ready in time");
    /* 60 s of growing, and what the agent may take after it, as above */
    assert_true(f.now_ns - begin > 100 * NS_PER_S);
    assert_true(f.now_ns - begin < 103 * NS_PER_S);
    fake_end(&f);
}

/* We are suspended for a minute while the load runs. */
static bool sleep_long(struct fake *w, const struct bench_action *a,
                       struct bench_event *ev)
{
    (void)ev;
    if (a->what == BENCH_MOVE && a->state == ATTEMPT_RUNNING)
        w->now_ns += 60 * NS_PER_S;
    return false;
}

static void a_trial_that_ended_while_we_slept_is_kept(void **state)
{
    (void)state;
    fake_begin(&f, 1, 1);
    f.twist = sleep_long;
    fake_run(&f);
    assert_string_equal(f.log, "ACQUIRE " ONE_LIFE(1) " RELEASE");
    fake_end(&f);
}

static bool never_stops(struct fake *w, const struct bench_action *a,
                        struct bench_event *ev)
{
    (void)ev;
    if (a->what == BENCH_SEND && a->op == MSG_STATUS)
        w->slow = 2;
    return false;
}

static void an_agent_that_never_stops_is_given_up(void **state)
{
    (void)state;
    fake_begin(&f, 1, 1);
    f.bench.queue.retries = 0;
    f.twist = never_stops;
    fake_run(&f);
    assert_string_equal(f.log, "ACQUIRE ADD1 move:preparing PREPARE "
                               "move:stopping STOP END:failed:bare RELEASE");
    fake_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bench_that_waits_for_a_block_keeps_its_lease),
        cmocka_unit_test(one_trial_lives_from_acquire_to_release),
        cmocka_unit_test(trials_follow_one_another),
        cmocka_unit_test(start_is_on_the_agents_clock),
        cmocka_unit_test(the_lease_is_renewed_every_two_seconds),
        cmocka_unit_test(oom_is_a_result_and_never_repeated),
        cmocka_unit_test(a_crash_of_the_target_is_never_repeated),
        cmocka_unit_test(a_failure_from_outside_is_repeated_at_its_blocks_end),
        cmocka_unit_test(retries_come_to_an_end),
        cmocka_unit_test(aborted_by_nobodys_will_counts_as_failed),
        cmocka_unit_test(an_invalid_trial_is_repeated_once),
        cmocka_unit_test(on_error_abort_ends_after_the_last_retry),
        cmocka_unit_test(a_refused_prepare_fails_the_attempt_alone),
        cmocka_unit_test(what_comes_after_the_window_is_waited_for),
        cmocka_unit_test(a_late_start_is_tried_again_with_more_lead),
        cmocka_unit_test(a_start_that_is_always_late_fails),
        cmocka_unit_test(a_target_that_is_never_ready_is_stopped),
        cmocka_unit_test(a_corpus_that_grows_is_waited_for),
        cmocka_unit_test(a_trial_that_ended_while_we_slept_is_kept),
        cmocka_unit_test(an_agent_that_never_stops_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
