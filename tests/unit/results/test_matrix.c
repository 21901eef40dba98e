#include <math.h>
#include <stdlib.h>

#include "results/handle.h"
#include "results/pivot.h"
#include "tests/unit/results/lab.h"

static struct why why;

static void matrix_load_reads_cells_levels_and_ends(void **state)
{
    (void)state;
    struct lab lab;
    struct matrix m;
    lab_open(&lab);
    lab_plan(&lab);
    lab_measure(&lab);
    check_ok(matrix_load(&m, lab.store->db, lab.experiment, &why), why);
    assert_int_equal(m.n_factors, 2);
    assert_string_equal(m.factors[1].name, "link");
    assert_string_equal(m.factors[1].labels[1], "eth200");
    assert_int_equal(m.n_cells, 5);
    assert_string_equal(m.cells[2].label, "heap=1g,link=loopback");
    assert_int_equal(m.cells[2].levels[0], 1);
    assert_int_equal(m.cells[2].levels[1], 0);
    assert_int_equal(m.cells[4].purpose, PURPOSE_CANARY);
    assert_int_equal(m.cells[4].canary_of, 0);
    static const enum matrix_end ends[10] = {
        MATRIX_OK, MATRIX_OOM, MATRIX_OK,     MATRIX_INVALID, MATRIX_OK,
        MATRIX_OK, MATRIX_OK,  MATRIX_FAILED, MATRIX_OK,      MATRIX_OK};
    assert_int_equal(m.n_trials, 10);
    for (size_t i = 0; i < 10; i++) {
        assert_int_equal(m.trials[i].tid, i + 1);
        assert_int_equal(m.trials[i].end, ends[i]);
    }
    assert_int_equal(m.trials[7].attempt, 0); /* failed: none is chosen */
    assert_int_equal(matrix_factor_find(&m, "heap,link", 4), 0);
    assert_true(matrix_factor_find(&m, "hea", 3) == SIZE_MAX);
    assert_int_equal(matrix_level_find(&m.factors[0], "1g"), 1);
    assert_true(matrix_level_find(&m.factors[0], "2g") == SIZE_MAX);
    matrix_fini(&m);
    lab_fini(&lab);
}

static void matrix_values_stand_by_their_trials(void **state)
{
    (void)state;
    struct lab lab;
    struct matrix m;
    double values[10];
    lab_open(&lab);
    lab_plan(&lab);
    lab_measure(&lab);
    check_ok(matrix_load(&m, lab.store->db, lab.experiment, &why), why);
    check_ok(matrix_values(&m, lab.store->db, metric_find("throughput"), values,
                           &why),
             why);
    check_near(values[0], 1000, 0);
    assert_true(isnan(values[1])); /* out of memory, nothing collected */
    check_near(values[6], 900, 0);
    assert_true(isnan(values[7]));
    check_near(values[9], 1210, 0);
    matrix_fini(&m);
    lab_fini(&lab);
}

static void a_store_whose_parts_do_not_fit_is_damaged(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "update factor set position = 7 where name = 'link'",
        "update level set position = 9 where label = 'eth200'",
        "update cell set position = 50 where position = 1",
        "update cell set position = -1 where position = 1",
        "update level set position = 0",
        "update cell_level set factor = 1, level = 3 where factor = 99"};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct lab lab;
        struct matrix m;
        lab_open(&lab);
        lab_plan(&lab);
        lab_exec(&lab, changes[i]);
        enum err e = matrix_load(&m, lab.store->db, lab.experiment, &why);
        /* The last one changes no row: it is the control. */
        check_err(e, i + 1 < sizeof changes / sizeof *changes ? ERR_CORRUPT
                                                              : ERR_OK);
        if (e)
            check_says(why, "its cells and levels do not fit together");
        matrix_fini(&m);
        lab_fini(&lab);
    }
}

