#include "results/answer.h"
#include "results/report_metrics.h"
#include "results/report_words.h"
#include "tests/unit/results/lab.h"

static struct why why;

static void sheet(struct lab *lab, const struct answer_report *options,
                  bool padded, struct sheet *out)
{
    lab_open(lab);
    lab_plan(lab);
    lab_measure(lab);
    lab_exec(lab, "update attempt set bound = 'driver' where id in (1, 5)");
    sheet_init(out);
    check_ok(
        answer_sheet(lab->store, lab->experiment, options, padded, out, &why),
        why);
}

static void table_is(const struct grid *g, size_t n_columns,
                     const char *const *want)
{
    assert_int_equal(g->n_columns, n_columns);
    for (size_t c = 0; c < n_columns; c++)
        assert_string_equal(g->columns[c].name, want[c]);
    for (size_t i = 0; i < g->n_rows * n_columns; i++)
        assert_string_equal(g->cells[i].text, want[n_columns + i]);
}

static void a_metric_has_a_table_with_the_links_side_by_side(void **state)
{
    (void)state;
    struct lab lab;
    struct sheet s;
    sheet(&lab, &(struct answer_report){.metrics = "throughput"}, false, &s);
    assert_int_equal(s.n_tables, 2);
    assert_string_equal(s.tables[0].notes[0],
                        "throughput [docs/s], higher is better");
    table_is(&s.tables[0], 3,
             (const char *[]){"heap", "loopback", "eth200", "256m",
                              "1100 ±14% †", "oom 1/2", "1g", "failed 1/2",
                              "900 n=1/2"});
    table_is(&s.tables[1], 3,
             (const char *[]){"heap", "loopback", "eth200", "256m",
                              "unclear 1, driver 1", "unclear", "1g", "driver",
                              "unclear"});
    assert_true(!strncmp(s.legend.notes[0], "† the load generator", 22));
    sheet_fini(&s);
    lab_fini(&lab);
}

/* In a column: values of 4, spreads of 6 and marks of 1 character at most. */
static void pieces_of_a_column_stand_under_each_other(void **state)
{
    (void)state;
    struct lab lab;
    struct sheet s;
    sheet(&lab,
          &(struct answer_report){.rows = "heap",
                                  .cols = "link",
                                  .metrics = "throughput,bytes_per_read",
                                  .where = "link=loopback"},
          true, &s);
    assert_int_equal(s.n_tables, 3);
    assert_string_equal(s.tables[0].cells[1].text, "1100 ±14% †");
    /* The target's own figure has no mark of the driver. */
    assert_string_equal(s.tables[1].cells[1].text, "1.100 kB ±14%");
    sheet_fini(&s);
    lab_fini(&lab);
}

static void metrics_can_go_down_and_those_without_figures_go(void **state)
{
    (void)state;
    struct lab lab;
    struct sheet s;
    sheet(&lab,
          &(struct answer_report){.rows = "metric",
                                  .cols = "link",
                                  .metrics = "throughput,latency_p99",
                                  .where = "heap=256m"},
          false, &s);
    assert_int_equal(s.n_tables, 1);
    table_is(&s.tables[0], 4,
             (const char *[]){"metric", "unit", "loopback", "eth200",
                              "throughput", "docs/s", "1100 ±14% †", "oom 1/2",
                              "bound by", "", "unclear 1, driver 1",
                              "unclear"});
    assert_string_equal(s.legend.notes[s.legend.n_notes - 1],
                        "not measured here: latency_p99");
    sheet_fini(&s);
    lab_fini(&lab);
}

static void metrics_stand_side_by_side_where_no_factor_does(void **state)
{
    (void)state;
    struct lab lab;
    struct sheet s;
    sheet(&lab,
          &(struct answer_report){.rows = "heap",
                                  .cols = "",
                                  .metrics = "throughput,bytes_per_read",
                                  .where = "link=loopback"},
          false, &s);
    assert_int_equal(s.n_tables, 1);
    table_is(&s.tables[0], 4,
             (const char *[]){"heap", "throughput", "bytes per read",
                              "bound by", "256m", "1100 ±14% †",
                              "1.100 kB ±14%", "unclear 1, driver 1", "1g",
                              "failed 1/2", "failed 1/2", "driver"});
    sheet_fini(&s);
    lab_fini(&lab);
}

/* The published table has heap, predictor, then these 13. */
static void the_set_allocation_is_the_published_table(void **state)
{
    (void)state;
    const struct metric *m[64];
    size_t n = 0;
    check_ok(report_metrics("allocation", m, 64, &n, &why), why);
    assert_int_equal(n, 13);
    assert_string_equal(m[0]->name, "throughput_median");
    assert_string_equal(m[5]->name, "outside_bytes");
    assert_string_equal(m[12]->name, "tlab_bytes_s");
    check_ok(report_metrics("throughput,gc,rally", m, 64, &n, &why), why);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            assert_ptr_not_equal(m[i], m[j]);
    check_err(report_metrics("rally", m, 3, &n, &why), ERR_USAGE);
    check_err(report_metrics("speed", m, 64, &n, &why), ERR_NOTFOUND);
    check_says(why, "summary, allocation, rally and gc are sets");
}

static void numbers_are_short_and_bytes_have_their_unit(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *unit, *text;
    } cases[] = {{0, "docs/s", "0"},
                 {1371, "docs/s", "1371"},
                 {9999.4, "docs/s", "9999"},
                 {59240.4, "docs/s", "59.24k"},
                 {1607366.8, "docs/s", "1607k"},
                 {0.04567, "ms", "0.04567"},
                 {152, "bytes", "152 bytes"},
                 {46570000, "bytes", "46.57 MB"},
                 {188.15e9, "bytes", "188.2 GB"},
                 {135.44e6, "bytes/s", "135.4 MB/s"},
                 {-2500, "bytes", "-2.500 kB"}};
    char buf[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(
            report_number(cases[i].value, cases[i].unit, buf, sizeof buf),
            cases[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_metric_has_a_table_with_the_links_side_by_side),
        cmocka_unit_test(pieces_of_a_column_stand_under_each_other),
        cmocka_unit_test(metrics_can_go_down_and_those_without_figures_go),
        cmocka_unit_test(metrics_stand_side_by_side_where_no_factor_does),
        cmocka_unit_test(the_set_allocation_is_the_published_table),
        cmocka_unit_test(numbers_are_short_and_bytes_have_their_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
