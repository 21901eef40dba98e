#include <stdio.h>
#include <stdlib.h>

#include "controller/matrix.h"
#include "tests/lib/check.h"

static struct experiment *ex;

static int begin(void **state)
{
    (void)state;
    ex = malloc(sizeof *ex);
    assert_non_null(ex);
    experiment_init(ex);
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(ex);
    return 0;
}

static void add(const char *option)
{
    struct why why = {""};
    check_ok(experiment_option(ex, option, &why), why);
}

static void exclude(const char *text)
{
    struct why why = {""};
    check_ok(experiment_exclude(ex, text, &why), why);
}

static void cells_are(size_t n_cells, const uint32_t *levels)
{
    struct matrix m;
    struct why why = {""};
    check_ok(matrix_expand(ex, &m, &why), why);
    assert_int_equal(m.n_cells, n_cells);
    if (levels)
        assert_memory_equal(m.levels, levels,
                            n_cells * m.n_axes * sizeof *levels);
    matrix_free(&m);
}

static void no_axis_makes_one_cell(void **state)
{
    (void)state;
    cells_are(1, NULL);
}

static void the_first_axis_turns_slowest(void **state)
{
    (void)state;
    static const uint32_t want[] = {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2};
    add("heap=1g,2g");
    add("rmem=default,low,high");
    cells_are(6, want);
}

static void an_exclude_takes_every_cell_that_holds_its_levels(void **state)
{
    (void)state;
    static const uint32_t want[] = {0, 0, 1, 0, 1, 1};
    add("heap=256m,1g");
    add("rmem=default,low");
    exclude("heap=256m,rmem=low");
    cells_are(3, want);
    add("link=loopback,eth@veth:mtu=1500"); /* 2 x 2 x 2 - 2 */
    cells_are(6, NULL);
}

static void an_exclude_of_one_factor_takes_a_whole_level(void **state)
{
    (void)state;
    static const uint32_t want[] = {0, 0, 0, 1, 2, 0, 2, 1};
    add("heap=1g,2g,4g");
    add("rmem=low,high");
    exclude("heap=2g");
    cells_are(4, want);
}

static void the_same_factor_twice_in_an_exclude_means_either(void **state)
{
    (void)state;
    static const uint32_t want[] = {0, 1, 1, 1, 2, 0, 2, 1};
    add("heap=1g,2g,4g");
    add("rmem=low,high");
    exclude("heap=1g,rmem=low,heap=2g");
    cells_are(4, want);
}

static void the_demo_has_12_cells(void **state)
{
    (void)state;
    /* 2 x 2 x 2 x 2 = 16, less 2 x 2 with heap=256m and rmem=low */
    add("heap=256m,1g");
    add("predictor=fixed:64k,adaptive:1k-512k");
    add("rmem=default,low");
    add("link=loopback,eth200@veth:mtu=1500+rate=200mbit+burst=32kb+"
        "offloads=off");
    exclude("heap=256m,rmem=low");
    cells_are(12, NULL);
}

static void zipped_axes_advance_together(void **state)
{
    (void)state;
    /* rmem and link turn as one, heap as another: 2 x 2 cells */
    static const uint32_t want[] = {0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1};
    struct why why = {""};
    add("rmem=low,high");
    add("heap=1g,2g");
    add("link=loopback,veth");
    check_ok(experiment_zip(ex, "rmem,link", &why), why);
    cells_are(4, want);
}

static void an_exclude_that_matches_nothing_is_an_error(void **state)
{
    (void)state;
    struct matrix m;
    struct why why = {""};
    add("rmem=low,high");
    add("heap=1g,2g");
    check_ok(experiment_zip(ex, "rmem,heap", &why), why);
    exclude("rmem=low,heap=2g"); /* the zip never makes that pair */
    check_err(matrix_expand(ex, &m, &why), ERR_INVALID);
    assert_string_equal(why.text, "exclude rmem=low,heap=2g matches no cell");
    assert_null(m.levels);
}

static void excludes_that_leave_nothing_are_an_error(void **state)
{
    (void)state;
    struct matrix m;
    struct why why = {""};
    add("heap=1g");
    exclude("heap=1g");
    check_err(matrix_expand(ex, &m, &why), ERR_INVALID);
    assert_string_equal(why.text, "the excludes leave no cell");
}

/* "NAME=1,2,...,n" */
static void add_numbers(const char *name, unsigned n)
{
    char text[512];
    size_t used = (size_t)snprintf(text, sizeof text, "%s=1", name);
    for (unsigned i = 2; i <= n; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, ",%u", i);
    add(text);
}

static void more_than_10000_cells_are_refused(void **state)
{
    (void)state;
    struct matrix m;
    struct why why = {""};
    add_numbers("track.a", 50);
    add_numbers("track.b", 50);
    add_numbers("track.c", 4); /* 50 x 50 x 4 = 10000 */
    cells_are(10000, NULL);
    add_numbers("track.c", 5); /* 12500 */
    check_err(matrix_expand(ex, &m, &why), ERR_RANGE);
    assert_string_equal(why.text, "more than 10000 cells");
    add_numbers("track.d", 60);
    add_numbers("track.e", 60); /* 45 million */
    check_err(matrix_expand(ex, &m, &why), ERR_RANGE);
    assert_string_equal(why.text,
                        "the factors make more than 1000000 combinations; at "
                        "most 10000 cells can be run");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(no_axis_makes_one_cell),
        CASE(the_first_axis_turns_slowest),
        CASE(an_exclude_takes_every_cell_that_holds_its_levels),
        CASE(an_exclude_of_one_factor_takes_a_whole_level),
        CASE(the_same_factor_twice_in_an_exclude_means_either),
        CASE(the_demo_has_12_cells),
        CASE(zipped_axes_advance_together),
        CASE(an_exclude_that_matches_nothing_is_an_error),
        CASE(excludes_that_leave_nothing_are_an_error),
        CASE(more_than_10000_cells_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
