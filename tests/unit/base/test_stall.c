#include "common/stall.h"
#include "tests/lib/check.h"

static void a_length_and_a_period_are_read(void **state)
{
    (void)state;
    struct stall s = {1, 2};
    struct why why = {""};
    check_ok(stall_parse("1s/10s", &s, &why), why);
    assert_true(s.length_ns == 1000000000ull && s.period_ns == 10000000000ull);
    check_ok(stall_parse("0", &s, &why), why);
    assert_true(!s.length_ns && !s.period_ns);
}

static void others_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum err code;
    } bad[] = {{"", ERR_INVALID},
               {"1s", ERR_INVALID},
               {"1s/", ERR_INVALID},
               {"/1s", ERR_INVALID},
               {"1s/2s/3s", ERR_INVALID},
               {"0/1s", ERR_RANGE},
               {"1s/1s", ERR_RANGE},
               {"61s/2m", ERR_RANGE},
               {"1s/2h", ERR_RANGE},
               {"0000000000000000000000001s/2s", ERR_INVALID}};
    struct stall s = {1, 2};
    struct why why = {""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_err(stall_parse(bad[i].text, &s, &why), bad[i].code);
    assert_true(s.length_ns == 1 && s.period_ns == 2);
}

static void rests_are_the_end_of_each_period(void **state)
{
    (void)state;
    const struct stall s = {.length_ns = 30, .period_ns = 100}, never = {0};
    assert_int_equal(stall_left_ns(&s, 0), 0);
    assert_int_equal(stall_left_ns(&s, 69), 0);  /* 31 to the end */
    assert_int_equal(stall_left_ns(&s, 70), 30); /* 100 - 70 */
    assert_int_equal(stall_left_ns(&s, 99), 1);
    assert_int_equal(stall_left_ns(&s, 100), 0);
    assert_int_equal(stall_left_ns(&s, 1085), 15);
    assert_int_equal(stall_left_ns(&never, 99), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_length_and_a_period_are_read),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(rests_are_the_end_of_each_period)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
