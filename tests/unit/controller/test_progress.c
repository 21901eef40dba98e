#include "common/clock.h"
#include "controller/estimate.h"
#include "controller/progress.h"
#include "tests/lib/check.h"

static void time_is_told_in_the_largest_fitting_form(void **state)
{
    (void)state;
    char b[32];
    assert_string_equal(progress_time(0, b, sizeof b), "0:00");
    assert_string_equal(progress_time(1, b, sizeof b), "0:01"); /* up */
    assert_string_equal(progress_time(59 * NS_PER_S, b, sizeof b), "0:59");
    assert_string_equal(progress_time(723 * NS_PER_S, b, sizeof b), "12:03");
    /* 3 x 3600 + 4 x 60 + 5 */
    assert_string_equal(progress_time(11045 * NS_PER_S, b, sizeof b),
                        "3:04:05");
    /* 2 x 86400 + 4 x 3600 + 59 */
    assert_string_equal(progress_time(187259 * NS_PER_S, b, sizeof b),
                        "2 d 4 h");
}

static void the_line_tells_trial_cell_phase_rate_and_time_left(void **state)
{
    (void)state;
    char b[160];
    struct progress_now now = {.trial = 7,
                               .n_trials = 39,
                               .attempt = 1,
                               .cell = "heap=1g,link=eth200",
                               .phase = "measuring",
                               .docs_s = 123456,
                               .left_ns = 62 * NS_PER_S};
    assert_string_equal(progress_line(&now, b, sizeof b),
                        "trial 7 of 39  heap=1g,link=eth200  measuring  "
                        "123.5k docs/s  1:02 left");
    now.attempt = 2;
    now.docs_s = 0;
    now.phase = "starting";
    assert_string_equal(progress_line(&now, b, sizeof b),
                        "trial 7 of 39, attempt 2  heap=1g,link=eth200  "
                        "starting  1:02 left");
}

static void the_line_is_cut_to_the_terminal(void **state)
{
    (void)state;
    char b[21];
    struct progress_now now = {
        .trial = 1, .n_trials = 2, .cell = "x", .phase = "starting"};
    assert_string_equal(progress_line(&now, b, sizeof b),
                        "trial 1 of 2  x  sta");
}

static void before_any_trial_the_guess_counts(void **state)
{
    (void)state;
    struct estimate e;
    estimate_init(&e, 200 * NS_PER_MS, NS_PER_S);
    assert_int_equal(estimate_trial_ns(&e), 1900000000); /* 0.2 + 1 + 0.7 s */
    assert_int_equal(estimate_left_ns(&e, 10, 0, 0), 19000000000);
}

static void measured_lengths_replace_the_guess(void **state)
{
    (void)state;
    struct estimate e;
    estimate_init(&e, 0, NS_PER_S);
    estimate_add(&e, 2 * NS_PER_S);
    estimate_add(&e, 4 * NS_PER_S);
    assert_int_equal(estimate_trial_ns(&e), 3000000000);
    /* 5 to come, and one of 3 s under way for 1 s: 15 + 2 */
    assert_int_equal(estimate_left_ns(&e, 5, 1, NS_PER_S), 17000000000);
    /* one that takes longer than the others has nothing left to promise */
    assert_int_equal(estimate_left_ns(&e, 5, 1, 9 * NS_PER_S), 15000000000);
    assert_int_equal(estimate_left_ns(&e, 0, 1, 3 * NS_PER_S), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_told_in_the_largest_fitting_form),
        cmocka_unit_test(the_line_tells_trial_cell_phase_rate_and_time_left),
        cmocka_unit_test(the_line_is_cut_to_the_terminal),
        cmocka_unit_test(before_any_trial_the_guess_counts),
        cmocka_unit_test(measured_lengths_replace_the_guess),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
