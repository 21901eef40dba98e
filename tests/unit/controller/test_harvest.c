/* What a new sitting does with what the last one left with its agent. */
#include <stdio.h>
#include <string.h>

#include "tests/lib/check.h"
#include "tests/unit/controller/fake_agent.h"

static struct fake f;
static struct bench_left left;

/* One block of two trials; the first one's attempt `att` was left at, and the
 * agent has it at, these states. */
static void begin(enum attempt_state stored, enum attempt_state at_agent)
{
    fake_begin(&f, 2, 1);
    left = (struct bench_left){
        .trial = 0, .att = 1, .state = stored, .spool_bytes = 15};
    f.bench.config.left = &left;
    f.bench.config.n_left = 1;
    f.known = true;
    f.state = at_agent;
}

static void log_begins(const char *words)
{
    char got[FAKE_LOG_MAX];
    (void)snprintf(got, strlen(words) + 1, "%s", f.log);
    assert_string_equal(got, words);
}

#define SECOND                                                                 \
    " ADD2 move:preparing PREPARE move:prepared ARM move:armed START_AT "      \
    "move:running move:sealed COLLECT END:ok ACK RELEASE"

static void a_sealed_attempt_is_collected_not_repeated(void **state)
{
    (void)state;
    begin(ATTEMPT_RUNNING, ATTEMPT_SEALED);
    fake_run(&f);
    assert_string_equal(f.log,
                        "ACQUIRE LEFT1 move:sealed COLLECT END:ok ACK" SECOND);
    assert_int_equal(f.ends, 2);
    assert_int_equal(f.ended_trial[0], 0);
    assert_int_equal(f.ended_trial[1], 1);
    fake_end(&f);
}

static void a_running_attempt_goes_on_to_its_end(void **state)
{
    (void)state;
    begin(ATTEMPT_ARMED, ATTEMPT_RUNNING);
    f.sealed_at_ns = f.now_ns + NS_PER_S;
    fake_run(&f);
    assert_string_equal(f.log, "ACQUIRE LEFT1 move:running move:sealed COLLECT "
                               "END:ok ACK" SECOND);
    fake_end(&f);
}

static void what_had_not_begun_is_stopped_and_tried_again(void **state)
{
    (void)state;
    static const enum attempt_state states[] = {
        ATTEMPT_PREPARING, ATTEMPT_PREPARED, ATTEMPT_ARMED};
    for (size_t i = 0; i < 3; i++) {
        begin(ATTEMPT_PREPARING, states[i]);
        f.slow = 2;
        fake_run(&f);
        log_begins("ACQUIRE LEFT1 move:stopping STOP move:sealed COLLECT "
                   "END:aborted ACK ADD1 ");
        assert_int_equal(f.ends, 3);
        assert_int_equal(f.ended[0], OUTCOME_ABORTED);
        assert_int_equal(f.ended[1], OUTCOME_OK);
        assert_int_equal(f.ended_trial[1], 0);
        fake_end(&f);
    }
}

static void what_the_agent_does_not_know_is_tried_again(void **state)
{
    (void)state;
    begin(ATTEMPT_PREPARING, ATTEMPT_PLANNED);
    f.known = false;
    f.interrupt_after = "END:aborted:bare";
    fake_run(&f);
    assert_string_equal(f.log, "ACQUIRE LEFT1 END:aborted:bare RELEASE");
    assert_string_equal(f.ended_text, "the agent knows nothing of it");
    assert_int_equal(queue_left(&f.bench.queue), 2);
    fake_end(&f);
}

static void what_is_stored_is_acknowledged_and_nothing_else(void **state)
{
    (void)state;
    begin(ATTEMPT_STORED, ATTEMPT_SEALED);
    f.interrupt_after = "ACK";
    bench_recall(&f.bench, 0, OUTCOME_OK, false, false);
    fake_run(&f);
    assert_string_equal(f.log, "ACQUIRE LEFT1 ACK RELEASE");
    assert_true(f.acked);
    assert_int_equal(f.ends, 0);
    fake_end(&f);
}

/* The agent has other bytes than those that were stored: it keeps them. */
static void other_bytes_are_not_acknowledged(void **state)
{
    (void)state;
    begin(ATTEMPT_STORED, ATTEMPT_SEALED);
    left.spool_bytes = 14;
    fake_run(&f);
    log_begins("ACQUIRE LEFT1 ADD1 ");
    fake_end(&f);
}

static void a_tombstone_without_results_is_told(void **state)
{
    (void)state;
    begin(ATTEMPT_SEALED, ATTEMPT_STORED);
    f.interrupt_after = "END:aborted:bare";
    fake_run(&f);
    assert_string_equal(f.log, "ACQUIRE LEFT1 END:aborted:bare RELEASE");
    assert_string_equal(f.ended_text,
                        "the agent was told that the results are stored; they "
                        "are not in this file");
    fake_end(&f);
}

static void earlier_attempts_count_as_if_made_now(void **state)
{
    (void)state;
    fake_begin(&f, 4, 1);
    bench_recall(&f.bench, 0, OUTCOME_OK, false, false);
    bench_recall(&f.bench, 1, OUTCOME_FAILED, false, false);
    bench_recall(&f.bench, 1, OUTCOME_FAILED, false, false);
    bench_recall(&f.bench, 2, OUTCOME_FAILED, false, true);
    bench_recall(&f.bench, 3, OUTCOME_ABORTED, false, false);
    assert_int_equal(queue_left(&f.bench.queue), 1);
    fake_run(&f);
    assert_int_equal(f.ends, 1);
    assert_int_equal(f.ended_trial[0], 3);
    fake_end(&f);
}

static void enough_ends_after_the_trial_under_way(void **state)
{
    (void)state;
    fake_begin(&f, 2, 2);
    f.enough_at_ns = f.now_ns + 600 * NS_PER_MS;
    fake_run(&f);
    assert_int_equal(f.ends, 1);
    assert_int_equal(f.ended[0], OUTCOME_OK);
    assert_int_equal(queue_left(&f.bench.queue), 3);
    fake_end(&f);
}

static void enough_may_be_said_in_place_of_a_trial(void **state)
{
    (void)state;
    fake_begin(&f, 2, 2);
    f.enough_at_trial = 2; /* the second block's first */
    fake_run(&f);
    assert_int_equal(f.ends, 2);
    assert_int_equal(f.ended[1], OUTCOME_OK);
    assert_true(f.bench.enough);
    assert_int_equal(f.bench.phase, BENCH_OVER);
    fake_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sealed_attempt_is_collected_not_repeated),
        cmocka_unit_test(a_running_attempt_goes_on_to_its_end),
        cmocka_unit_test(what_had_not_begun_is_stopped_and_tried_again),
        cmocka_unit_test(what_the_agent_does_not_know_is_tried_again),
        cmocka_unit_test(what_is_stored_is_acknowledged_and_nothing_else),
        cmocka_unit_test(other_bytes_are_not_acknowledged),
        cmocka_unit_test(a_tombstone_without_results_is_told),
        cmocka_unit_test(earlier_attempts_count_as_if_made_now),
        cmocka_unit_test(enough_ends_after_the_trial_under_way),
        cmocka_unit_test(enough_may_be_said_in_place_of_a_trial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