/* heap 256m, 1g x link loopback, eth200, without 256m on eth200. */
static void make(struct matrix *m)
{
    static char *heaps[] = {"256m", "1g"}, *links[] = {"loopback", "eth200"};
    static struct matrix_factor factors[] = {{"heap", heaps, 2},
                                             {"link", links, 2}};
    static uint32_t levels[][2] = {{1, 1}, {1, 0}, {0, 0}, {0, 1}};
    static struct matrix_cell cells[] = {
        {"a", levels[0], PURPOSE_MEASURE, 0},
        {"b", levels[1], PURPOSE_MEASURE, 0},
        {"c", levels[2], PURPOSE_MEASURE, 0},
        {"d", levels[3], PURPOSE_CANARY, 0}}; /* a canary shows nothing */
    *m = (struct matrix){
        .factors = factors, .n_factors = 2, .cells = cells, .n_cells = 4};
}

static void pivot_has_the_combinations_that_there_are_in_order(void **state)
{
    (void)state;
    struct matrix m;
    struct pivot p;
    make(&m);
    check_ok(pivot_make(&p, &m, "link,heap", "", NULL, &why), why);
    assert_int_equal(p.rows.n, 3);
    assert_int_equal(p.cols.n, 1);
    /* loopback 256m, loopback 1g, eth200 1g */
    static const uint32_t rows[] = {0, 0, 0, 1, 1, 1};
    assert_memory_equal(p.rows.levels, rows, sizeof rows);
    assert_int_equal(p.group[0], 2);
    assert_int_equal(p.group[1], 1);
    assert_int_equal(p.group[2], 0);
    assert_true(p.group[3] == SIZE_MAX);
    pivot_fini(&p);
}

static void pivot_puts_links_side_by_side_unless_told(void **state)
{
    (void)state;
    struct matrix m;
    struct pivot p;
    make(&m);
    check_ok(pivot_make(&p, &m, NULL, NULL, NULL, &why), why);
    assert_int_equal(p.rows.n, 2);
    assert_int_equal(p.cols.n, 2);
    assert_int_equal(p.group[0], 3); /* 1g, eth200 */
    assert_int_equal(p.group[2], 0); /* 256m, loopback */
    pivot_fini(&p);
    check_ok(pivot_make(&p, &m, "link", NULL, NULL, &why), why);
    assert_int_equal(p.cols.n_factors, 0);
    assert_int_equal(p.rows.n, 2);
    pivot_fini(&p);
    m.n_factors = 1; /* a link alone would have no rows: it is one */
    m.factors++;
    static uint32_t only[] = {1, 0, 0, 1};
    struct matrix_cell cells[4];
    memcpy(cells, m.cells, sizeof cells);
    for (size_t i = 0; i < 4; i++)
        cells[i].levels = &only[i];
    m.cells = cells;
    check_ok(pivot_make(&p, &m, NULL, NULL, NULL, &why), why);
    assert_int_equal(p.rows.n, 2);
    assert_int_equal(p.cols.n, 1);
    pivot_fini(&p);
}

static void pivot_of_nothing_is_empty(void **state)
{
    (void)state;
    struct matrix m;
    struct pivot p;
    make(&m);
    check_ok(pivot_make(&p, &m, NULL, NULL, "heap=256m,link=eth200", &why),
             why);
    assert_int_equal(p.rows.n, 0);
    assert_int_equal(p.cols.n, 0);
    for (size_t c = 0; c < 4; c++)
        assert_true(p.group[c] == SIZE_MAX);
    pivot_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_load_reads_cells_levels_and_ends),
        cmocka_unit_test(matrix_values_stand_by_their_trials),
        cmocka_unit_test(a_store_whose_parts_do_not_fit_is_damaged),
        cmocka_unit_test(pivot_has_the_combinations_that_there_are_in_order),
        cmocka_unit_test(pivot_puts_links_side_by_side_unless_told),
        cmocka_unit_test(pivot_of_nothing_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
