#include <signal.h>

#include "agent/executor/attempt.h"
#include "common/clock.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/world.h"

#define TARGET     PART_BIT(PART_TARGET)
#define LOAD       PART_BIT(PART_LOAD)
#define BOTH_WATCH (PART_BIT(PART_WATCH_TARGET) | PART_BIT(PART_WATCH_LOAD))

static void is(const struct world *w, enum attempt_state state)
{
    assert_string_equal(state_name(w->a.state), state_name(state));
}

static void ends_as(struct world *w, enum attempt_outcome outcome,
                    const char *text)
{
    world_settle(w);
    is(w, ATTEMPT_SEALED);
    assert_string_equal(outcome_name(w->a.outcome), outcome_name(outcome));
    assert_string_equal(w->a.text, text);
    assert_int_equal(w->seals, 1);
}

/* The usual way ---------------------------------------------------------- */

static void attempt_starts_all_parts_at_once(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_PREPARING);
    assert_int_equal(w.spawned, WORLD_ALL);
    assert_int_equal(w.did.n, 4);
    /* Ready within 30 s of 1000 s. */
    assert_int_equal(w.a.deadline_ns, 1030 * NS_PER_S);
}

static void attempt_is_prepared_when_the_last_part_is_ready(void **state)
{
    struct world w;
    (void)state;
    for (unsigned last = 0; last < PARTS; last++) {
        world_to(&w, ATTEMPT_PREPARING);
        for (unsigned p = 0; p < PARTS; p++)
            if (p != last)
                world_say(&w, (enum part)p, CHILD_READY, NULL);
        is(&w, ATTEMPT_PREPARING);
        world_say(&w, (enum part)last, CHILD_READY, NULL);
        is(&w, ATTEMPT_PREPARED);
        assert_int_equal(w.a.deadline_ns, 0);
    }
}

static void attempt_tells_where_the_target_listens(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_PREPARED);
    assert_string_equal(w.a.url, "http://t:9200");
}

static void attempt_arms_load_alone(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_PREPARED);
    check_ok(world_do(&w, EVENT_ARM), w.why);
    assert_int_equal(w.armed, LOAD);
    is(&w, ATTEMPT_PREPARED);
    world_say(&w, PART_LOAD, CHILD_ARMED, NULL);
    is(&w, ATTEMPT_ARMED);
}

static void attempt_starts_everybody_but_the_target(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_RUNNING);
    assert_int_equal(w.started, LOAD | BOTH_WATCH);
    assert_int_equal(w.last.t_ns, 1001 * NS_PER_S);
    assert_int_equal(w.last.warmup_ns, NS_PER_S);
    assert_int_equal(w.last.measure_ns, 10 * NS_PER_S);
}

static void attempt_shows_the_progress_of_load(void **state)
{
    struct world w;
    struct child_msg msg = {.kind = CHILD_PROGRESS,
                            .docs = 7,
                            .bytes = 8,
                            .errors = 9,
                            .docs_s = 3.5,
                            .text = "bulk\n"};
    (void)state;
    world_to(&w, ATTEMPT_RUNNING);
    check_ok(world_step(&w, (struct attempt_event){.kind = EVENT_MSG,
                                                   .part = PART_LOAD,
                                                   .msg = &msg}),
             w.why);
    assert_int_equal(w.a.docs, 7);
    assert_int_equal(w.a.bytes, 8);
    assert_int_equal(w.a.errors, 9);
    check_near(w.a.docs_s, 3.5, 0);
    assert_string_equal(w.a.task, "bulk ");
}

/* Ready within 30 s, of 1000 s: each word of a load that makes its corpus gives
 * it 30 s more, once it is the only part that lacks. */
static void a_corpus_may_take_as_long_as_it_grows(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_PREPARING);
    world_say(&w, PART_TARGET, CHILD_READY, "http://127.0.0.1:1");
    world_say(&w, PART_WATCH_LOAD, CHILD_READY, NULL);
    world_pass(&w, 10 * NS_PER_S);
    world_say(&w, PART_LOAD, CHILD_PROGRESS, "making corpus, 1 of 9 docs");
    assert_int_equal(w.a.deadline_ns, 1030 * NS_PER_S);
    assert_string_equal(w.a.task, "making corpus, 1 of 9 docs");
    world_say(&w, PART_WATCH_TARGET, CHILD_READY, NULL);
    world_say(&w, PART_LOAD, CHILD_PROGRESS, "making corpus, 2 of 9 docs");
    assert_int_equal(w.a.deadline_ns, 1040 * NS_PER_S);
    world_pass(&w, 29 * NS_PER_S);
    world_say(&w, PART_LOAD, CHILD_PROGRESS, "making corpus, 8 of 9 docs");
    assert_int_equal(w.a.deadline_ns, 1069 * NS_PER_S);
    world_say(&w, PART_LOAD, CHILD_READY, NULL);
    is(&w, ATTEMPT_PREPARED);
    assert_string_equal(w.a.task, "");
}

