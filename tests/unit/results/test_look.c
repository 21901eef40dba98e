#include <math.h>
#include <string.h>

#include "results/compare.h"
#include "results/look.h"
#include "tests/unit/results/field.h"

static struct why why;

static void looks_are_rising_numbers_of_blocks(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "2",
                                      "6,6",
                                      "12,6",
                                      "6,,12",
                                      "6,x",
                                      "-6",
                                      "6 12",
                                      "10001",
                                      "3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,"
                                      "18,19"};
    struct look_rule rule;
    char text[64];
    check_ok(look_parse_planned(&rule, "6,12,24", &why), why);
    assert_int_equal(rule.n, 3);
    assert_string_equal(look_show(&rule, text, sizeof text), "6,12,24");
    assert_true(look_due(&rule, 12));
    assert_false(look_due(&rule, 13));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_err(look_parse_planned(&rule, bad[i], &why), ERR_USAGE);
    check_err(look_parse_planned(&rule, "6,6", &why), ERR_USAGE);
    check_says(why, "\"6,6\": numbers of blocks, rising, from 3 on");
}

static void a_width_is_looked_at_from_seven_blocks_on(void **state)
{
    (void)state;
    struct look_rule rule;
    char text[64];
    check_ok(look_parse_width(&rule, "1.5%", &why), why);
    assert_string_equal(look_show(&rule, text, sizeof text), "1.5%");
    assert_false(look_due(&rule, 6)); /* two running, from 6 on */
    assert_true(look_due(&rule, 7));
    check_err(look_parse_width(&rule, "0%", &why), ERR_USAGE);
    check_err(look_parse_width(&rule, "wide", &why), ERR_INVALID);
}

/* h1 is 5 % faster, by 4.9 to 5.1; of nine blocks the first six ran. */
static void run_six(struct lab *lab, const struct field *field)
{
    double v[18];
    for (size_t b = 0; b < 9; b++) {
        v[2 * b] = b < 6 ? 1e6 * (1 + 0.01 * (double)b) : NAN;
        v[2 * b + 1] = v[2 * b] * (1.05 + (b % 2 ? 0.001 : -0.001));
    }
    lab_open(lab);
    field_plan(lab, field);
    field_run(lab, field, v);
}

static const struct field nine = {"nine", 2, 1, 9, false, 0};

static void a_look_stops_when_every_effect_has_its_verdict(void **state)
{
    (void)state;
    struct lab lab;
    struct look_rule rule;
    struct look look, again;
    run_six(&lab, &nine);
    check_ok(look_parse_planned(&rule, "6,9", &why), why);
    (void)strcpy(rule.metric, "throughput");
    check_ok(look_take(lab.store, lab.experiment, &rule, 6, &look, &why), why);
    assert_true(look.stop);
    /* Shares of two looks are as 1 to 3: 5 % / 4. */
    assert_string_equal(look.words,
                        "look 1 of 2, alpha 1.25%: after 6 blocks 1 of 1 "
                        "effects on throughput have a verdict: enough");
    /* Once more it is what it was. */
    rule.width_ratio = 1;
    check_ok(look_take(lab.store, lab.experiment, &rule, 6, &again, &why), why);
    assert_string_equal(again.words, look.words);
    assert_int_equal(lab_int(&lab, "select count(*) from look"), 1);
    lab_fini(&lab);
}

static void blocks_that_never_began_are_taken_off_the_plan(void **state)
{
    (void)state;
    struct lab lab;
    run_six(&lab, &nine);
    check_ok(look_settle(lab.store, lab.experiment, 6, &why), why);
    assert_int_equal(lab_int(&lab, "select count(*) from trial"), 12);
    assert_int_equal(lab_int(&lab, "select count(*) from block"), 6);
    assert_int_equal(lab_int(&lab, "select iterations from experiment"), 6);
    /* What was tried stays, whatever is said. */
    check_ok(look_settle(lab.store, lab.experiment, 5, &why), why);
    assert_int_equal(lab_int(&lab, "select count(*) from trial"), 12);
    lab_fini(&lab);
}

static void a_width_is_reached_at_two_blocks_running(void **state)
{
    (void)state;
    struct lab lab;
    struct look_rule rule;
    struct look look;
    static const struct field seven = {"seven", 2, 1, 7, false, 0};
    double v[14];
    /* 1.02, 0.98 in turns: sd about 0.0214, half width at 97 % with 7 blocks
     * t(.985, 6) = 2.829 * 0.0214 / sqrt 7 = 2.3 %. */
    for (size_t b = 0; b < 7; b++) {
        v[2 * b] = 1e6;
        v[2 * b + 1] = b % 2 ? 0.98e6 : 1.02e6;
    }
    lab_open(&lab);
    field_plan(&lab, &seven);
    field_run(&lab, &seven, v);
    check_ok(look_parse_width(&rule, "2%", &why), why);
    (void)strcpy(rule.metric, "throughput");
    check_ok(look_take(lab.store, lab.experiment, &rule, 7, &look, &why), why);
    assert_false(look.stop);
    lab_exec(&lab, "delete from look");
    check_ok(look_parse_width(&rule, "3%", &why), why);
    (void)strcpy(rule.metric, "throughput");
    check_ok(look_take(lab.store, lab.experiment, &rule, 7, &look, &why), why);
    assert_true(look.stop);
    assert_string_equal(look.words,
                        "width 3%: after 7 blocks 1 of 1 effects on throughput "
                        "are that narrow: enough");
    lab_fini(&lab);
}

static void later_verdicts_are_at_the_looks_alpha(void **state)
{
    (void)state;
    struct lab lab;
    struct look_rule rule;
    struct look look;
    struct grid g;
    struct compare_found found;
    static const char *const up[] = {"1:heap=h1"};
    const struct compare_options options = {.base = "1:heap=h0",
                                            .contenders = up,
                                            .n_contenders = 1,
                                            .metrics = "throughput",
                                            .margin_ratio = 0.02,
                                            .alpha = 0.05};
    run_six(&lab, &nine);
    check_ok(look_parse_planned(&rule, "6,9", &why), why);
    (void)strcpy(rule.metric, "throughput");
    check_ok(look_take(lab.store, lab.experiment, &rule, 6, &look, &why), why);
    grid_init(&g);
    check_ok(answer_compare(lab.store, &options, &g, &found, &why), why);
    bool told = false, noted = false;
    for (size_t i = 0; i < g.n_notes; i++) {
        told |= strstr(g.notes[i], "alpha 1.25%;") != NULL;
        noted |= !strcmp(g.notes[i], look.words);
    }
    assert_true(told);
    assert_true(noted);
    assert_string_equal(g.columns[5].name, "98.8% interval");
    grid_fini(&g);
    lab_fini(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_are_rising_numbers_of_blocks),
        cmocka_unit_test(a_width_is_looked_at_from_seven_blocks_on),
        cmocka_unit_test(a_look_stops_when_every_effect_has_its_verdict),
        cmocka_unit_test(blocks_that_never_began_are_taken_off_the_plan),
        cmocka_unit_test(a_width_is_reached_at_two_blocks_running),
        cmocka_unit_test(later_verdicts_are_at_the_looks_alpha),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
