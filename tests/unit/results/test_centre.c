#include <math.h>

#include "results/centre.h"
#include "tests/lib/check.h"

static void centre_of_ratios_is_the_geometric_mean(void **state)
{
    (void)state;
    /* sqrt(1000 * 4000) = 2000; logarithms differ by ln 4: s = ln 4 / sqrt 2
     * = 0.980258, cv = sqrt(exp(0.960906) - 1) = 1.270458. */
    struct centre c = centre_of((double[]){1000, 4000}, 2, true);
    check_near(c.value, 2000, 1e-9);
    check_near(c.cv, 1.270458, 1e-6);
    check_near(c.min, 1000, 0);
    check_near(c.max, 4000, 0);
    assert_int_equal(c.n, 2);
}

static void equal_values_have_no_spread_and_stay_exact(void **state)
{
    (void)state;
    struct centre c = centre_of((double[]){0.1, 0.1, 0.1}, 3, true);
    assert_true(c.value == 0.1);
    check_near(c.cv, 0, 1e-12);
}

static void one_value_is_its_own_centre(void **state)
{
    (void)state;
    struct centre c = centre_of((double[]){7}, 1, true);
    check_near(c.value, 7, 0);
    assert_true(isnan(c.cv));
    assert_true(isnan(centre_of(NULL, 0, true).value));
}

static void counts_and_zeros_have_the_arithmetic_mean(void **state)
{
    (void)state;
    check_near(centre_of((double[]){1, 2, 6}, 3, false).value, 3, 0);
    /* sqrt((4 + 1 + 9) / 2) / 3 = 2.645751 / 3 */
    check_near(centre_of((double[]){1, 2, 6}, 3, false).cv, 0.881917, 1e-6);
    assert_true(isnan(centre_of((double[]){0, 2, 4}, 3, false).cv));
    struct centre c = centre_of((double[]){0, 8}, 2, true);
    check_near(c.value, 4, 0);
    assert_true(isnan(c.cv));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(centre_of_ratios_is_the_geometric_mean),
        cmocka_unit_test(equal_values_have_no_spread_and_stay_exact),
        cmocka_unit_test(one_value_is_its_own_centre),
        cmocka_unit_test(counts_and_zeros_have_the_arithmetic_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
