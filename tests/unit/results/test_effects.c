#include <math.h>
#include <string.h>

#include "results/effects.h"
#include "tests/unit/results/field.h"

static struct why why;

static const struct effects_options plain = {.margin_ratio = 0.02,
                                             .alpha = 0.05};

/* Vectors rcbd-factorial and best-set-12, ten times as fast: heap 1g, 4g, 8g;
 * predictor 32k, 64k as l0, l1; link lo, eth as r0, r1. */
static const struct field twelve = {"twelve", 3, 2, 5, false, 2};
static const double y[] = {
    11575, 11411, 11330, 11099, 12156, 11868, 12349, 11959, 11728, 11657,
    11953, 11643, 11932, 11597, 11450, 11297, 12288, 12031, 12436, 12269,
    11700, 11706, 12034, 12093, 11505, 11138, 11201, 10916, 11860, 11818,
    12226, 11980, 11626, 11297, 11724, 11497, 11479, 11287, 11103, 11019,
    11948, 11642, 12054, 11848, 11647, 11452, 11859, 11365, 11985, 11791,
    11676, 11568, 12495, 12318, 12709, 12643, 12205, 12016, 12336, 12198};

static struct lab shared; /* that has run, for tests that only look */

static int begin(void **state)
{
    (void)state;
    lab_open(&shared);
    field_plan(&shared, &twelve);
    field_run(&shared, &twelve, y);
    return 0;
}

static int end(void **state)
{
    (void)state;
    lab_fini(&shared);
    return 0;
}

static void effects(struct lab *lab, const struct effects_options *options,
                    struct grid *g)
{
    grid_init(g);
    check_ok(answer_effects(lab->store, lab->experiment, options, g, &why),
             why);
}

static bool noted(const struct grid *g, const char *text)
{
    for (size_t i = 0; i < g->n_notes; i++)
        if (strstr(g->notes[i], text))
            return true;
    return false;
}

/* A row of the table for people: effect, change, interval, verdict. */
static void row_is(const struct grid *g, const char *const want[4])
{
    for (size_t r = 0; r < g->n_rows; r++) {
        const struct grid_cell *c = &g->cells[r * g->n_columns];
        if (strcmp(c[0].text, want[0]) != 0)
            continue;
        assert_string_equal(c[1].text, want[1]);
        assert_string_equal(c[2].text, want[2]);
        assert_string_equal(c[4].text, want[3]);
        return;
    }
    fail_msg("no row %s", want[0]);
}

/* statistics.md section 7 has this very table. */
static void effects_are_told_over_matching_cells(void **state)
{
    (void)state;
    struct grid g;
    effects(&shared, &plain, &g);
    row_is(&g, (const char *[]){"heap h1 : h0", "(+6.4%)", "[+5.8%, +7.0%]",
                                "depends on link"});
    row_is(&g, (const char *[]){"rmem r1 : r0", "-1.7%", "[-2.3%, -1.1%]",
                                "regressed"});
    row_is(&g, (const char *[]){"link l1 : l0", "(+0.1%)", "[-0.3%, +0.6%]",
                                "depends on heap"});
    row_is(&g, (const char *[]){"  at heap h0", "-2.6%", "[-3.2%, -2.1%]",
                                "regressed, >= 2%"});
    assert_true(noted(&g, "5 blocks; margin 2%, alpha 5%"));
    assert_true(noted(&g, "heap 52%, link 0.042%, heap x link 8.1%, rmem 6.2%, "
                          "heap x rmem 0.02%, link x rmem 0.00039%, more than "
                          "two together 0.12%, blocks 30%, noise 3.2%"));
    assert_true(noted(&g, "best cells, 3 that cannot be told apart with 5 "
                          "blocks: heap=h1,link=l0,rmem=r0  "
                          "heap=h1,link=l1,rmem=r0  heap=h1,link=l1,rmem=r1"));
    grid_fini(&g);
}

