#include "common/clock.h"
#include "tests/lib/check.h"

static void clocks_tell_their_own_times(void **state)
{
    (void)state;
    uint64_t a = clock_mono_ns(), b = clock_mono_ns();
    assert_true(b >= a);
    /* Time since boot counts suspension, the monotonic clock does not. */
    assert_true(clock_boot_ns() >= a);
    /* 2020-01-01 in seconds since 1970. */
    assert_true(clock_wall_ns() / NS_PER_S > 1577836800);
    /* This thread's time was read first and is part of the process's. */
    uint64_t thread = clock_thread_cpu_ns();
    assert_true(clock_process_cpu_ns() >= thread);
}

static void clock_sleep_until_never_wakes_early(void **state)
{
    (void)state;
    uint64_t due_ns = clock_mono_ns() + 2 * NS_PER_MS;
    clock_sleep_until(due_ns);
    assert_true(clock_mono_ns() >= due_ns);
    clock_sleep_until(0); /* long past */
}

/* 1 ns is a whole millisecond to wait: rounding down would spin. */
static void clock_poll_ms_rounds_up_and_is_bounded(void **state)
{
    (void)state;
    assert_int_equal(clock_poll_ms(5, 5), 0);
    assert_int_equal(clock_poll_ms(6, 5), 0);
    assert_int_equal(clock_poll_ms(5, 6), 1);
    assert_int_equal(clock_poll_ms(0, NS_PER_MS), 1);
    assert_int_equal(clock_poll_ms(0, NS_PER_MS + 1), 2);
    assert_int_equal(clock_poll_ms(0, 60 * NS_PER_S), 60000);
    assert_int_equal(clock_poll_ms(0, 61 * NS_PER_S), 60000);
    assert_int_equal(clock_poll_ms(0, UINT64_MAX), 60000); /* "never" */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_tell_their_own_times),
        cmocka_unit_test(clock_sleep_until_never_wakes_early),
        cmocka_unit_test(clock_poll_ms_rounds_up_and_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
