#include <stdio.h>

#include "results/grid.h"
#include "tests/lib/check.h"

static void a_grid_keeps_texts_and_numbers_by_cell(void **state)
{
    (void)state;
    struct grid g;
    char name[] = "heap";
    grid_init(&g);
    grid_column(&g, name, "", false);
    grid_column(&g, "throughput", "docs/s", true);
    name[0] = 'x'; /* texts are copied */
    for (int i = 0; i < 9; i++) {
        char text[8];
        (void)snprintf(text, sizeof text, "%dg", i);
        size_t row = grid_row(&g);
        assert_int_equal(row, i);
        grid_text(&g, row, 0, text);
        grid_value(&g, row, 1, i * 1.5, text);
    }
    grid_note(&g, "seed %d", 42);
    grid_note(&g, "second");
    grid_note(&g, "third");
    assert_string_equal(g.columns[0].name, "heap");
    assert_string_equal(g.columns[1].unit, "docs/s");
    assert_true(g.columns[1].right);
    assert_string_equal(g.cells[8 * 2].text, "8g");
    assert_false(g.cells[8 * 2].has_value);
    check_near(g.cells[8 * 2 + 1].value, 12, 0);
    assert_true(g.cells[8 * 2 + 1].has_value);
    assert_string_equal(g.notes[0], "seed 42");
    assert_int_equal(g.n_notes, 3);
    grid_text(&g, 8, 1, "failed"); /* a text takes the number away */
    assert_false(g.cells[8 * 2 + 1].has_value);
    grid_fini(&g);
    assert_int_equal(g.n_rows, 0);
}

static void new_cells_are_empty_texts(void **state)
{
    (void)state;
    struct grid g;
    grid_init(&g);
    grid_column(&g, "a", "", false);
    (void)grid_row(&g);
    assert_string_equal(g.cells[0].text, "");
    assert_false(g.cells[0].has_value);
    grid_fini(&g);
    grid_fini(&g); /* twice is fine */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_keeps_texts_and_numbers_by_cell),
        cmocka_unit_test(new_cells_are_empty_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
