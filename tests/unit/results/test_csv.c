#include <stdio.h>

#include "results/csv.h"
#include "results/names.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"

static struct why why;

/* All rows of text, fields joined by |, rows by newlines. */
static enum err read_all(const char *text, char *out, size_t size)
{
    struct csv csv;
    bool row = false;
    size_t n = 0, len = strlen(text);
    char *copy = guard_copy(text, len);
    out[0] = '\0';
    check_ok(csv_open(&csv, "t.csv", copy, len, &why), why);
    enum err e = csv_next(&csv, &row, &why);
    while (!e && row) {
        for (size_t i = 0; i < csv.n; i++)
            n += (size_t)snprintf(out + n, size - n, "%s%s", i ? "|" : "",
                                  csv.fields[i]);
        n += (size_t)snprintf(out + n, size - n, "\n");
        e = csv_next(&csv, &row, &why);
    }
    csv_close(&csv);
    guard_free(copy, len);
    return e;
}

static void csv_reads_quotes_blanks_and_both_line_ends(void **state)
{
    (void)state;
    char out[400];
    check_ok(read_all("\xef\xbb\xbf"
                      "a, b ,c\r\n\n\"x,\"\"1\"\"\",\"two\nlines\" ,\n,,",
                      out, sizeof out),
             why);
    assert_string_equal(out, "a|b|c\nx,\"1\"|two\nlines|\n||\n");
    check_ok(read_all("", out, sizeof out), why);
    assert_string_equal(out, "");
    check_ok(read_all("\r\n\n", out, sizeof out), why);
    assert_string_equal(out, "");
}

static void csv_names_the_line_of_what_it_cannot_read(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"a,b\n1,\"2\n3,4\n", "t.csv:2: a quote is not closed"},
        {"a\nb\"c\n", "t.csv:2: a quote within a field"},
        {"a\n\"b\" c\n", "t.csv:2: text behind a closing quote"},
        {"a\n\nb,\x01\n", "t.csv:3: field 2: a byte 0x01"},
        {"\xff\n", "t.csv:1: field 1: a byte 0xff"},
        {"a\rb\n", "a byte 0x0d"}};
    char out[400];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_err(read_all(bad[i][0], out, sizeof out), ERR_INVALID);
        check_says(why, bad[i][1]);
    }
}

static void csv_has_bounds(void **state)
{
    (void)state;
    static char text[CSV_ROW_MAX + 100], out[2 * sizeof text];
    memset(text, ',', CSV_FIELDS_MAX);
    text[CSV_FIELDS_MAX] = '\0';
    check_err(read_all(text, out, sizeof out), ERR_RANGE);
    check_says(why, "t.csv:1: more than 64 fields");
    text[CSV_FIELDS_MAX - 1] = '\0';
    check_ok(read_all(text, out, sizeof out), why);
    memset(text, 'x', sizeof text - 1);
    check_err(read_all(text, out, sizeof out), ERR_RANGE);
    check_says(why, "more than 65536 bytes");
    text[0] = '"';
    check_err(read_all(text, out, sizeof out), ERR_RANGE);
    text[CSV_ROW_MAX - 3] = ','; /* one byte is left for the second field */
    text[CSV_ROW_MAX - 4] = '"';
    check_err(read_all(text, out, sizeof out), ERR_RANGE);
}

static void names_number_texts_in_the_order_they_came(void **state)
{
    (void)state;
    struct names names = {.n = 0};
    size_t number = 0;
    bool fresh = false;
    char text[16];
    assert_true(names_find(&names, "0") == SIZE_MAX);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < 1000; i++) {
            (void)snprintf(text, sizeof text, "%zu", i);
            check_ok(names_put(&names, text, &number, &fresh, &why), why);
            assert_int_equal(number, i);
            assert_int_equal(fresh, !round);
        }
    assert_int_equal(names.n, 1000);
    assert_string_equal(names.texts[999], "999");
    assert_int_equal(names_find(&names, "7"), 7);
    assert_true(names_find(&names, "1000") == SIZE_MAX);
    names_fini(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_reads_quotes_blanks_and_both_line_ends),
        cmocka_unit_test(csv_names_the_line_of_what_it_cannot_read),
        cmocka_unit_test(csv_has_bounds),
        cmocka_unit_test(names_number_texts_in_the_order_they_came)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
