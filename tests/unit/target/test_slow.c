#include "target/slow.h"
#include "tests/lib/check.h"

static void slow_due_adds_the_share_of_what_was_used(void **state)
{
    (void)state;
    const struct slow s = {.share = 0.03, .paid_ns = 1000000};
    /* 3 % of 5 ms - 1 ms = 120 us */
    assert_int_equal(slow_due_ns(&s, 5000000), 5120000);
    assert_int_equal(slow_due_ns(&s, 1000000), 1000000);
}

static void slow_due_of_no_share_is_at_once(void **state)
{
    (void)state;
    const struct slow s = {.share = 0, .paid_ns = 0};
    assert_int_equal(slow_due_ns(&s, 5000000), 5000000);
}

static void slow_pay_of_no_share_reads_no_clock(void **state)
{
    (void)state;
    struct slow s = {.share = 0, .paid_ns = 7};
    slow_pay(&s, NULL);
    assert_int_equal(s.paid_ns, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_due_adds_the_share_of_what_was_used),
        cmocka_unit_test(slow_due_of_no_share_is_at_once),
        cmocka_unit_test(slow_pay_of_no_share_reads_no_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
