#include <stdio.h>
#include <stdlib.h>

#include "controller/table.h"
#include "tests/lib/check.h"

static struct grid grid;

/* heap | throughput [docs/s] | note, with a number, a word, a gap. */
static int begin(void **state)
{
    (void)state;
    grid_init(&grid);
    grid_note(&grid, "experiment 1 \"demo\", seed %d", 42);
    grid_column(&grid, "heap", "", false);
    grid_column(&grid, "throughput", "docs/s", true);
    grid_column(&grid, "note", "", false);
    size_t r = grid_row(&grid);
    grid_text(&grid, r, 0, "256m");
    grid_value(&grid, r, 1, 12345.5, "12,346");
    grid_text(&grid, r, 2, "a | b");
    r = grid_row(&grid);
    grid_text(&grid, r, 0, "1g");
    grid_text(&grid, r, 1, "oom 3/3");
    r = grid_row(&grid);
    grid_text(&grid, r, 0, "says \"x\", twice");
    grid_value(&grid, r, 1, 18, "18");
    return 0;
}

static int end(void **state)
{
    (void)state;
    grid_fini(&grid);
    return 0;
}

static void prints(enum table_form form, const char *want)
{
    char *text = NULL;
    struct why why = {""};
    check_ok(table_print(&grid, form, &text, &why), why);
    assert_string_equal(text, want);
    free(text);
}

static void text_has_notes_headings_and_numbers_to_the_right(void **state)
{
    (void)state;
    prints(TABLE_TEXT, "experiment 1 \"demo\", seed 42\n"
                       "\n"
                       "                throughput\n"
                       "heap                docs/s note\n"
                       "256m                12,346 a | b\n"
                       "1g                 oom 3/3\n"
                       "says \"x\", twice         18\n");
}

static void markdown_escapes_bars(void **state)
{
    (void)state;
    prints(TABLE_MARKDOWN, "experiment 1 \"demo\", seed 42\n"
                           "\n"
                           "| heap | throughput [docs/s] | note |\n"
                           "|---|---:|---|\n"
                           "| 256m | 12,346 | a \\| b |\n"
                           "| 1g | oom 3/3 |  |\n"
                           "| says \"x\", twice | 18 |  |\n");
}

static void csv_quotes_and_keeps_numbers_raw(void **state)
{
    (void)state;
    prints(TABLE_CSV, "heap,throughput [docs/s],note\n"
                      "256m,12345.5,a | b\n"
                      "1g,oom 3/3,\n"
                      "\"says \"\"x\"\", twice\",18,\n");
}

static void json_has_numbers_words_and_nulls(void **state)
{
    (void)state;
    prints(TABLE_JSON, "{\n"
                       "  \"notes\": [\n"
                       "    \"experiment 1 \\\"demo\\\", seed 42\"\n"
                       "  ],\n"
                       "  \"columns\": [\n"
                       "    {\n"
                       "      \"name\": \"heap\",\n"
                       "      \"unit\": \"\"\n"
                       "    },\n"
                       "    {\n"
                       "      \"name\": \"throughput\",\n"
                       "      \"unit\": \"docs/s\"\n"
                       "    },\n"
                       "    {\n"
                       "      \"name\": \"note\",\n"
                       "      \"unit\": \"\"\n"
                       "    }\n"
                       "  ],\n"
                       "  \"rows\": [\n"
                       "    {\n"
                       "      \"heap\": \"256m\",\n"
                       "      \"throughput\": 12345.5,\n"
                       "      \"note\": \"a | b\"\n"
                       "    },\n"
                       "    {\n"
                       "      \"heap\": \"1g\",\n"
                       "      \"throughput\": \"oom 3/3\",\n"
                       "      \"note\": null\n"
                       "    },\n"
                       "    {\n"
                       "      \"heap\": \"says \\\"x\\\", twice\",\n"
                       "      \"throughput\": 18,\n"
                       "      \"note\": null\n"
                       "    }\n"
                       "  ]\n"
                       "}\n");
}

static void json_has_facts_and_keeps_columns_of_one_name_apart(void **state)
{
    (void)state;
    char *text = NULL;
    struct grid g;
    struct why why = {""};
    grid_init(&g);
    grid_column(&g, "id", "", true);
    grid_column(&g, "id", "", true);
    (void)grid_row(&g);
    grid_value(&g, 0, 0, 1, "1");
    grid_value(&g, 0, 1, 2, "2");
    grid_fact(&g, "alpha", 0.025);
    grid_fact(&g, "looks", 1);
    grid_fact_text(&g, "seed", "18446744073709551615");
    check_ok(table_print(&g, TABLE_JSON, &text, &why), why);
    assert_non_null(strstr(text, "\"id\": 1"));
    assert_non_null(strstr(text, "\"id_2\": 2"));
    assert_non_null(strstr(text, "\"alpha\": 0.025,"));
    assert_non_null(strstr(text, "\"looks\": 1,"));
    assert_non_null(strstr(text, "\"seed\": \"18446744073709551615\""));
    free(text);
    grid_fini(&g);
}