static void a_corpus_that_grows_no_more_is_given_up(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_PREPARING);
    for (unsigned p = 0; p < PARTS; p++)
        if (p != PART_LOAD)
            world_say(&w, (enum part)p, CHILD_READY, NULL);
    world_pass(&w, 20 * NS_PER_S);
    world_say(&w, PART_LOAD, CHILD_PROGRESS, "making corpus, 1 of 9 docs");
    world_pass(&w, 30 * NS_PER_S);
    ends_as(&w, OUTCOME_FAILED, "waited 30 s for the load's corpus");
}

static void attempt_ends_well_after_done_and_three_phases(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_STOPPING);
    assert_int_equal(w.stopped, 0); /* load is done: it goes by itself */
    world_exit(&w, PART_LOAD, 0, NULL);
    assert_int_equal(w.stopped, BOTH_WATCH);
    world_exit(&w, PART_WATCH_LOAD, 0, NULL);
    assert_int_equal(w.stopped, BOTH_WATCH);
    world_exit(&w, PART_WATCH_TARGET, 0, NULL);
    assert_int_equal(w.stopped, BOTH_WATCH | TARGET);
    assert_int_equal(w.seals, 0);
    world_exit(&w, PART_TARGET, 0, NULL);
    ends_as(&w, OUTCOME_OK, "");
}

static void attempt_takes_an_hour_in_no_time(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_ARMED);
    check_ok(world_start(&w, NS_PER_S, 3600 * NS_PER_S), w.why);
    for (int s = 0; s < 3600; s++)
        world_pass(&w, NS_PER_S);
    is(&w, ATTEMPT_RUNNING);
    world_pass(&w, 2 * NS_PER_S); /* 1 s ahead, 1 s warm-up */
    world_say(&w, PART_LOAD, CHILD_DONE, NULL);
    ends_as(&w, OUTCOME_OK, "");
}

/* Commands: reach at least a state ---------------------------------------- */

static void attempt_takes_every_command_twice(void **state)
{
    struct world w;
    (void)state;
    for (int s = ATTEMPT_PREPARED; s <= ATTEMPT_SEALED; s++) {
        world_to(&w, (enum attempt_state)s);
        check_ok(world_do(&w, EVENT_ARM), w.why);
        check_ok(world_do(&w, EVENT_ARM), w.why);
        assert_int_equal(w.did.n, 0);
    }
    for (int s = ATTEMPT_RUNNING; s <= ATTEMPT_SEALED; s++) {
        world_to(&w, (enum attempt_state)s);
        w.now_ns += 100 * NS_PER_S; /* t0 has long passed: no matter */
        check_ok(world_start(&w, 0, NS_PER_S), w.why);
        assert_int_equal(w.did.n, 0);
        is(&w, (enum attempt_state)s);
    }
    for (int s = ATTEMPT_STOPPING; s <= ATTEMPT_SEALED; s++) {
        world_to(&w, (enum attempt_state)s);
        check_ok(world_do(&w, EVENT_STOP), w.why);
        assert_int_equal(w.did.n, 0);
        is(&w, (enum attempt_state)s);
    }
}

static void attempt_refuses_commands_that_come_too_early(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_PREPARING);
    check_err(world_do(&w, EVENT_ARM), ERR_STATE);
    check_says(w.why, "arm: the attempt is preparing");
    check_err(world_start(&w, NS_PER_S, NS_PER_S), ERR_STATE);
    world_to(&w, ATTEMPT_PREPARED);
    check_err(world_start(&w, NS_PER_S, NS_PER_S), ERR_STATE);
    check_says(w.why, "start: the attempt is prepared");
}

static enum err meet(struct world *w, uint32_t number, uint64_t from_ns)
{
    return world_step(w, (struct attempt_event){.kind = EVENT_MEET,
                                                .meet = number,
                                                .t0_ns = from_ns});
}