static void a_level_is_recommended_for_each_setting(void **state)
{
    (void)state;
    struct grid g;
    effects(&shared, &plain, &g);
    assert_true(noted(&g, "choose heap=h1: throughput +3.0%"));
    assert_true(noted(&g, " against h2; 12142 bytes per read"));
    assert_true(noted(&g, "choose rmem=r0: throughput +1.8%"));
    assert_false(noted(&g, "choose link")); /* a condition, not a setting */
    grid_fini(&g);
}

static void programs_get_every_effect(void **state)
{
    (void)state;
    struct grid g;
    struct effects_options machine = plain;
    machine.machine = true;
    effects(&shared, &machine, &g);
    size_t kinds[5] = {0};
    static const char *const names[] = {"main", "simple", "interaction", "best",
                                        "recommended"};
    for (size_t r = 0; r < g.n_rows; r++)
        for (size_t k = 0; k < 5; k++)
            kinds[k] += !strcmp(g.cells[r * g.n_columns].text, names[k]);
    assert_int_equal(kinds[0], 4);         /* heap 2, link, rmem */
    assert_int_equal(kinds[1], 2 * 2 + 3); /* heap by link, link by heap */
    assert_int_equal(kinds[2], 3);
    assert_int_equal(kinds[3], 3);
    assert_int_equal(kinds[4], 2);
    /* The first: heap h1 : h0; as R has it 0.0640 less some digits. */
    assert_true(fabs(g.cells[7].value - 0.064) < 0.001);
    grid_fini(&g);
}

/* r1 is 5 % faster where it runs, and runs out of memory with h1. */
static void what_ran_out_of_memory_is_never_recommended(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    static const struct field field = {"oom", 2, 1, 4, false, 2};
    double v[16];
    for (size_t b = 0; b < 4; b++) {
        double drift = 10000 * (1 + 0.02 * (double)b);
        v[4 * b] = drift;
        v[4 * b + 1] = 1.05 * drift * (1 + 0.001 * (double)(b % 2));
        v[4 * b + 2] = 1.1 * drift * (1 + 0.001 * (double)(b / 2));
        v[4 * b + 3] = b == 2 ? 0 : 1.3 * drift;
    }
    lab_open(&lab);
    field_plan(&lab, &field);
    field_run(&lab, &field, v);
    effects(&lab, &plain, &g);
    /* A mean of 5.0, 5.1, 5.0, 5.1 %. */
    row_is(&g, (const char *[]){"rmem r1 : r0", "+5.05%", "[+4.96%, +5.15%]",
                                "improved, >= 2% (few), over 1 of 2 pairs"});
    assert_true(noted(&g, "choose rmem=r0: the only level that never ended "
                          "early"));
    assert_true(noted(&g, "rmem=r1 not recommended: +5.05% against r0 where it "
                          "ran, out of memory or failed at "
                          "heap=h1,link=l0,rmem=r1"));
    assert_true(noted(&g, "not eligible, for a trial ran out of memory or "
                          "failed: heap=h1,link=l0,rmem=r1"));
    assert_true(noted(&g, "choose heap=h0: the only"));
    grid_fini(&g);
    lab_fini(&lab);
}

/* h1 is 10 % better over l0 and 5 % worse over l1. */
static void a_choice_that_depends_is_told_with_its_exception(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    static const struct field field = {"depends", 2, 2, 4, false, 0};
    double v[16];
    for (size_t b = 0; b < 4; b++) {
        double drift = 10000 * (1 + 0.02 * (double)b);
        double noise = 1 + 0.001 * (double)(b % 2);
        v[4 * b] = drift;
        v[4 * b + 1] = drift * noise;
        v[4 * b + 2] = 1.1 * drift * noise;
        v[4 * b + 3] = 0.95 * drift;
    }
    lab_open(&lab);
    field_plan(&lab, &field);
    field_run(&lab, &field, v);
    effects(&lab, &plain, &g);
    /* sqrt(1.1 * 0.95) = 1.0223; 1 / 0.95 = 1.0526, half of them 1.001 more */
    assert_true(noted(&g, "choose heap=h1: throughput +2.2"));
    assert_true(noted(&g, "; but h0 at link=l1 (+5.32%)"));
    grid_fini(&g);
    lab_fini(&lab);
}

