#include <math.h>

#include "results/claim.h"
#include "tests/lib/check.h"

static enum claim_word direction(double published, double low, double high)
{
    const struct claim_ours ours = {.ratio = 1, .low = low, .high = high};
    return claim_direction(published, &ours);
}

static void a_difference_agrees_with_its_whole_interval(void **state)
{
    (void)state;
    assert_int_equal(direction(27.3, 2, 9), CLAIM_YES);
    assert_int_equal(direction(27.3, 0.9, 9), CLAIM_UNSETTLED);
    assert_int_equal(direction(27.3, 0.5, 0.9), CLAIM_NO);
    assert_int_equal(direction(0.4, 0.5, 0.9), CLAIM_YES);
    assert_int_equal(direction(0.4, 0.5, 1.1), CLAIM_UNSETTLED);
    assert_int_equal(direction(0.4, 1.01, 1.1), CLAIM_NO);
    assert_int_equal(direction(0.4, NAN, NAN), CLAIM_UNSETTLED);
    assert_int_equal(direction(NAN, 0.5, 0.9), CLAIM_UNSETTLED);
}

static void the_same_is_within_a_twentieth(void **state)
{
    (void)state;
    assert_int_equal(direction(1.02, 0.96, 1.04), CLAIM_YES);
    assert_int_equal(direction(1.02, 0.94, 1.04), CLAIM_UNSETTLED);
    assert_int_equal(direction(1.02, 0.96, 1.06), CLAIM_UNSETTLED);
    assert_int_equal(direction(1, 1.06, 1.2), CLAIM_NO);
    assert_int_equal(direction(1, 0.8, 0.94), CLAIM_NO);
    assert_int_equal(direction(1.06, 1.01, 1.2), CLAIM_YES); /* a difference */
}

static void a_size_agrees_where_the_interval_holds_it(void **state)
{
    (void)state;
    const struct claim_ours ours = {.ratio = 20, .low = 15, .high = 30};
    const struct claim_ours none = {.ratio = 20, .low = NAN, .high = NAN};
    assert_int_equal(claim_size(27.3, &ours), CLAIM_YES);
    assert_int_equal(claim_size(30.1, &ours), CLAIM_NO);
    assert_int_equal(claim_size(14.9, &ours), CLAIM_NO);
    assert_int_equal(claim_size(27.3, &none), CLAIM_UNSETTLED);
}

static void ratios_are_shown_by_three_digits(void **state)
{
    char buf[32];
    (void)state;
    assert_string_equal(claim_show_ratio(27.3077, buf, sizeof buf), "x27.3");
    assert_string_equal(claim_show_ratio(0.40363, buf, sizeof buf), "x0.404");
    assert_string_equal(claim_show_ratio(NAN, buf, sizeof buf), "-");
    assert_string_equal(claim_show(CLAIM_UNSETTLED), "not settled");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_difference_agrees_with_its_whole_interval),
        cmocka_unit_test(the_same_is_within_a_twentieth),
        cmocka_unit_test(a_size_agrees_where_the_interval_holds_it),
        cmocka_unit_test(ratios_are_shown_by_three_digits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
