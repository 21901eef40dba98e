#include "controller/queue.h"
#include "tests/lib/check.h"

static struct queue q;

static void begin(uint32_t n_cells, uint32_t n_trials, uint32_t retries)
{
    struct why why = {""};
    check_ok(queue_init(&q, n_cells, n_trials, retries, &why), why);
}

static void next_is(uint32_t want)
{
    uint32_t got = 99;
    assert_true(queue_next(&q, &got));
    assert_int_equal(got, want);
}

static void end(void)
{
    uint32_t got = 0;
    assert_false(queue_next(&q, &got));
    assert_int_equal(queue_left(&q), 0);
    queue_fini(&q);
}

static void trials_come_in_running_order(void **state)
{
    (void)state;
    begin(2, 4, 1);
    assert_int_equal(queue_left(&q), 4);
    for (uint32_t i = 0; i < 4; i++)
        next_is(i);
    end();
}

static void repeats_come_at_the_end_of_their_own_block(void **state)
{
    (void)state;
    begin(3, 6, 1);
    next_is(0);
    assert_true(queue_failed(&q, 0));
    next_is(1);
    assert_true(queue_invalid(&q, 1));
    assert_int_equal(queue_left(&q), 4 + 2); /* 2..5, and two repeats */
    next_is(2);
    next_is(0);
    next_is(1);
    next_is(3);
    next_is(4);
    next_is(5);
    assert_true(queue_failed(&q, 5));
    next_is(5);
    end();
}

static void each_trial_has_its_own_retries(void **state)
{
    (void)state;
    begin(2, 4, 2);
    next_is(0);
    assert_true(queue_failed(&q, 0));
    next_is(1);
    next_is(0);
    assert_true(queue_failed(&q, 0));
    next_is(0);
    assert_false(queue_failed(&q, 0));
    next_is(2); /* a new block: cell 0's trial 2 has its own */
    assert_true(queue_failed(&q, 2));
    next_is(3);
    next_is(2);
    end();
}

static void an_invalid_repeat_is_not_repeated_but_may_still_fail(void **state)
{
    (void)state;
    begin(1, 1, 1);
    next_is(0);
    assert_true(queue_invalid(&q, 0));
    next_is(0);
    assert_false(queue_invalid(&q, 0));
    assert_true(queue_failed(&q, 0));
    next_is(0);
    end();
}

static void without_retries_nothing_that_failed_is_repeated(void **state)
{
    (void)state;
    begin(1, 2, 0);
    next_is(0);
    assert_false(queue_failed(&q, 0));
    assert_true(queue_invalid(&q, 0));
    next_is(0);
    next_is(1);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trials_come_in_running_order),
        cmocka_unit_test(repeats_come_at_the_end_of_their_own_block),
        cmocka_unit_test(each_trial_has_its_own_retries),
        cmocka_unit_test(an_invalid_repeat_is_not_repeated_but_may_still_fail),
        cmocka_unit_test(without_retries_nothing_that_failed_is_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