static void attempt_lets_load_go_on_from_a_meeting_once(void **state)
{
    struct world w;
    struct child_msg come = {.kind = CHILD_MEET, .meet = 2, .any = 1};
    (void)state;
    world_to(&w, ATTEMPT_ARMED);
    check_err(meet(&w, 2, 0), ERR_STATE);
    check_says(w.why, "meet: the attempt is armed");
    world_to(&w, ATTEMPT_RUNNING);
    check_ok(world_step(&w, (struct attempt_event){.kind = EVENT_MSG,
                                                   .part = PART_LOAD,
                                                   .msg = &come}),
             w.why);
    assert_int_equal(w.a.meet, 2);
    assert_true(w.a.meet_any);
    check_ok(meet(&w, 2, 0), w.why);
    assert_int_equal(w.did.n, 1);
    assert_int_equal(w.last.kind, CHILD_GO);
    assert_int_equal(w.last.meet, 2);
    check_ok(meet(&w, 2, 0), w.why); /* said again: no matter */
    check_ok(meet(&w, 1, 0), w.why);
    assert_int_equal(w.did.n, 0);
    /* 3 is the start of the second step: its t0 must be to come */
    check_err(meet(&w, 3, w.now_ns), ERR_LATE);
    check_says(w.why, "t0 of the next step has passed by 0.000 ms");
    check_err(meet(&w, 3, w.now_ns + 3601 * NS_PER_S), ERR_RANGE);
    check_ok(meet(&w, 3, w.now_ns + 1), w.why);
    assert_int_equal(w.last.t_ns, w.now_ns + 1);
    world_to(&w, ATTEMPT_STOPPING);
    check_ok(meet(&w, 3, 0), w.why);
    assert_int_equal(w.did.n, 0);
}

static void attempt_refuses_a_start_that_has_passed(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_ARMED);
    check_err(world_start(&w, 0, NS_PER_S), ERR_LATE);
    check_says(w.why, "t0 has passed by 0.000 ms");
    is(&w, ATTEMPT_ARMED);
    check_ok(world_start(&w, 1, NS_PER_S), w.why);
    is(&w, ATTEMPT_RUNNING);
}

static void attempt_refuses_a_start_beyond_reason(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_ARMED);
    check_err(world_start(&w, 3601 * NS_PER_S, NS_PER_S), ERR_RANGE);
    check_err(world_start(&w, NS_PER_S, 0), ERR_RANGE);
    check_err(world_start(&w, NS_PER_S, UINT64_MAX), ERR_RANGE);
    is(&w, ATTEMPT_ARMED);
}

static void attempt_stops_from_any_state(void **state)
{
    struct world w;
    (void)state;
    for (int s = ATTEMPT_PREPARING; s <= ATTEMPT_RUNNING; s++) {
        world_to(&w, (enum attempt_state)s);
        check_ok(world_step(&w, (struct attempt_event){.kind = EVENT_STOP,
                                                       .text = "Ctrl-C"}),
                 w.why);
        is(&w, ATTEMPT_STOPPING);
        assert_int_equal(w.stopped, LOAD);
        ends_as(&w, OUTCOME_ABORTED, "stopped: Ctrl-C");
        assert_int_equal(w.stopped, WORLD_ALL);
    }
}

static void attempt_is_killed_from_any_state_without_a_word(void **state)
{
    struct world w;
    (void)state;
    for (int s = ATTEMPT_PREPARING; s <= ATTEMPT_STOPPING; s++) {
        world_to(&w, (enum attempt_state)s);
        unsigned stopped = w.stopped;
        check_ok(world_step(&w, (struct attempt_event){.kind = EVENT_KILL,
                                                       .text = "gone"}),
                 w.why);
        assert_int_equal(w.stopped, stopped);
        assert_int_equal(w.seals, 1);
        attempt_sealed(&w.a, NULL);
        assert_int_equal(w.a.outcome, OUTCOME_ABORTED);
        assert_string_equal(w.a.text, "gone");
    }
    world_to(&w, ATTEMPT_SEALED);
    check_ok(world_do(&w, EVENT_KILL), w.why);
    assert_int_equal(w.seals, 1);
    assert_int_equal(w.a.outcome, OUTCOME_OK);
}

/* A target whose load is elsewhere ------------------------------------------
 */

