#include "agent/watch/cpustat.h"
#include "tests/lib/check.h"
#include "tests/unit/watch/prefixes.h"

static const char fixture[] = "cpu  5221 1 2495 219342 441 3 75 19 5 6\n"
                              "cpu0 2007 0 976 110731 11 0 8 6 0 0\n"
                              "intr 1 2 3\n";

static void cpustat_parse_reads_the_sum_of_all_cpus(void **state)
{
    (void)state;
    struct cpustat c;
    assert_true(cpustat_parse(fixture, strlen(fixture), &c));
    assert_int_equal(c.user, 5221);
    assert_int_equal(c.nice, 1);
    assert_int_equal(c.system, 2495);
    assert_int_equal(c.idle, 219342);
    assert_int_equal(c.iowait, 441);
    assert_int_equal(c.irq, 3);
    assert_int_equal(c.softirq, 75);
    assert_int_equal(c.steal, 19);
}

static void cpustat_parse_refuses_other_lines(void **state)
{
    (void)state;
    struct cpustat c;
    assert_false(cpustat_parse("", 0, &c));
    const char one[] = "cpu0 1 2 3 4 5 6 7 8\n";
    assert_false(cpustat_parse(one, strlen(one), &c));
    const char few[] = "cpu 1 2 3 4 5 6 7\n8\n";
    assert_false(cpustat_parse(few, strlen(few), &c));
    const char minus[] = "cpu 1 2 3 4 -5 6 7 8\n";
    assert_false(cpustat_parse(minus, strlen(minus), &c));
}

static void parse(const char *text, size_t len)
{
    struct cpustat c;
    (void)cpustat_parse(text, len, &c);
}

static void cpustat_parse_stays_inside_the_text(void **state)
{
    (void)state;
    prefixes(fixture, strlen(fixture), parse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpustat_parse_reads_the_sum_of_all_cpus),
        cmocka_unit_test(cpustat_parse_refuses_other_lines),
        cmocka_unit_test(cpustat_parse_stays_inside_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
