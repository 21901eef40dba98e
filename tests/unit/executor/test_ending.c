#include <signal.h>
#include <stdio.h>

#include "agent/executor/ending.h"
#include "common/clock.h"
#include "common/rand.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/world.h"

#define TARGET     PART_BIT(PART_TARGET)
#define LOAD       PART_BIT(PART_LOAD)
#define BOTH_WATCH (PART_BIT(PART_WATCH_TARGET) | PART_BIT(PART_WATCH_LOAD))

static void ends_as(struct world *w, enum attempt_outcome outcome,
                    const char *text)
{
    world_settle(w);
    assert_string_equal(state_name(w->a.state), "sealed");
    assert_string_equal(outcome_name(w->a.outcome), outcome_name(outcome));
    assert_string_equal(w->a.text, text);
}

/* Parts that end by themselves -------------------------------------------- */

static void ending_of_any_part_in_any_state_fails_the_attempt(void **state)
{
    struct world w;
    (void)state;
    for (int s = ATTEMPT_PREPARING; s <= ATTEMPT_RUNNING; s++)
        for (unsigned p = 0; p < PARTS; p++) {
            char want[100];
            world_to(&w, (enum attempt_state)s);
            world_exit(&w, (enum part)p, 1, "no luck");
            (void)snprintf(want, sizeof want,
                           "%s exited with status 1: no luck",
                           part_name((enum part)p));
            ends_as(&w, OUTCOME_FAILED, want);
        }
}

static void
ending_without_being_told_is_a_failure_even_with_status_0(void **state)
{
    struct world w;
    (void)state;
    for (unsigned p = 0; p < PARTS; p++) {
        char want[100];
        world_to(&w, ATTEMPT_RUNNING);
        world_exit(&w, (enum part)p, 0, NULL);
        (void)snprintf(want, sizeof want, "%s exited with status 0",
                       part_name((enum part)p));
        ends_as(&w, OUTCOME_FAILED, want);
    }
}

static void ending_by_a_signal_names_it(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_RUNNING);
    world_signal(&w, PART_TARGET, SIGSEGV);
    ends_as(&w, OUTCOME_FAILED,
            "target was killed by signal 11 (Segmentation fault)");
}

static void ending_of_the_target_with_12_is_out_of_memory(void **state)
{
    struct world w;
    (void)state;
    for (int s = ATTEMPT_PREPARING; s <= ATTEMPT_STOPPING; s++) {
        world_to(&w, (enum attempt_state)s);
        world_exit(&w, PART_TARGET, CHILD_EXIT_OOM, NULL);
        ends_as(&w, OUTCOME_OOM, "the target ran out of its heap");
    }
    world_to(&w, ATTEMPT_RUNNING);
    world_exit(&w, PART_LOAD, CHILD_EXIT_OOM, NULL);
    ends_as(&w, OUTCOME_FAILED, "load exited with status 12");
}

static void ending_after_done_with_a_bad_status_is_a_failure(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_STOPPING);
    world_exit(&w, PART_LOAD, 3, "lost a record");
    ends_as(&w, OUTCOME_FAILED, "load exited with status 3: lost a record");
}

static void ending_before_the_start_is_a_failure_even_with_done(void **state)
{
    struct world w;
    (void)state;
    for (int s = ATTEMPT_PREPARING; s <= ATTEMPT_ARMED; s++) {
        world_to(&w, (enum attempt_state)s);
        world_say(&w, PART_LOAD, CHILD_DONE, NULL);
        ends_as(&w, OUTCOME_FAILED, "load ended by itself");
    }
    world_to(&w, ATTEMPT_RUNNING);
    world_say(&w, PART_WATCH_LOAD, CHILD_DONE, NULL);
    ends_as(&w, OUTCOME_FAILED, "watch of the load ended by itself");
}

/* What a part says of itself ------------------------------------------------
 */

static void ending_joins_what_a_part_said_with_how_it_exited(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_PREPARING);
    world_say(&w, PART_TARGET, CHILD_FAILED,
              "listen 10.77.0.1:9200: address in use");
    assert_string_equal(w.a.text,
                        "target: listen 10.77.0.1:9200: address in use");
    world_exit(&w, PART_TARGET, 1, "something on stderr");
    ends_as(&w, OUTCOME_FAILED,
            "target exited with status 1: listen 10.77.0.1:9200: address in "
            "use");
}