static void a_grid_without_rows_prints_its_headings(void **state)
{
    (void)state;
    struct grid g;
    char *text = NULL;
    struct why why = {""};
    grid_init(&g);
    check_ok(table_print(&g, TABLE_TEXT, &text, &why), why);
    assert_string_equal(text, "");
    free(text);
    grid_column(&g, "id", "", true);
    grid_column(&g, "name", "", false);
    check_ok(table_print(&g, TABLE_TEXT, &text, &why), why);
    assert_string_equal(text, "id name\n");
    free(text);
    check_ok(table_print(&g, TABLE_CSV, &text, &why), why);
    assert_string_equal(text, "id,name\n");
    free(text);
    grid_fini(&g);
}

static void wide_tables_are_not_cut(void **state)
{
    (void)state;
    struct grid g;
    char *text = NULL, wide[301];
    struct why why = {""};
    memset(wide, 'x', 300);
    wide[300] = '\0';
    grid_init(&g);
    grid_column(&g, "a", "", false);
    grid_column(&g, "b", "", false);
    (void)grid_row(&g);
    grid_text(&g, 0, 0, wide);
    grid_text(&g, 0, 1, wide);
    check_ok(table_print(&g, TABLE_TEXT, &text, &why), why);
    char *line = strchr(text, '\n') + 1;
    assert_int_equal(strlen(line), 300 + 1 + 300 + 1);
    free(text);
    grid_fini(&g);
}

static void long_texts_among_numbers_go_on_below(void **state)
{
    (void)state;
    char text[200], csv[300], want[800];
    const char *const as = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";    /* 30 */
    const char *const bs = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"; /* 33 */
    const char *const ds = "ddddddddddddddddddddddddddddddddd"; /* 33 */
    grid_init(&grid);
    grid_column(&grid, "fact", "", false);
    grid_column(&grid, "value", "", true);
    size_t r = grid_row(&grid);
    grid_text(&grid, r, 0, "many");
    /* 30 + 1 + 33 are 64; the last word has 66 and stays whole */
    (void)snprintf(text, sizeof text, "%s %s c %s%s", as, bs, ds, ds);
    grid_text(&grid, r, 1, text);
    r = grid_row(&grid);
    grid_text(&grid, r, 0, "one");
    grid_value(&grid, r, 1, 1, "1");
    (void)snprintf(want, sizeof want,
                   "fact %66s\nmany   %s %s\n     %66s\n     %s%s\n"
                   "one  %66s\n",
                   "value", as, bs, "c", ds, ds, "1");
    prints(TABLE_TEXT, want);
    (void)snprintf(csv, sizeof csv, "fact,value\nmany,%s\none,1\n", text);
    prints(TABLE_CSV, csv);
    grid_fini(&grid);
}

static void text_is_utf8_in_any_locale(void **state)
{
    (void)state;
    struct grid g;
    char *text = NULL;
    struct why why = {""};
    grid_init(&g);
    grid_column(&g, "a", "", true);
    grid_column(&g, "b", "", true);
    (void)grid_row(&g);
    (void)grid_row(&g);
    grid_text(&g, 0, 0, "1 \u00b15%x");
    grid_text(&g, 0, 1, "x");
    grid_text(&g, 1, 0, "123456");
    grid_text(&g, 1, 1, "y");
    check_ok(table_print(&g, TABLE_TEXT, &text, &why), why);
    assert_string_equal(text, "     a b\n"
                              "1 \u00b15%x x\n"
                              "123456 y\n");
    free(text);
    grid_fini(&g);
}

static void table_form_parse_names_the_forms(void **state)
{
    (void)state;
    enum table_form form = TABLE_TEXT;
    struct why why = {""};
    check_ok(table_form_parse("md", &form, &why), why);
    assert_int_equal(form, TABLE_MARKDOWN);
    check_err(table_form_parse("xml", &form, &why), ERR_USAGE);
    assert_string_equal(why.text,
                        "--format: \"xml\" is not text, md, csv, json or html");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(text_has_notes_headings_and_numbers_to_the_right),
        CASE(markdown_escapes_bars),
        CASE(csv_quotes_and_keeps_numbers_raw),
        CASE(json_has_numbers_words_and_nulls),
        cmocka_unit_test(json_has_facts_and_keeps_columns_of_one_name_apart),
        cmocka_unit_test(a_grid_without_rows_prints_its_headings),
        cmocka_unit_test(text_is_utf8_in_any_locale),
        cmocka_unit_test(wide_tables_are_not_cut),
        cmocka_unit_test(long_texts_among_numbers_go_on_below),
        cmocka_unit_test(table_form_parse_names_the_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
