#include "controller/queue.h"
#include "tests/lib/check.h"

static struct queue q;

static void begin(uint32_t n_cells, uint32_t n_trials, uint32_t retries)
{
    static uint32_t ends[8];
    struct why why = {""};
    uint32_t n_blocks = n_trials / n_cells;
    assert_true(n_blocks <= 8);
    for (uint32_t i = 0; i < n_blocks; i++)
        ends[i] = n_cells * (i + 1);
    check_ok(queue_init(&q, ends, n_blocks, retries, &why), why);
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

/* 2 blocks of 3. The earlier sitting measured 0; 1 failed once; 2 was broken
 * off, and so is fresh; 3 was invalid. */
static void what_was_measured_is_not_taken_again(void **state)
{
    (void)state;
    begin(3, 6, 1);
    queue_done(&q, 0);
    assert_true(queue_failed(&q, 1));
    assert_true(queue_invalid(&q, 3));
    assert_int_equal(queue_left(&q), 5);
    next_is(2);
    next_is(1);
    assert_false(queue_failed(&q, 1)); /* its second failure */
    next_is(4);
    next_is(5);
    next_is(3);
    end();
}

static void a_repeat_that_was_measured_ends_the_trial(void **state)
{
    (void)state;
    begin(2, 4, 1);
    assert_true(queue_failed(&q, 0));
    queue_done(&q, 0);
    queue_done(&q, 1);
    assert_true(queue_invalid(&q, 2));
    assert_false(queue_invalid(&q, 2));
    assert_int_equal(queue_left(&q), 1);
    next_is(3);
    end();
}

static void blocks_may_differ_in_length(void **state)
{
    (void)state;
    static const uint32_t ends[] = {2, 5};
    struct why why = {""};
    uint32_t got = 0;
    check_ok(queue_init(&q, ends, 2, 1, &why), why);
    assert_int_equal(queue_left(&q), 5);
    next_is(0);
    assert_true(queue_failed(&q, 0));
    next_is(1);
    next_is(0);
    for (uint32_t i = 2; i < 5; i++)
        next_is(i);
    assert_true(queue_failed(&q, 2));
    assert_true(queue_next(&q, &got));
    assert_int_equal(got, 2);
    end();
}

static void a_parked_block_is_passed_over_until_it_is_given(void **state)
{
    (void)state;
    uint32_t got = 99;
    begin(2, 6, 1);
    queue_park(&q, 0, true);
    queue_park(&q, 2, true);
    next_is(2);
    next_is(3);
    assert_false(queue_next(&q, &got));
    assert_int_equal(queue_left(&q), 4);
    queue_park(&q, 0, false);
    next_is(0);
    assert_true(queue_failed(&q, 0));
    next_is(1);
    assert_int_equal(queue_block_left(&q, 0), 1); /* the repeat */
    next_is(0);
    assert_false(queue_next(&q, &got));
    queue_park(&q, 2, false);
    next_is(4);
    next_is(5);
    end();
}

static void a_block_more_is_parked_and_a_dropped_one_is_over(void **state)
{
    (void)state;
    static const uint32_t more[] = {2, 4, 6};
    struct why why = {""};
    uint32_t got = 99;
    begin(2, 4, 1);
    next_is(0);
    queue_drop(&q, 0);
    assert_int_equal(queue_left(&q), 2);
    check_ok(queue_grow(&q, more, &why), why);
    assert_int_equal(queue_left(&q), 4);
    next_is(2);
    next_is(3);
    assert_false(queue_next(&q, &got));
    queue_park(&q, 2, false);
    next_is(4);
    next_is(5);
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
        cmocka_unit_test(what_was_measured_is_not_taken_again),
        cmocka_unit_test(a_repeat_that_was_measured_ends_the_trial),
        cmocka_unit_test(blocks_may_differ_in_length),
        cmocka_unit_test(a_parked_block_is_passed_over_until_it_is_given),
        cmocka_unit_test(a_block_more_is_parked_and_a_dropped_one_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