static void
attempt_without_load_arms_at_once_and_ends_well_by_stop(void **state)
{
    struct world w;
    (void)state;
    world_init(&w, TARGET | PART_BIT(PART_WATCH_TARGET));
    check_ok(world_do(&w, EVENT_BEGIN), w.why);
    world_say(&w, PART_TARGET, CHILD_READY, NULL);
    world_say(&w, PART_WATCH_TARGET, CHILD_READY, NULL);
    check_ok(world_do(&w, EVENT_ARM), w.why);
    is(&w, ATTEMPT_ARMED);
    check_ok(world_start(&w, NS_PER_S, NS_PER_S), w.why);
    assert_int_equal(w.started, PART_BIT(PART_WATCH_TARGET));
    world_pass(&w, 3 * NS_PER_S); /* 1 s ahead, 1 s warm-up, 1 s window */
    is(&w, ATTEMPT_RUNNING);
    check_ok(world_step(
                 &w, (struct attempt_event){.kind = EVENT_STOP, .done = true}),
             w.why);
    ends_as(&w, OUTCOME_OK, "");
}

/* However late: only the controller knows how the load ended. */
static void attempt_without_load_is_aborted_by_a_plain_stop(void **state)
{
    struct world w;
    (void)state;
    world_init(&w, TARGET);
    check_ok(world_do(&w, EVENT_BEGIN), w.why);
    world_say(&w, PART_TARGET, CHILD_READY, NULL);
    check_ok(world_do(&w, EVENT_ARM), w.why);
    check_ok(world_start(&w, NS_PER_S, NS_PER_S), w.why);
    w.now_ns += 4 * NS_PER_S;
    check_ok(world_do(&w, EVENT_STOP), w.why);
    ends_as(&w, OUTCOME_ABORTED, "stopped: by command");
}

/* Sealing --------------------------------------------------------------------
 */

static void attempt_that_cannot_be_sealed_has_failed(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_STOPPING);
    world_exit(&w, PART_LOAD, 0, NULL);
    world_exit(&w, PART_WATCH_LOAD, 0, NULL);
    world_exit(&w, PART_WATCH_TARGET, 0, NULL);
    world_exit(&w, PART_TARGET, 0, NULL);
    assert_int_equal(attempt_verdict(&w.a), OUTCOME_OK);
    attempt_sealed(&w.a, "seal: no space left");
    is(&w, ATTEMPT_SEALED);
    assert_int_equal(w.a.outcome, OUTCOME_FAILED);
    assert_string_equal(w.a.text, "seal: no space left");
}

static void attempt_once_sealed_hears_nothing(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_SEALED);
    for (unsigned p = 0; p < PARTS; p++) {
        world_say(&w, (enum part)p, CHILD_FAILED, "late");
        world_exit(&w, (enum part)p, 1, "late");
    }
    check_ok(world_step(&w, (struct attempt_event){.kind = EVENT_FAULT,
                                                   .text = "late"}),
             w.why);
    world_pass(&w, 3600 * NS_PER_S);
    is(&w, ATTEMPT_SEALED);
    assert_int_equal(w.a.outcome, OUTCOME_OK);
    assert_string_equal(w.a.text, "");
    assert_int_equal(w.seals, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attempt_starts_all_parts_at_once),
        cmocka_unit_test(attempt_is_prepared_when_the_last_part_is_ready),
        cmocka_unit_test(attempt_tells_where_the_target_listens),
        cmocka_unit_test(attempt_arms_load_alone),
        cmocka_unit_test(attempt_starts_everybody_but_the_target),
        cmocka_unit_test(attempt_shows_the_progress_of_load),
        cmocka_unit_test(a_corpus_may_take_as_long_as_it_grows),
        cmocka_unit_test(a_corpus_that_grows_no_more_is_given_up),
        cmocka_unit_test(attempt_ends_well_after_done_and_three_phases),
        cmocka_unit_test(attempt_takes_an_hour_in_no_time),
        cmocka_unit_test(attempt_takes_every_command_twice),
        cmocka_unit_test(attempt_refuses_commands_that_come_too_early),
        cmocka_unit_test(attempt_lets_load_go_on_from_a_meeting_once),
        cmocka_unit_test(attempt_refuses_a_start_that_has_passed),
        cmocka_unit_test(attempt_refuses_a_start_beyond_reason),
        cmocka_unit_test(attempt_stops_from_any_state),
        cmocka_unit_test(attempt_is_killed_from_any_state_without_a_word),
        cmocka_unit_test(
            attempt_without_load_arms_at_once_and_ends_well_by_stop),
        cmocka_unit_test(attempt_without_load_is_aborted_by_a_plain_stop),
        cmocka_unit_test(attempt_that_cannot_be_sealed_has_failed),
        cmocka_unit_test(attempt_once_sealed_hears_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
