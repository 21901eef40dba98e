#include "common/strain.h"
#include "tests/lib/check.h"

/* At ease: 79 % of a core, starts at once, a loop that is away for 2 ms but
 * makes nobody wait for long: 100 us of 1 ms. */
static const struct strain_figures easy = {.window_ns = 1000000000,
                                           .cpu_max_ns = 790000000,
                                           .starts = 100,
                                           .late_p99_ns = 999999,
                                           .lag_p75_ns = 2000000,
                                           .lag_mean_ns = 100000,
                                           .service_mean_ns = 1000000};

static void tells(const struct strain_figures *f, const char *text)
{
    char buf[400];
    struct strain s = strain_of(f);
    size_t n = strain_tell(&s, false, buf, sizeof buf);
    assert_string_equal(buf, text);
    assert_int_equal(n, strlen(text));
    assert_int_equal(strain_is_limit(&s), *text != 0);
}

static void strain_of_sees_no_limit_below_each(void **state)
{
    (void)state;
    tells(&easy, "");
    const struct strain_figures none = {0};
    tells(&none, "");
}

static void strain_of_tells_each_rule(void **state)
{
    (void)state;
    struct strain_figures f = easy;
    f.cpu_max_ns = 800000000; /* 0.8 of 1 s */
    tells(&f, "; busiest thread on a CPU for 80 % of the window (limit 80 %)");
    f = easy;
    f.late_p99_ns = 1000000;
    tells(&f, "; starts late by 1.00 ms at p99 (limit 1 ms)");
    f.starts = 99; /* no p99 */
    tells(&f, "");
    f = easy;
    f.lag_mean_ns = 250000; /* a quarter of 1 ms */
    tells(&f, "; in a quarter of the window its loop away for 2.00 ms or more "
              "(limit 1 ms), ready answers waiting for 25 % of the mean "
              "service time (limit 25 %)");
    f.lag_p75_ns = 999999;
    tells(&f, "");
}

static void strain_tell_tells_all(void **state)
{
    (void)state;
    char buf[400], little[8];
    struct strain s = strain_of(&easy);
    (void)strain_tell(&s, true, buf, sizeof buf);
    assert_non_null(strstr(buf, "for 79 % of the window"));
    assert_non_null(strstr(buf, "waiting for 10 % of"));
    assert_int_equal(strain_tell(&s, true, little, sizeof little), 7);
    assert_string_equal(little, "; busie");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strain_of_sees_no_limit_below_each),
        cmocka_unit_test(strain_of_tells_each_rule),
        cmocka_unit_test(strain_tell_tells_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
