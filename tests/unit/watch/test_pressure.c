#include "agent/watch/pressure.h"
#include "tests/lib/check.h"
#include "tests/unit/watch/prefixes.h"

static const char fixture[] =
    "some avg10=65.45 avg60=62.34 avg300=69.28 total=4296211308\n"
    "full avg10=0.00 avg60=0.00 avg300=0.00 total=17\n";

static void pressure_parse_reads_totals_in_microseconds(void **state)
{
    (void)state;
    struct pressure p;
    assert_true(pressure_parse(fixture, strlen(fixture), &p));
    assert_int_equal(p.some_ns, 4296211308000ull);
    assert_int_equal(p.full_ns, 17000);
}

static void pressure_parse_takes_a_kernel_without_full(void **state)
{
    (void)state;
    struct pressure p;
    const char text[] = "some avg10=0.00 avg60=0.00 avg300=0.00 total=5";
    assert_true(pressure_parse(text, strlen(text), &p));
    assert_int_equal(p.some_ns, 5000);
    assert_int_equal(p.full_ns, 0);
}

static void pressure_parse_refuses_other_shapes(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "full a b c total=1",
                                        "some a b total=1",
                                        "some a b c total=",
                                        "some a b c total=-1",
                                        "some a b c total=18446744073709551615",
                                        "some a b c sum=1"};
    struct pressure p;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_false(pressure_parse(texts[i], strlen(texts[i]), &p));
        assert_int_equal(p.some_ns + p.full_ns, 0);
    }
}

static void pressure_since_counts_anew_what_fell(void **state)
{
    (void)state;
    const struct pressure a = {100, 50}, b = {130, 20};
    struct pressure d = pressure_since(&a, &b);
    assert_int_equal(d.some_ns, 30); /* 130 - 100 */
    assert_int_equal(d.full_ns, 20);
}

static void parse(const char *text, size_t len)
{
    struct pressure p;
    (void)pressure_parse(text, len, &p);
}

static void pressure_parse_stays_inside_the_text(void **state)
{
    (void)state;
    prefixes(fixture, strlen(fixture), parse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressure_parse_reads_totals_in_microseconds),
        cmocka_unit_test(pressure_parse_takes_a_kernel_without_full),
        cmocka_unit_test(pressure_parse_refuses_other_shapes),
        cmocka_unit_test(pressure_since_counts_anew_what_fell),
        cmocka_unit_test(pressure_parse_stays_inside_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
