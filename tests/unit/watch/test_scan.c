#include "agent/watch/scan.h"
#include "tests/lib/check.h"
#include "tests/unit/watch/prefixes.h"

static void scan_line_takes_lines_and_one_without_its_end(void **state)
{
    (void)state;
    struct scan text = scan_text("a\n\nbc", 5), line;
    assert_true(scan_line(&text, &line));
    assert_true(scan_is(&line, "a"));
    assert_true(scan_line(&text, &line));
    assert_true(scan_is(&line, ""));
    assert_true(scan_line(&text, &line));
    assert_true(scan_is(&line, "bc"));
    assert_false(scan_line(&text, &line));
}

static void scan_word_splits_at_blanks_and_tabs(void **state)
{
    (void)state;
    struct scan line = scan_text(" \tab  c\t", 8), word;
    assert_true(scan_word(&line, &word));
    assert_true(scan_is(&word, "ab"));
    assert_false(scan_is(&word, "a"));
    assert_false(scan_is(&word, "abc"));
    assert_true(scan_word(&line, &word));
    assert_true(scan_is(&word, "c"));
    assert_false(scan_word(&line, &word));
}

static void scan_u64_takes_whole_numbers_of_64_bits(void **state)
{
    (void)state;
    const char text[] = "0 18446744073709551615 18446744073709551616 -1 1x 7";
    struct scan line = scan_text(text, strlen(text));
    uint64_t v = 99;
    assert_true(scan_u64(&line, &v));
    assert_int_equal(v, 0);
    assert_true(scan_u64(&line, &v));
    assert_int_equal(v, UINT64_MAX);
    assert_false(scan_u64(&line, &v)); /* 2^64 */
    assert_false(scan_u64(&line, &v)); /* -1 */
    assert_false(scan_u64(&line, &v)); /* 1x */
    assert_int_equal(v, UINT64_MAX);
    assert_true(scan_u64(&line, &v)); /* the bad ones were taken */
    assert_int_equal(v, 7);
    assert_false(scan_u64(&line, &v));
}

static void scan_skip_tells_when_there_are_too_few_words(void **state)
{
    (void)state;
    struct scan line = scan_text("a b c", 5), word;
    assert_true(scan_skip(&line, 2));
    assert_true(scan_word(&line, &word));
    assert_true(scan_is(&word, "c"));
    assert_true(scan_skip(&line, 0));
    assert_false(scan_skip(&line, 1));
}

static void scan_copy_cuts_to_size(void **state)
{
    (void)state;
    char out[4];
    struct scan word = scan_text("abcdef", 6);
    scan_copy(&word, out, sizeof out);
    assert_string_equal(out, "abc");
}

static void walk(const char *text, size_t len)
{
    struct scan all = scan_text(text, len), line, word;
    uint64_t v = 0;
    while (scan_line(&all, &line))
        while (scan_word(&line, &word)) {
            struct scan again = word;
            (void)scan_u64(&again, &v);
        }
}

static void scan_stays_inside_the_text(void **state)
{
    (void)state;
    const char text[] = "ab 12\t18446744073709551615\n\n x\n 9";
    prefixes(text, strlen(text), walk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scan_line_takes_lines_and_one_without_its_end),
        cmocka_unit_test(scan_word_splits_at_blanks_and_tabs),
        cmocka_unit_test(scan_u64_takes_whole_numbers_of_64_bits),
        cmocka_unit_test(scan_skip_tells_when_there_are_too_few_words),
        cmocka_unit_test(scan_copy_cuts_to_size),
        cmocka_unit_test(scan_stays_inside_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
