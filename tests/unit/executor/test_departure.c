#include <signal.h>

#include "agent/executor/attempt.h"
#include "common/clock.h"
#include "tests/lib/check.h"
#include "tests/unit/executor/world.h"

#define TARGET PART_BIT(PART_TARGET)

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
}

/* A world whose target does not speak the contract, all else as usual. */
static void silent_to(struct world *w, bool running)
{
    world_init(w, WORLD_ALL);
    w->a.silent = true;
    w->a.oom_exit = 3;
    w->a.stop_ns = 4 * NS_PER_S;
    check_ok(world_do(w, EVENT_BEGIN), w->why);
    world_say(w, PART_LOAD, CHILD_READY, NULL);
    world_say(w, PART_WATCH_LOAD, CHILD_READY, NULL);
    is(w, ATTEMPT_PREPARING);
    if (!running)
        return;
    world_say(w, PART_WATCH_TARGET, CHILD_READY, "http://t:9200");
    is(w, ATTEMPT_PREPARED);
    check_ok(world_do(w, EVENT_ARM), w->why);
    world_say(w, PART_LOAD, CHILD_ARMED, NULL);
    check_ok(world_start(w, NS_PER_S, 10 * NS_PER_S), w->why);
}

static void silent_target_is_ready_when_its_watch_says_so(void **state)
{
    struct world w;
    (void)state;
    silent_to(&w, true);
    is(&w, ATTEMPT_RUNNING);
    assert_string_equal(w.a.url, "http://t:9200");
    world_say(&w, PART_LOAD, CHILD_DONE, NULL);
    ends_as(&w, OUTCOME_OK, "");
}

static void silent_target_may_end_by_its_signal_with_any_status(void **state)
{
    struct world w;
    (void)state;
    for (int status = 0; status < 3; status++) {
        silent_to(&w, true);
        world_say(&w, PART_LOAD, CHILD_DONE, NULL);
        world_exit(&w, PART_LOAD, 0, NULL);
        world_exit(&w, PART_WATCH_TARGET, 0, NULL);
        world_exit(&w, PART_WATCH_LOAD, 0, NULL);
        if (status == 0)
            world_signal(&w, PART_TARGET, SIGTERM);
        else
            world_exit(&w, PART_TARGET, status == 1 ? 0 : 143, NULL);
        ends_as(&w, OUTCOME_OK, "");
    }
}

static void silent_target_that_never_answers_is_told_by_its_watch(void **state)
{
    struct world w;
    (void)state;
    silent_to(&w, false);
    world_say(&w, PART_WATCH_TARGET, CHILD_PROGRESS, "http://t:9200/: refused");
    assert_string_equal(w.a.task, "waiting for the target, 0 s");
    world_pass(&w, 2 * NS_PER_S);
    world_say(&w, PART_WATCH_TARGET, CHILD_PROGRESS, "http://t:9200/: refused");
    assert_string_equal(w.a.task, "waiting for the target, 2 s");
    world_pass(&w, 28 * NS_PER_S);
    ends_as(&w, OUTCOME_FAILED,
            "waited 30 s for the target to answer its watch: http://t:9200/: "
            "refused");
}

static void silent_target_that_ends_in_the_window_failed(void **state)
{
    struct world w;
    (void)state;
    silent_to(&w, true);
    world_exit(&w, PART_TARGET, 12, "boom"); /* ours alone means memory by it */
    ends_as(&w, OUTCOME_FAILED, "target exited with status 12: boom");
    silent_to(&w, true);
    world_exit(&w, PART_TARGET, 3, NULL);
    ends_as(&w, OUTCOME_OOM, "the target ran out of its heap");
}

static void silent_target_that_forks_away_is_told_so(void **state)
{
    struct world w;
    (void)state;
    silent_to(&w, false);
    (void)!world_step(&w, (struct attempt_event){.kind = EVENT_EXIT,
                                                 .part = PART_TARGET,
                                                 .now_ns = w.now_ns,
                                                 .stayed = "httpd"});
    ends_as(&w, OUTCOME_FAILED,
            "target exited with status 0 and left httpd running: a target "
            "stays in the foreground");
    silent_to(&w, false);
    world_exit(&w, PART_TARGET, 0, NULL);
    ends_as(&w, OUTCOME_FAILED,
            "target exited with status 0 by itself: a target stays in the "
            "foreground until it gets its signal");
}

static void silent_target_that_does_not_stop_is_killed_with_a_note(void **state)
{
    struct world w;
    (void)state;
    silent_to(&w, true);
    world_say(&w, PART_LOAD, CHILD_DONE, NULL);
    world_exit(&w, PART_LOAD, 0, NULL);
    world_exit(&w, PART_WATCH_TARGET, 0, NULL);
    world_exit(&w, PART_WATCH_LOAD, 0, NULL);
    assert_int_equal(w.killed, 0);
    world_pass(&w, 4 * NS_PER_S);
    assert_int_equal(w.killed, TARGET);
    ends_as(&w, OUTCOME_OK,
            "target did not stop within 4 s of its signal and was killed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silent_target_is_ready_when_its_watch_says_so),
        cmocka_unit_test(silent_target_may_end_by_its_signal_with_any_status),
        cmocka_unit_test(silent_target_that_never_answers_is_told_by_its_watch),
        cmocka_unit_test(silent_target_that_ends_in_the_window_failed),
        cmocka_unit_test(silent_target_that_forks_away_is_told_so),
        cmocka_unit_test(
            silent_target_that_does_not_stop_is_killed_with_a_note),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
