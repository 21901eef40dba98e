#include "common/cpus.h"
#include "tests/lib/check.h"

static void cpus_show_prints_ranges_and_cuts_what_does_not_fit(void **state)
{
    char buf[64], small[12];
    cpu_set_t s;
    (void)state;
    assert_true(cpus_parse("0,2,4,6,8-11,1023", &s));
    cpus_show(&s, buf, sizeof buf);
    assert_string_equal(buf, "0,2,4,6,8-11,1023");
    cpus_show(&s, small, sizeof small);
    assert_string_equal(small, "0,2,4,6...");
}

static void cpus_parse_takes_numbers_and_ranges(void **state)
{
    static const char *const bad[] = {"",   "a",   "1-",   "-1",   "2-1",
                                      "1,", "1 2", "1024", "0-..."};
    cpu_set_t set;
    (void)state;
    assert_true(cpus_parse("0-2,5", &set));
    assert_int_equal(CPU_COUNT(&set), 4);
    assert_true(CPU_ISSET(5, &set));
    assert_true(cpus_parse("1023", &set));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(cpus_parse(bad[i], &set));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpus_show_prints_ranges_and_cuts_what_does_not_fit),
        cmocka_unit_test(cpus_parse_takes_numbers_and_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
