#include <math.h>

#include "results/noise.h"
#include "tests/unit/results/field.h"

static struct why why;

/* ln h1 - ln h0 is 0.02, -0.02, ... over drifting blocks: each cell is 0.01 off
 * what block and cell explain; sqrt(12 * 0.01^2 / 5) = 0.015492. */
static void measure(struct lab *lab, const struct field *field)
{
    double v[12];
    for (size_t b = 0; b < 6; b++) {
        v[2 * b] = 1e6 * (1 + 0.1 * (double)b);
        v[2 * b + 1] = v[2 * b] * exp(b % 2 ? -0.02 : 0.02);
    }
    field_plan(lab, field);
    field_run(lab, field, v);
}

static void noise_is_what_block_and_cell_do_not_explain(void **state)
{
    (void)state;
    static const struct field field = {"six", 2, 1, 6, false, 0};
    struct lab lab;
    struct noise noise;
    lab_open(&lab);
    measure(&lab, &field);
    check_ok(
        noise_seen(lab.store, NULL, metric_find("throughput"), &noise, &why),
        why);
    assert_true(fabs(noise.sd - 0.015492) < 1e-5);
    assert_int_equal(noise.df, 5);
    assert_string_equal(noise.name, "six");
    assert_string_equal(noise.bench, "local");
    check_err(noise_seen(lab.store, "elsewhere", metric_find("throughput"),
                         &noise, &why),
              ERR_NOTFOUND);
    lab_fini(&lab);
}

static void noise_is_the_newest_experiments_that_has_enough(void **state)
{
    (void)state;
    static const struct field field = {"six", 2, 1, 6, false, 0};
    static const struct field few = {"few", 2, 1, 2, false, 0};
    static const double v[] = {1000, 1100, 1000, 1300};
    struct lab lab;
    struct noise noise;
    lab_open(&lab);
    measure(&lab, &field);
    field_plan(&lab, &few);
    field_run(&lab, &few, v);
    check_ok(
        noise_seen(lab.store, "local", metric_find("throughput"), &noise, &why),
        why);
    assert_int_equal(noise.experiment, 1);
    lab_fini(&lab);
}

static void an_unfinished_block_is_left_out(void **state)
{
    (void)state;
    static const struct field field = {"three", 3, 1, 4, false, 0};
    double v[12];
    for (size_t i = 0; i < 12; i++)
        v[i] = i < 10 ? 1e6 : NAN;
    struct lab lab;
    struct noise noise;
    lab_open(&lab);
    field_plan(&lab, &field);
    field_run(&lab, &field, v);
    /* (3 - 1) * (3 - 1) = 4 are too few. */
    check_err(
        noise_seen(lab.store, NULL, metric_find("throughput"), &noise, &why),
        ERR_NOTFOUND);
    lab_fini(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_what_block_and_cell_do_not_explain),
        cmocka_unit_test(noise_is_the_newest_experiments_that_has_enough),
        cmocka_unit_test(an_unfinished_block_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