static void ending_makes_one_line_of_what_a_part_said(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_RUNNING);
    world_say(&w, PART_LOAD, CHILD_FAILED, "two\nlines\x01 \xff");
    ends_as(&w, OUTCOME_FAILED, "load: two lines? ?");
}

static void ending_believes_a_target_that_says_it_is_out_of_memory(void **state)
{
    struct world w;
    struct child_msg msg = {
        .kind = CHILD_FAILED, .err = ERR_OOM, .text = "heap of 256m is full"};
    (void)state;
    world_to(&w, ATTEMPT_RUNNING);
    check_ok(world_step(&w, (struct attempt_event){.kind = EVENT_MSG,
                                                   .part = PART_TARGET,
                                                   .msg = &msg}),
             w.why);
    ends_as(&w, OUTCOME_OOM, "target: heap of 256m is full");
}

/* Which cause counts ----------------------------------------------------------
 */

static void ending_explains_a_lost_connection_by_the_target(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_RUNNING);
    world_say(&w, PART_LOAD, CHILD_FAILED, "connection reset");
    world_exit(&w, PART_LOAD, 1, NULL);
    assert_string_equal(w.a.text,
                        "load exited with status 1: connection reset");
    world_signal(&w, PART_TARGET, SIGABRT);
    ends_as(&w, OUTCOME_FAILED, "target was killed by signal 6 (Aborted)");

    world_to(&w, ATTEMPT_RUNNING);
    world_say(&w, PART_LOAD, CHILD_FAILED, "connection reset");
    world_exit(&w, PART_TARGET, CHILD_EXIT_OOM, NULL);
    ends_as(&w, OUTCOME_OOM, "the target ran out of its heap");
}

static void ending_keeps_the_first_of_equal_causes(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_RUNNING);
    world_exit(&w, PART_WATCH_TARGET, 1, "first");
    world_exit(&w, PART_LOAD, 1, "second");
    ends_as(&w, OUTCOME_FAILED,
            "watch of the target exited with status 1: first");
}

static void ending_keeps_a_failure_when_a_stop_follows(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_RUNNING);
    world_exit(&w, PART_LOAD, 1, NULL);
    check_ok(world_do(&w, EVENT_KILL), w.why);
    ends_as(&w, OUTCOME_FAILED, "load exited with status 1");
}

static void ending_keeps_an_abort_when_a_failure_follows(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_RUNNING);
    check_ok(world_do(&w, EVENT_STOP), w.why);
    world_exit(&w, PART_TARGET, CHILD_EXIT_OOM, NULL);
    ends_as(&w, OUTCOME_ABORTED, "stopped: by command");
}

static void ending_by_a_fault_of_the_executor_says_so(void **state)
{
    struct world w;
    (void)state;
    for (int s = ATTEMPT_PREPARING; s <= ATTEMPT_STOPPING; s++) {
        world_to(&w, (enum attempt_state)s);
        check_ok(world_step(&w,
                            (struct attempt_event){
                                .kind = EVENT_FAULT,
                                .text = "spool: No space left on device"}),
                 w.why);
        ends_as(&w, OUTCOME_FAILED, "spool: No space left on device");
    }
}

static void ending_before_anything_was_begun_seals_at_once(void **state)
{
    struct world w;
    (void)state;
    world_init(&w, WORLD_ALL);
    check_ok(world_step(&w, (struct attempt_event){.kind = EVENT_FAULT,
                                                   .text = "no cage"}),
             w.why);
    assert_int_equal(w.seals, 1);
    ends_as(&w, OUTCOME_FAILED, "no cage");
}

/* Deadlines ------------------------------------------------------------------
 */

static void ending_names_what_was_not_ready_in_time(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_PREPARING);
    world_say(&w, PART_TARGET, CHILD_READY, NULL);
    world_say(&w, PART_WATCH_LOAD, CHILD_READY, NULL);
    world_pass(&w, 30 * NS_PER_S - 1);
    assert_int_equal(w.a.state, ATTEMPT_PREPARING);
    world_pass(&w, 1);
    ends_as(&w, OUTCOME_FAILED,
            "waited 30 s for the target to answer its watch, the load's "
            "corpus");
}