/* Of heaps that are alike the smaller is enough. */
static void equals_are_told_as_equals(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    static const struct field field = {"equals", 2, 1, 3, false, 0};
    static const double v[] = {10000, 10010, 10200, 10190, 10400, 10402};
    lab_open(&lab);
    field_plan(&lab, &field);
    field_run(&lab, &field, v);
    effects(&lab, &plain, &g);
    assert_true(noted(&g, "keep heap=h0: in throughput not to be told from "
                          "h1 with 3 blocks: the smallest"));
    row_is(&g, (const char *[]){"heap h1 : h0", "+0.01%", "[-0.24%, +0.25%]",
                                "equivalent within 2% (few)"});
    grid_fini(&g);
    lab_fini(&lab);
}

static void a_block_that_is_not_whole_does_not_count(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    double v[60];
    memcpy(v, y, sizeof v);
    for (size_t i = 52; i < 60; i++)
        v[i] = NAN; /* 4 of 12 trials of the last block ran */
    lab_open(&lab);
    field_plan(&lab, &twelve);
    field_run(&lab, &twelve, v);
    effects(&lab, &plain, &g);
    assert_true(noted(&g, "4 blocks (those that are whole)"));
    grid_fini(&g);
    lab_fini(&lab);
}

/* Trial 31 is made 12 % slower, and was 2 % above what was to be expected. */
static void an_odd_trial_is_named_and_kept(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    double v[60];
    memcpy(v, y, sizeof v);
    v[30] *= 0.88;
    lab_open(&lab);
    field_plan(&lab, &twelve);
    field_run(&lab, &twelve, v);
    effects(&lab, &plain, &g);
    assert_true(noted(&g, "odd trials, kept: 1:31 -10% (against"));
    grid_fini(&g);
    lab_fini(&lab);
}

static void effects_need_a_factor_and_a_metric(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    static const struct field one = {"one", 1, 1, 3, false, 0};
    struct effects_options unknown = plain;
    unknown.metric = "speed";
    lab_open(&lab);
    field_plan(&lab, &one);
    grid_init(&g);
    check_err(answer_effects(lab.store, lab.experiment, &plain, &g, &why),
              ERR_NOTFOUND);
    check_says(why, "no factor has several levels");
    check_err(answer_effects(lab.store, lab.experiment, &unknown, &g, &why),
              ERR_NOTFOUND);
    check_says(why, "no metric \"speed\"");
    lab_exec(&lab, "update block set paired = 0");
    check_err(answer_effects(lab.store, lab.experiment, &plain, &g, &why),
              ERR_NOTFOUND);
    check_says(why, "names no blocks");
    grid_fini(&g);
    lab_fini(&lab);
}

static void an_untried_plan_has_no_effects_yet(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    lab_open(&lab);
    field_plan(&lab, &twelve);
    effects(&lab, &plain, &g);
    assert_true(noted(&g, "heap: no level to choose: too few blocks"));
    row_is(&g, (const char *[]){"rmem r1 : r0", "-", "-", "not measured"});
    grid_fini(&g);
    lab_fini(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effects_are_told_over_matching_cells),
        cmocka_unit_test(a_level_is_recommended_for_each_setting),
        cmocka_unit_test(programs_get_every_effect),
        cmocka_unit_test(what_ran_out_of_memory_is_never_recommended),
        cmocka_unit_test(a_choice_that_depends_is_told_with_its_exception),
        cmocka_unit_test(equals_are_told_as_equals),
        cmocka_unit_test(a_block_that_is_not_whole_does_not_count),
        cmocka_unit_test(an_odd_trial_is_named_and_kept),
        cmocka_unit_test(effects_need_a_factor_and_a_metric),
        cmocka_unit_test(an_untried_plan_has_no_effects_yet),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
