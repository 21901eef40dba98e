/* Loads that meet after their start: together on, to one instant, by their own
 * clocks; one of them deaf or late. */
#include "tests/lib/check.h"
#include "tests/unit/controller/fake_crew.h"

static void unheard_once(struct world *world, struct far *a)
{
    (void)world;
    a->deaf = true;
}

static void refuses_late(struct world *world, struct far *a)
{
    (void)world;
    a->late = true;
}

static void begin_meeting(const uint32_t *meets, size_t n)
{
    crew_begin(1);
    w.meets = meets;
    w.n_meets = n;
}

static uint64_t our_time(unsigned agent, size_t meeting)
{
    return w.agents[agent].from_ns[meeting] -
           (uint64_t)w.bench.seats[agent].offset_ns;
}

/* Behind the first step, then before the second: whole seconds after the first
 * window's begin, which is a second of warm-up after the start. */
static void loads_go_on_together_from_where_they_meet(void **state)
{
    (void)state;
    const uint32_t meets[] = {2, 3};
    begin_meeting(meets, 2);
    crew_run();
    assert_int_equal(w.outcome, OUTCOME_OK);
    assert_non_null(strstr(w.log, "move:running 1:MEET 2:MEET 1:MEET 2:MEET "
                                  "move:stopping 0:STOP"));
    assert_int_equal(w.agents[1].from_ns[0], 0);
    assert_int_equal(our_time(1, 1), our_time(2, 1));
    assert_int_equal(our_time(1, 1), w.bench.t0_ns + NS_PER_S);
    /* the target's clock is not asked again */
    assert_int_equal(w.bench.seats[0].pings, SEAT_PINGS);
    assert_int_equal(w.bench.seats[0].told, 0);
}

static void one_whose_word_counts_for_all_ends_the_step(void **state)
{
    (void)state;
    const uint32_t meets[] = {1};
    begin_meeting(meets, 1);
    w.any = 2;
    crew_run();
    assert_int_equal(w.outcome, OUTCOME_OK);
    assert_non_null(strstr(w.log, "move:running 1:MEET 2:MEET"));
    assert_int_equal(our_time(1, 0), our_time(2, 0));
}

/* It may have heard, or not: it is told once more, the same. */
static void a_load_lost_while_it_is_told_is_told_again(void **state)
{
    (void)state;
    const uint32_t meets[] = {2};
    begin_meeting(meets, 1);
    w.op = MSG_MEET;
    w.agent = 2;
    w.wrong = unheard_once;
    crew_run();
    assert_int_equal(w.outcome, OUTCOME_OK);
    assert_non_null(strstr(w.log, "1:MEET 2:MEET 2:HELLO 2:ACQUIRE 2:MEET"));
}

static void a_load_that_is_told_too_late_fails_the_trial(void **state)
{
    (void)state;
    const uint32_t meets[] = {3};
    begin_meeting(meets, 1);
    w.op = MSG_MEET;
    w.agent = 1;
    w.wrong = refuses_late;
    crew_run();
    assert_int_equal(w.outcome, OUTCOME_FAILED);
    assert_string_equal(w.error, "agent gen1: t0 has passed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_go_on_together_from_where_they_meet),
        cmocka_unit_test(one_whose_word_counts_for_all_ends_the_step),
        cmocka_unit_test(a_load_lost_while_it_is_told_is_told_again),
        cmocka_unit_test(a_load_that_is_told_too_late_fails_the_trial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
