#include <stdio.h>

#include "results/answer.h"
#include "tests/unit/results/lab.h"

static struct why why;

static void measured(struct lab *lab)
{
    lab_open(lab);
    lab_plan(lab);
    lab_measure(lab);
}

static void report(struct lab *lab, const struct answer_report *options,
                   struct grid *grid)
{
    grid_init(grid);
    check_ok(answer_report(lab->store, lab->experiment, options, grid, &why),
             why);
}

static const struct grid_cell *cell(const struct grid *g, size_t row, size_t c)
{
    assert_true(row < g->n_rows);
    assert_true(c < g->n_columns);
    return &g->cells[row * g->n_columns + c];
}

static void row_is(const struct grid *g, size_t row, const char *const *want)
{
    for (size_t c = 0; c < g->n_columns; c++)
        assert_string_equal(cell(g, row, c)->text, want[c]);
}

static bool noted(const struct grid *g, const char *part)
{
    for (size_t i = 0; i < g->n_notes; i++)
        if (strstr(g->notes[i], part))
            return true;
    return false;
}

static void report_is_the_matrix_with_links_side_by_side(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    measured(&lab);
    report(&lab, &(struct answer_report){.metrics = "throughput,latency_p99"},
           &g);
    static const char *const columns[] = {"heap",
                                          "throughput loopback",
                                          "throughput eth200",
                                          "throughput loopback cv",
                                          "throughput eth200 cv",
                                          "throughput loopback n",
                                          "throughput eth200 n",
                                          "latency_p99 loopback",
                                          "latency_p99 eth200",
                                          "latency_p99 loopback cv",
                                          "latency_p99 eth200 cv",
                                          "latency_p99 loopback n",
                                          "latency_p99 eth200 n",
                                          "bound loopback",
                                          "bound eth200"};
    assert_int_equal(g.n_columns, 15);
    for (size_t c = 0; c < 15; c++)
        assert_string_equal(g.columns[c].name, columns[c]);
    assert_string_equal(g.columns[1].unit, "docs/s");
    assert_string_equal(g.columns[7].unit, "ms");
    /* sqrt(1000 * 1210) = 1100; s = ln 1.21 / sqrt 2 = 0.134790,
     * cv = sqrt(exp(0.018168) - 1) = 0.1354. */
    row_is(&g, 0,
           (const char *[]){"256m", "1100", "oom 1/2", "13.54", "", "2", "1",
                            "-", "oom 1/2", "", "", "0", "0", "unclear",
                            "unclear"});
    row_is(&g, 1,
           (const char *[]){"1g", "failed 1/2", "900", "", "", "1", "1",
                            "failed 1/2", "-", "", "", "0", "0", "unclear",
                            "unclear"});
    assert_int_equal(g.n_rows, 2);
    assert_true(cell(&g, 0, 1)->has_value);
    check_near(cell(&g, 0, 1)->value, 1100, 1e-9);
    assert_false(cell(&g, 0, 2)->has_value);
    grid_fini(&g);
    lab_fini(&lab);
}

static void report_heads_the_table_with_what_was_measured(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    measured(&lab);
    check_ok(store_facts_add(lab.store, lab.experiment, "here",
                             "kernel=6.18\ncpu_model=EPYC\ncpus=2\n"
                             "congestion=bbr\nother=x\n",
                             &why),
             why);
    check_ok(store_experiment_end(lab.store, lab.experiment, "finished", &why),
             why);
    lab_exec(&lab,
             "update level set label = 'emulated', value = "
             "'veth:mtu=1500+emulates=ethernet' where value glob 'veth*'");
    lab_exec(&lab, "insert into note(experiment, trial, at, text) values "
                   "(1, null, '2026-12-01', 'fan' || char(10) || 'loud'), "
                   "(1, 3, '2026-12-02', 'odd')");
    report(&lab, &(struct answer_report){.rows = NULL}, &g);
    assert_true(noted(&g, "note, 2026-12-01: fan loud"));
    assert_true(noted(&g, "note on trial 3, 2026-12-02: odd"));
    assert_true(noted(&g, "invalid by rule: documents disagree 1 (left out"));
    assert_true(noted(&g, "link emulated: no ethernet, but emulated on one "
                          "machine: veth:mtu=1500"));
    assert_true(noted(&g, "demo: experiment 1, 20"));
    assert_true(noted(&g, ", finished"));
    assert_true(noted(&g, "track geonames, challenge append-no-conflicts, "
                          "target pitwall"));
    assert_true(noted(&g, "2 iterations of 4 cells, order blocks, seed "
                          "18446744073709551615; warm-up 1.00 s, window "
                          "2.00 s"));
    assert_true(noted(&g, "machine here: EPYC, 2 cpus, Linux 6.18, congestion "
                          "bbr"));
    assert_true(
        noted(&g, "8 trials: 5 ok, 1 oom, 1 failed, 1 invalid, 0 open"));
    /* ln(1010 / 1000) = 0.00995 and ln(1210 / 1210) = 0: mean 0.004975, s =
     * 0.00995 / sqrt 2 = 0.007036. */
    assert_true(noted(&g, "A/A: heap=256m,link=loopback again: throughput "
                          "+0.5%, noise 0.7%, n=2"));
    /* heap, 4 metrics x (value, cv, n) and bound for 2 links */
    assert_int_equal(g.n_columns, 27);
    grid_fini(&g);
    lab_fini(&lab);
}

