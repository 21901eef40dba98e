#include "agent/executor/line.h"
#include "tests/lib/check.h"

static void line_copy_makes_one_line_of_anything(void **state)
{
    char to[32];
    (void)state;
    line_copy(to, sizeof to, "a\nb\tc\x01\x7f\xff z\xc3\xa9");
    assert_string_equal(to, "a b c??? z\xc3\xa9");
    line_copy(to, sizeof to, NULL);
    assert_string_equal(to, "");
}

static void line_copy_cuts_what_does_not_fit(void **state)
{
    char to[4];
    (void)state;
    line_copy(to, sizeof to, "abcdef");
    assert_string_equal(to, "abc");
    line_copy(to, sizeof to, "ab\xc3\xa9"); /* 4 bytes: its last is cut off */
    assert_string_equal(to, "ab?");
}

static void line_json_writes_objects_and_lists(void **state)
{
    char buf[200];
    struct line_json j;
    (void)state;
    line_json_init(&j, buf, sizeof buf);
    line_json_open(&j, NULL, '{');
    line_json_u64(&j, "n", UINT64_MAX);
    line_json_open(&j, "list", '[');
    line_json_text(&j, NULL, "x");
    line_json_text(&j, NULL, NULL);
    line_json_close(&j, '[');
    line_json_open(&j, "empty", '{');
    line_json_close(&j, '{');
    line_json_close(&j, '{');
    assert_false(j.over);
    assert_string_equal(buf, "{\"n\":18446744073709551615,\"list\":[\"x\","
                             "\"\"],\"empty\":{}}");
}

static void line_json_escapes_and_cleans_texts(void **state)
{
    char buf[100];
    struct line_json j;
    (void)state;
    line_json_init(&j, buf, sizeof buf);
    line_json_text(&j, NULL, "q\" b\\ n\n t\t c\x02 u\xc3\xa9 x\xff");
    assert_string_equal(buf,
                        "\"q\\\" b\\\\ n\\u000a t\\u0009 c? u\xc3\xa9 x?\"");
}

static void line_json_never_writes_beyond_its_buffer(void **state)
{
    (void)state;
    for (size_t size = 1; size < 30; size++) {
        char buf[31];
        struct line_json j;
        memset(buf, '#', sizeof buf);
        line_json_init(&j, buf, size);
        line_json_open(&j, NULL, '{');
        line_json_text(&j, "key", "value\"\n");
        line_json_u64(&j, "n", 1);
        line_json_close(&j, '{');
        /* {"key":"value\"\u000a","n":1} is 29 bytes and its end. */
        assert_true(j.over);
        assert_int_equal(buf[size], '#');
        assert_true(strlen(buf) < size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_copy_makes_one_line_of_anything),
        cmocka_unit_test(line_copy_cuts_what_does_not_fit),
        cmocka_unit_test(line_json_writes_objects_and_lists),
        cmocka_unit_test(line_json_escapes_and_cleans_texts),
        cmocka_unit_test(line_json_never_writes_beyond_its_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
