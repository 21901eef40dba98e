#include <math.h>
#include <stdio.h>

#include "results/history.h"
#include "results/history_mark.h"
#include "tests/unit/results/field.h"

static struct why why;
static struct grid g;
static const struct history_options plain = {.margin_ratio = 0.02};

static const char *at(size_t row, const char *column)
{
    for (size_t c = 0; c < g.n_columns; c++)
        if (!strcmp(g.columns[c].name, column))
            return g.cells[row * g.n_columns + c].text;
    fail_msg("no column \"%s\"", column);
    return "";
}

static void history(struct lab *lab, const struct history_options *options)
{
    grid_fini(&g);
    grid_init(&g);
    check_ok(answer_history(lab->store, options, &g, &why), why);
}

/* Ten around 100, then n around 106: 6 % more. */
static void a_step_is_a_change_where_it_is(void **state)
{
    (void)state;
    static const double x[] = {100,  101, 99,  100.5, 99.5, 100.2, 99.8,  100.7,
                               99.3, 100, 106, 107,   105,  106.5, 105.5, 106};
    struct history_mark m[16];
    history_marks(x, 16, 0.02, m);
    for (size_t i = 0; i < 16; i++)
        assert_int_equal(m[i].kind, i == 10 ? HISTORY_CHANGE : HISTORY_PLAIN);
    check_near(m[10].ratio, 1.06, 0.002);
    assert_true(m[10].p <= 0.01);
    history_marks(x, 16, 0.10, m); /* it does not matter */
    for (size_t i = 0; i < 16; i++)
        assert_int_equal(m[i].kind, HISTORY_PLAIN);
}

static void a_jump_at_the_end_is_suspect_until_it_is_confirmed(void **state)
{
    (void)state;
    static const double x[] = {100, 101, 99, 100.5, 99.5, 106, 107};
    struct history_mark m[7];
    history_marks(x, 7, 0.02, m);
    assert_int_equal(m[5].kind, HISTORY_SUSPECT);
    assert_int_equal(m[5].confirmed, 2);
    /* 106.5 / 100 */
    check_near(m[5].ratio, 1.065, 1e-9);
    assert_int_equal(m[6].kind, HISTORY_PLAIN);
    history_marks(x, 6, 0.02, m);
    assert_int_equal(m[5].confirmed, 1);
    history_marks(x, 5, 0.02, m);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(m[i].kind, HISTORY_PLAIN);
    history_marks(x, 0, 0.02, m);
    history_marks(x, 1, 0.02, m);
    assert_int_equal(m[0].kind, HISTORY_PLAIN);
}

/* Four experiments of two cells; the third on another kernel. */
static void cells_are_followed_in_series_of_one_machine(void **state)
{
    (void)state;
    struct lab lab;
    static const char *const names[] = {"mon", "tue", "wed", "thu"};
    static const double first[] = {1000, 2000, 1210, 2000};
    lab_open(&lab);
    for (int i = 0; i < 4; i++) {
        char sql[300];
        const struct field field = {
            .name = names[i], .n_heaps = 2, .n_links = 1, .n_blocks = 2};
        field_plan(&lab, &field);
        field_run(&lab, &field, first);
        (void)snprintf(sql, sizeof sql,
                       "insert into host_fact (experiment, agent, name, value) "
                       "values (%lld, 'm', 'kernel', '6.%d')",
                       (long long)lab.experiment, i == 2 ? 2 : 1);
        lab_exec(&lab, sql);
    }
    lab_exec(&lab, "update experiment set state = 'finished', started = "
                   "'2026-01-0' || id || 'T00:00:00Z'");
    lab_exec(&lab, "update experiment set track = '/x/' || track || '.json' "
                   "where id = 2");
    history(&lab, &(struct history_options){.where = "heap=h0",
                                            .margin_ratio = 0.02});
    assert_int_equal(g.n_rows, 4);
    static const char *const series[] = {"1", "1", "1", "2"};
    static const char *const experiment[] = {"1", "2", "4", "3"};
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(at(i, "series"), series[i]);
        assert_string_equal(at(i, "experiment"), experiment[i]);
    }
    /* The geometric mean of 1000 and 1210. */
    assert_string_equal(at(0, "throughput"), "1100");
    assert_string_equal(at(0, "trials"), "2");
    assert_string_equal(at(3, "mark"), "new series: kernel=6.1 -> kernel=6.2");
    history(&lab, &plain);
    assert_int_equal(g.n_rows, 8);
    lab_exec(&lab, "update experiment set imported = 'csv' where id = 1");
    lab_exec(&lab, "update experiment set state = 'interrupted' where id = 2");
    history(&lab, &plain);
    assert_int_equal(g.n_rows, 4);
    lab_fini(&lab);
}

static void what_is_not_there_is_named(void **state)
{
    (void)state;
    struct lab lab;
    lab_open(&lab);
    lab_plan(&lab);
    lab_measure(&lab);
    static const struct {
        struct history_options options;
        enum err e;
        const char *says;
    } bad[] = {{{.metric = "speed"}, ERR_NOTFOUND, "no metric \"speed\""},
               {{.where = "heap=1g"}, ERR_NOTFOUND, "a cell with heap=1g"},
               {{.where = "heap"}, ERR_USAGE, "--where \"heap\": name=level"},
               {{.where = "=x"}, ERR_USAGE, "--where"},
               {{.where = "heap=,"}, ERR_USAGE, "--where"},
               {{.where = NULL}, ERR_NOTFOUND, "any levels"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        grid_fini(&g);
        grid_init(&g);
        check_err(answer_history(lab.store, &bad[i].options, &g, &why),
                  bad[i].e);
        check_says(why, bad[i].says);
    }
    lab_exec(&lab, "update experiment set state = 'finished'");
    history(&lab, &(struct history_options){
                      .where = "heap=1g,heap=256m,link=loopback,"
                               "track=geonames",
                      .margin_ratio = 0.02});
    assert_int_equal(g.n_rows, 2);
    lab_fini(&lab);
}

static int end(void **state)
{
    (void)state;
    grid_fini(&g);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_a_change_where_it_is),
        cmocka_unit_test(a_jump_at_the_end_is_suspect_until_it_is_confirmed),
        cmocka_unit_test(cells_are_followed_in_series_of_one_machine),
        cmocka_unit_test(what_is_not_there_is_named)};
    return cmocka_run_group_tests(tests, NULL, end);
}
