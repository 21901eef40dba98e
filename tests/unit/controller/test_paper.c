#include <stdlib.h>

#include "controller/paper.h"
#include "tests/lib/check.h"

static struct why why;

static void prints(enum table_form form, const char *want)
{
    struct sheet s;
    char *text = NULL;
    sheet_init(&s);
    grid_note(&s.title, "demo: experiment 1");
    grid_note(&s.conditions, "seed 42");
    grid_note(&s.trust, "8 trials: 8 ok, link a<b");
    struct grid *g = sheet_table(&s);
    grid_note(g, "throughput [docs/s]");
    grid_column(g, "heap", "", false);
    grid_column(g, "loopback", "", true);
    size_t row = grid_row(g);
    grid_text(g, row, 0, "_1g_");
    grid_text(g, row, 1, "driver* 1");
    grid_note(&s.legend, "* shared host");
    check_ok(paper_print(&s, form, &text, &why), why);
    assert_string_equal(text, want);
    free(text);
    sheet_fini(&s);
}

static void paper_print_text_has_all_above_the_tables(void **state)
{
    (void)state;
    prints(TABLE_TEXT, "demo: experiment 1\n"
                       "seed 42\n"
                       "8 trials: 8 ok, link a<b\n"
                       "\n"
                       "throughput [docs/s]\n"
                       "heap  loopback\n"
                       "_1g_ driver* 1\n"
                       "\n"
                       "* shared host\n");
}

/* Nothing of it is a tag or emphasis in a thread. */
static void paper_print_markdown_reads_well_in_a_thread(void **state)
{
    (void)state;
    prints(TABLE_MARKDOWN,
           "### demo: experiment 1\n"
           "\n"
           "- 8 trials: 8 ok, link a&lt;b\n"
           "\n"
           "**throughput [docs/s]**\n"
           "\n"
           "| heap | loopback |\n"
           "|---|---:|\n"
           "| \\_1g\\_ | driver\\* 1 |\n"
           "\n"
           "\\* shared host\n"
           "\n"
           "<details><summary>What was measured where</summary>\n"
           "\n"
           "- seed 42\n"
           "\n"
           "</details>\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paper_print_text_has_all_above_the_tables),
        cmocka_unit_test(paper_print_markdown_reads_well_in_a_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