static void ending_names_a_load_that_does_not_arm(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_PREPARED);
    world_pass(&w, 3600 * NS_PER_S); /* nobody asked: that is no delay */
    assert_int_equal(w.a.state, ATTEMPT_PREPARED);
    check_ok(world_do(&w, EVENT_ARM), w.why);
    world_pass(&w, 30 * NS_PER_S);
    ends_as(&w, OUTCOME_FAILED, "waited 30 s for the load's connections");
}

static void ending_names_a_load_that_does_not_finish(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_RUNNING);
    /* 1 s ahead, 1 s warm-up, 10 s window, 2 s drain, 5 s grace. */
    world_pass(&w, 19 * NS_PER_S - 1);
    assert_int_equal(w.a.state, ATTEMPT_RUNNING);
    world_pass(&w, 1);
    ends_as(&w, OUTCOME_FAILED,
            "load did not finish within 7 s after the window or its last word");
}

static void ending_waits_for_the_steps_after_the_window(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_RUNNING);
    world_pass(&w, 17 * NS_PER_S);
    for (int i = 0; i < 600; i++) { /* ten minutes of merging */
        world_say(&w, PART_LOAD, CHILD_PROGRESS, "force-merge");
        world_pass(&w, 1 * NS_PER_S);
    }
    assert_int_equal(w.a.state, ATTEMPT_RUNNING);
    world_pass(&w, 6 * NS_PER_S - 1); /* 7 s after its last word */
    assert_int_equal(w.a.state, ATTEMPT_RUNNING);
    world_pass(&w, 1);
    ends_as(&w, OUTCOME_FAILED,
            "load did not finish within 7 s after the window or its last word");
}

static void ending_kills_what_ignores_its_stop(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_STOPPING);
    world_exit(&w, PART_LOAD, 0, NULL);
    world_exit(&w, PART_WATCH_LOAD, 0, NULL);
    world_pass(&w, 5 * NS_PER_S);
    assert_int_equal(w.killed, PART_BIT(PART_WATCH_TARGET));
    assert_int_equal(w.stopped, BOTH_WATCH); /* the target's turn is later */
    world_signal(&w, PART_WATCH_TARGET, SIGKILL);
    assert_int_equal(w.stopped, BOTH_WATCH | TARGET);
    world_pass(&w, 10 * NS_PER_S);
    assert_int_equal(w.killed, PART_BIT(PART_WATCH_TARGET) | TARGET);
    world_signal(&w, PART_TARGET, SIGKILL);
    ends_as(&w, OUTCOME_FAILED, "target did not stop within 10 s");
}

static void ending_gives_load_its_drain_and_no_more(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_RUNNING);
    check_ok(world_do(&w, EVENT_STOP), w.why);
    world_pass(&w, 3 * NS_PER_S - 1); /* 2 s drain and 1 s */
    assert_int_equal(w.killed, 0);
    world_pass(&w, 1);
    assert_int_equal(w.killed, LOAD);
    ends_as(&w, OUTCOME_ABORTED, "stopped: by command");
}

static void ending_is_quick_when_load_was_never_started(void **state)
{
    struct world w;
    (void)state;
    world_to(&w, ATTEMPT_ARMED);
    check_ok(world_do(&w, EVENT_STOP), w.why);
    /* Nobody listens: load, watches, target get 1 + 1 + 2 s, and each of the
     * three phases 2 s after its SIGKILL, which nothing survives but an
     * uninterruptible wait. */
    for (int s = 0; s < 10; s++)
        world_pass(&w, NS_PER_S);
    assert_int_equal(w.killed, WORLD_ALL);
    assert_int_equal(w.seals, 1);
}

static void ending_cuts_a_drain_beyond_five_seconds(void **state)
{
    struct attempt a;
    (void)state;
    attempt_init(&a, WORLD_ALL, 1, UINT64_MAX);
    assert_int_equal(a.drain_ns, 5 * NS_PER_S);
}

/* Whatever happens ------------------------------------------------------------
 */

