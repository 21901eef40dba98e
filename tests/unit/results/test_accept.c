#include <math.h>

#include "results/accept.h"
#include "tests/lib/check.h"

static void accept_begins_with_the_tables_values(void **state)
{
    struct accept a;
    (void)state;
    accept_init(&a);
    assert_true(a.limit[ACCEPT_FOREIGN_CPU] == 0.35);
    assert_true(a.limit[ACCEPT_STEAL_CPU] == 0.1);
    assert_true(a.limit[ACCEPT_THROTTLED] == 0.01);
    assert_true(a.limit[ACCEPT_LINK_ERRORS] == 0);
    assert_true(a.limit[ACCEPT_DRIFT] == 0.2);
    accept_off(&a);
    for (size_t i = 0; i < ACCEPT_LAST; i++)
        assert_true(isinf(a.limit[i]));
}

static void accept_takes_numbers_and_off(void **state)
{
    struct accept a;
    struct why why = {0};
    (void)state;
    accept_init(&a);
    check_ok(accept_set(&a, "foreign_cpu", "1.5", &why), why);
    check_ok(accept_set(&a, "drift", "off", &why), why);
    assert_true(a.limit[ACCEPT_FOREIGN_CPU] == 1.5);
    assert_true(isinf(a.limit[ACCEPT_DRIFT]));
    assert_true(a.limit[ACCEPT_STEAL_CPU] == 0.1);
    check_ok(accept_set(&a, "all", "off", &why), why);
    check_ok(accept_set(&a, "steal_cpu", "0", &why), why);
    assert_true(isinf(a.limit[ACCEPT_FOREIGN_CPU]));
    assert_true(a.limit[ACCEPT_STEAL_CPU] == 0);
}

static void accept_names_what_it_does_not_take(void **state)
{
    static const char *const bad[] = {"", "-1", "nan", "inf", "1x", "on"};
    struct accept a;
    struct why why = {0};
    (void)state;
    accept_init(&a);
    check_err(accept_set(&a, "noise", "1", &why), ERR_INVALID);
    assert_string_equal(why.text,
                        "no rule \"noise\"; there are foreign_cpu, steal_cpu, "
                        "throttled, link_errors, drift, all=off");
    check_err(accept_set(&a, "all", "1", &why), ERR_INVALID);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_err(accept_set(&a, "drift", bad[i], &why), ERR_INVALID);
    assert_string_equal(
        why.text, "drift: \"on\" is no number (of the first half) nor off");
    assert_true(a.limit[ACCEPT_DRIFT] == 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accept_begins_with_the_tables_values),
        cmocka_unit_test(accept_takes_numbers_and_off),
        cmocka_unit_test(accept_names_what_it_does_not_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