static void report_lays_rows_and_columns_as_asked(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    measured(&lab);
    report(&lab,
           &(struct answer_report){
               .rows = "link,heap", .cols = "", .metrics = "throughput"},
           &g);
    assert_int_equal(g.n_columns, 6);
    assert_string_equal(g.columns[2].name, "throughput");
    assert_string_equal(g.columns[3].name, "throughput cv");
    assert_string_equal(g.columns[4].name, "throughput n");
    assert_string_equal(g.columns[5].name, "bound");
    row_is(
        &g, 0,
        (const char *[]){"loopback", "256m", "1100", "13.54", "2", "unclear"});
    row_is(
        &g, 1,
        (const char *[]){"loopback", "1g", "failed 1/2", "", "1", "unclear"});
    row_is(&g, 2,
           (const char *[]){"eth200", "256m", "oom 1/2", "", "1", "unclear"});
    row_is(&g, 3, (const char *[]){"eth200", "1g", "900", "", "1", "unclear"});
    assert_false(noted(&g, "averaged over"));
    grid_fini(&g);
    lab_fini(&lab);
}

/* Trials 1 and 10 are of 256m over loopback, 3 and 8 of 1g. */
static void report_has_what_bounded_each_cell(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    lab_open(&lab);
    lab_plan(&lab);
    (void)lab_docs(&lab, 1, 1000, 1000);
    (void)lab_docs(&lab, 10, 1000, 1000);
    (void)lab_docs(&lab, 3, 2000, 2000);
    (void)lab_docs(&lab, 8, 2000, 2000);
    lab_exec(&lab, "update attempt set bound = 'target-cpu', bound_shared = 1");
    lab_exec(&lab, "update attempt set bound = 'driver' where trial = 3");
    report(&lab,
           &(struct answer_report){.metrics = "throughput",
                                   .where = "link=loopback"},
           &g);
    row_is(&g, 0, (const char *[]){"256m", "1000", "0", "2", "target-cpu*"});
    row_is(
        &g, 1,
        (const char *[]){"1g", "2000", "0", "2", "driver* 1, target-cpu* 1"});
    assert_true(noted(&g, "bound by: target-cpu* 3, driver* 1"));
    assert_true(noted(&g, "* shared host"));
    assert_true(noted(&g, "1 trials were bounded by the load generator"));
    grid_fini(&g);
    lab_fini(&lab);
}

static void report_says_what_it_averages_over(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    measured(&lab);
    report(&lab,
           &(struct answer_report){
               .rows = "heap", .cols = "", .metrics = "throughput"},
           &g);
    row_is(&g, 0, (const char *[]){"256m", "oom 1/4", "", "3", "unclear"});
    row_is(&g, 1, (const char *[]){"1g", "failed 1/4", "", "2", "unclear"});
    assert_true(noted(&g, "averaged over: link"));
    grid_fini(&g);
    report(&lab,
           &(struct answer_report){.rows = "heap",
                                   .cols = "",
                                   .metrics = "throughput",
                                   .where = "link=eth200"},
           &g);
    assert_true(noted(&g, "every cell: link=eth200"));
    assert_false(noted(&g, "averaged over"));
    grid_fini(&g);
    lab_fini(&lab);
}

static void report_shows_the_cells_that_were_asked_for(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    measured(&lab);
    report(&lab,
           &(struct answer_report){.metrics = "throughput",
                                   .where = "heap=256m,link=loopback"},
           &g);
    assert_int_equal(g.n_rows, 1);
    assert_int_equal(g.n_columns, 5);
    row_is(&g, 0, (const char *[]){"256m", "1100", "13.54", "2", "unclear"});
    grid_fini(&g);
    report(&lab,
           &(struct answer_report){.metrics = "throughput",
                                   .where = "link=loopback,link=eth200"},
           &g);
    assert_int_equal(g.n_columns, 9);
    assert_int_equal(g.n_rows, 2);
    grid_fini(&g);
    lab_fini(&lab);
}