static struct attempt_event any_event(struct rand *r, struct child_msg *msg)
{
    static const int codes[] = {0, 1 << 8, CHILD_EXIT_OOM << 8, SIGKILL};
    *msg = (struct child_msg){.kind = (uint32_t)(1 + rand_bounded(r, 7)),
                              .err = ERR_IO};
    return (struct attempt_event){
        .kind = (enum event_kind)(EVENT_MSG + rand_bounded(r, 8)),
        .part = (enum part)rand_bounded(r, PARTS),
        .status = codes[rand_bounded(r, 4)],
        .t0_ns = UINT64_MAX, /* refused unless it is made good below */
        .measure_ns = NS_PER_S,
        .msg = msg,
        .text = "x"};
}

/* A dead part says nothing more, and no event is invented after the seal. */
static void ending_comes_in_bounded_time_whatever_happens(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        struct rand r = {seed};
        struct world w;
        struct child_msg msg;
        world_init(&w, 1 + (unsigned)rand_bounded(&r, WORLD_ALL));
        check_ok(world_do(&w, EVENT_BEGIN), w.why);
        for (int i = 0; i < 40 && !w.seals; i++) {
            struct attempt_event ev = any_event(&r, &msg);
            ev.t0_ns = w.now_ns + rand_bounded(&r, 2) * NS_PER_S;
            bool of_part = ev.kind == EVENT_MSG || ev.kind == EVENT_EXIT;
            if (of_part && !w.a.part[ev.part].alive)
                continue;
            (void)!world_step(&w, ev);
            w.now_ns += rand_bounded(&r, 2) * NS_PER_S;
        }
        (void)!world_do(&w, EVENT_STOP);
        /* At worst 6 + 2, 5 + 2 and 10 + 2 seconds. */
        for (int s = 0; s < 28 && !w.seals; s++)
            world_pass(&w, NS_PER_S);
        if (w.seals != 1)
            fail_msg("seed %llu: %u seals", (unsigned long long)seed, w.seals);
        bool ok = attempt_verdict(&w.a) == OUTCOME_OK;
        bool done = !(w.a.parts & LOAD) || w.a.part[PART_LOAD].done;
        if (ok && (!done || !w.a.began || w.killed || w.a.text[0]))
            fail_msg("seed %llu: ok without cause", (unsigned long long)seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ending_of_any_part_in_any_state_fails_the_attempt),
        cmocka_unit_test(
            ending_without_being_told_is_a_failure_even_with_status_0),
        cmocka_unit_test(ending_by_a_signal_names_it),
        cmocka_unit_test(ending_of_the_target_with_12_is_out_of_memory),
        cmocka_unit_test(ending_after_done_with_a_bad_status_is_a_failure),
        cmocka_unit_test(ending_before_the_start_is_a_failure_even_with_done),
        cmocka_unit_test(ending_joins_what_a_part_said_with_how_it_exited),
        cmocka_unit_test(ending_makes_one_line_of_what_a_part_said),
        cmocka_unit_test(
            ending_believes_a_target_that_says_it_is_out_of_memory),
        cmocka_unit_test(ending_explains_a_lost_connection_by_the_target),
        cmocka_unit_test(ending_keeps_the_first_of_equal_causes),
        cmocka_unit_test(ending_keeps_a_failure_when_a_stop_follows),
        cmocka_unit_test(ending_keeps_an_abort_when_a_failure_follows),
        cmocka_unit_test(ending_by_a_fault_of_the_executor_says_so),
        cmocka_unit_test(ending_before_anything_was_begun_seals_at_once),
        cmocka_unit_test(ending_names_what_was_not_ready_in_time),
        cmocka_unit_test(ending_names_a_load_that_does_not_arm),
        cmocka_unit_test(ending_names_a_load_that_does_not_finish),
        cmocka_unit_test(ending_waits_for_the_steps_after_the_window),
        cmocka_unit_test(ending_kills_what_ignores_its_stop),
        cmocka_unit_test(ending_gives_load_its_drain_and_no_more),
        cmocka_unit_test(ending_is_quick_when_load_was_never_started),
        cmocka_unit_test(ending_cuts_a_drain_beyond_five_seconds),
        cmocka_unit_test(ending_comes_in_bounded_time_whatever_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