static void report_refuses_what_the_experiment_has_not(void **state)
{
    (void)state;
    static const struct {
        struct answer_report options;
        enum err e;
        const char *says;
    } bad[] = {
        {{.rows = "heap,predictor"},
         ERR_NOTFOUND,
         "no factor \"predictor\" here; there are: heap, link"},
        {{.where = "link=eth100"},
         ERR_NOTFOUND,
         "factor link has no level \"eth100\" here; it has: loopback, eth200"},
        {{.where = "link"}, ERR_USAGE, "\"link\" is not factor=level"},
        {{.where = "=x"}, ERR_NOTFOUND, "no factor \"\""},
        {{.rows = "heap,heap"}, ERR_USAGE, "factor heap is named twice"},
        {{.rows = "heap", .cols = "heap"},
         ERR_USAGE,
         "factor heap is in rows and columns"},
        {{.metrics = "speed"}, ERR_NOTFOUND, "no metric \"speed\""},
    };
    struct lab lab;
    measured(&lab);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct grid g;
        grid_init(&g);
        check_err(
            answer_report(lab.store, lab.experiment, &bad[i].options, &g, &why),
            bad[i].e);
        check_says(why, bad[i].says);
        grid_fini(&g);
    }
    struct grid g;
    grid_init(&g);
    check_err(answer_report(lab.store, 7, &bad[0].options, &g, &why),
              ERR_NOTFOUND);
    grid_fini(&g);
    lab_fini(&lab);
}

static void report_of_an_untried_plan_has_dashes(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    lab_open(&lab);
    lab_plan(&lab);
    report(&lab, &(struct answer_report){.metrics = "throughput"}, &g);
    row_is(&g, 0, (const char *[]){"256m", "-", "-", "", "", "0", "0", "", ""});
    assert_true(
        noted(&g, "8 trials: 0 ok, 0 oom, 0 failed, 0 invalid, 8 open"));
    assert_true(noted(&g, "no pair yet"));
    grid_fini(&g);
    lab_fini(&lab);
}

static void report_shows_invalid_cells_and_counts(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    lab_open(&lab);
    lab_plan(&lab);
    (void)lab_docs(&lab, 1, 1000, 999);
    (void)lab_docs(&lab, 10, 1000, 999);
    (void)lab_docs(&lab, 3, 2000, 2000);
    (void)lab_docs(&lab, 8, 2004, 2004);
    report(&lab,
           &(struct answer_report){.metrics = "reads,docs_acked",
                                   .where = "link=loopback"},
           &g);
    row_is(&g, 0,
           (const char *[]){"256m", "invalid 2/2", "", "0", "invalid 2/2", "",
                            "0", ""});
    row_is(&g, 1,
           (const char *[]){"1g", "10", "", "2", "2002", "", "2", "unclear"});
    grid_fini(&g);
    lab_fini(&lab);
}

static void a_superseded_block_is_not_shown(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    measured(&lab);
    lab_exec(&lab, "update block set superseded = 1 where iteration = 2");
    report(&lab, &(struct answer_report){.metrics = "throughput"}, &g);
    row_is(&g, 0,
           (const char *[]){"256m", "1000", "oom 1/1", "", "", "1", "0",
                            "unclear", ""});
    row_is(&g, 1,
           (const char *[]){"1g", "2000", "invalid 1/1", "", "", "1", "0",
                            "unclear", ""});
    grid_fini(&g);
    lab_fini(&lab);
}

static void a_damaged_figure_is_never_averaged(void **state)
{
    (void)state;
    struct lab lab;
    struct grid g;
    measured(&lab);
    lab_exec(&lab, "update metric set value = 1001 where value = 1000 and "
                   "name = 'throughput' and task = ''");
    grid_init(&g);
    check_err(answer_report(lab.store, lab.experiment,
                            &(struct answer_report){.rows = NULL}, &g, &why),
              ERR_CORRUPT);
    check_says(why, "metric attempt=1 name=throughput");
    grid_fini(&g);
    lab_fini(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(report_is_the_matrix_with_links_side_by_side),
        cmocka_unit_test(report_heads_the_table_with_what_was_measured),
        cmocka_unit_test(report_lays_rows_and_columns_as_asked),
        cmocka_unit_test(report_has_what_bounded_each_cell),
        cmocka_unit_test(report_says_what_it_averages_over),
        cmocka_unit_test(report_shows_the_cells_that_were_asked_for),
        cmocka_unit_test(report_refuses_what_the_experiment_has_not),
        cmocka_unit_test(report_of_an_untried_plan_has_dashes),
        cmocka_unit_test(report_shows_invalid_cells_and_counts),
        cmocka_unit_test(a_superseded_block_is_not_shown),
        cmocka_unit_test(a_damaged_figure_is_never_averaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
