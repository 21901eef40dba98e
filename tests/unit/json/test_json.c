#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/json.h"
#include "common/json_build.h"
#include "common/json_place.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"

static struct jv *parse(const char *text)
{
    struct jv *v = NULL;
    struct why why = {0};
    check_ok(jv_parse(&v, "a.json", text, strlen(text), &why), why);
    return v;
}

/* The complaint about text. */
static const char *complaint(const char *text, size_t len)
{
    static struct why why;
    struct jv *v = NULL;
    why = (struct why){0};
    check_err(jv_parse(&v, "a.json", text, len, &why), ERR_INVALID);
    assert_null(v);
    return why.text;
}

static void check_complaint(const char *text, const char *want)
{
    assert_string_equal(complaint(text, strlen(text)), want);
}

static void check_prints(const char *text, const char *want)
{
    struct jv *v = parse(text);
    char *got = jv_print(v, false);
    assert_string_equal(got, want);
    free(got);
    jv_free(v);
}

static void jv_parse_reads_every_type(void **state)
{
    (void)state;
    struct jv *v = parse("{\"a\":[1,-2,2.5,true,false,null,\"x\"],\"b\":{}}");
    const struct jv *a = jv_get(v, "a");
    assert_int_equal(jv_type(v), JV_OBJECT);
    assert_int_equal(jv_size(v), 2);
    assert_int_equal(jv_size(a), 7);
    assert_int_equal(jv_u64(jv_at(a, 0), 9), 1);
    check_near(jv_number(jv_at(a, 1), 9), -2, 0);
    check_near(jv_number(jv_at(a, 2), 9), 2.5, 0);
    assert_true(jv_bool(jv_at(a, 3), false));
    assert_false(jv_bool(jv_at(a, 4), true));
    assert_int_equal(jv_type(jv_at(a, 5)), JV_NULL);
    assert_string_equal(jv_text(jv_at(a, 6), "-"), "x");
    assert_int_equal(jv_type(jv_get(v, "b")), JV_OBJECT);
    jv_free(v);
}

static void jv_parse_names_file_and_line(void **state)
{
    (void)state;
    check_complaint("{\n\n  \"a\": 1,\n  oops}",
                    "a.json:4: string or '}' expected near 'oops'");
    check_complaint("", "a.json:1: unexpected token near end of file");
    check_complaint("{\"a\": 1} x", "a.json:1: end of file expected near 'x'");
    check_complaint("[1,\r\n2,\r\n}", "a.json:3: unexpected token near '}'");
    check_complaint("[1e999]", "a.json:1: real number overflow near '1e999'");
}

static void jv_parse_refuses_duplicate_keys(void **state)
{
    (void)state;
    check_complaint("{\"a\":1,\n\"a\":2}",
                    "a.json:2: duplicate object key near '\"a\"'");
}

static void jv_parse_refuses_nul_and_broken_utf8(void **state)
{
    (void)state;
    check_complaint("\n[\"\\u0000\"]", "a.json:2: \\u0000 is not accepted");
    assert_non_null(strstr(complaint("[\"\xff\"]", 5), "a.json:1: "));
    assert_non_null(strstr(complaint("[\"a\0b\"]", 7), "a.json:1: "));
    assert_non_null(strstr(complaint("[1]\0", 4), "a.json:1: "));
}

static void jv_parse_keeps_complaints_on_one_line(void **state)
{
    (void)state;
    const char *text = complaint("[\"a\nb\"]", 7);
    assert_null(strchr(text, '\n'));
}

/* n brackets, closed again or not */
static char *nested(unsigned n, bool closed)
{
    char *text = calloc(1, 2 * n + 1);
    memset(text, '[', n);
    if (closed)
        memset(text + n, ']', n);
    return text;
}

static void jv_parse_bounds_the_depth(void **state)
{
    (void)state;
    char *fits = nested(64, true), *deep = nested(65, true),
         *very = nested(500000, false);
    struct jv *v = parse(fits);
    assert_int_equal(jv_size(v), 1);
    jv_free(v);
    check_complaint(deep, "a.json:1: more than 64 levels");
    assert_non_null(strstr(complaint(very, strlen(very)), "depth"));
    free(fits);
    free(deep);
    free(very);
}

static void jv_parse_skips_a_byte_order_mark(void **state)
{
    (void)state;
    struct jv *v = parse("\xef\xbb\xbf{\r\n \"a\": 1}");
    char where[64];
    assert_string_equal(jv_where(jv_get(v, "a"), where, sizeof where),
                        "a.json:2: a");
    jv_free(v);
    /* UTF-16 is not accepted */
    assert_non_null(strstr(complaint("\xff\xfe[\0]\0", 6), "a.json:1: "));
}

static void jv_parse_reads_only_what_it_was_given(void **state)
{
    (void)state;
    const char *text = "\xef\xbb\xbf{\"a\": [1.5e1, -20, \"q\\\"\\u00e9\"],"
                       " \"b\": {\"c\": null}, \"d\": true}";
    size_t len = strlen(text);
    for (size_t n = 0; n <= len; n++) {
        char *copy = guard_copy(text, n);
        struct jv *v = NULL;
        struct why why = {0};
        enum err e = jv_parse(&v, "g", copy, n, &why);
        assert_int_equal(e, n == len ? ERR_OK : ERR_INVALID);
        jv_free(v);
        guard_free(copy, n);
    }
}

static void jv_where_finds_lines_and_paths(void **state)
{
    (void)state;
    struct jv *v = parse("{ \"path\" : {\n"
                         "  \"x\\\"]\\\\\": \"a,:]}\\n\", \"to\": [ 1 , [],\n"
                         "  {\"q\": {}, \n"
                         "   \"field\"\n"
                         "   : true }],\n"
                         "  \"a.b\": null\n"
                         "}, \"last\": 7 }");
    char where[64], shorter[12];
    const struct jv *path = jv_get(v, "path"), *to = jv_get(path, "to");
    const struct jv *field = jv_get(jv_at(to, 2), "field");
    assert_string_equal(jv_where(v, where, sizeof where), "a.json:1");
    assert_string_equal(jv_where(field, where, sizeof where),
                        "a.json:5: path.to[2].field");
    assert_string_equal(jv_where(jv_at(to, 1), where, sizeof where),
                        "a.json:2: path.to[1]");
    assert_string_equal(jv_where(jv_get(path, "a.b"), where, sizeof where),
                        "a.json:6: path[\"a.b\"]");
    assert_string_equal(jv_where(jv_get(v, "last"), where, sizeof where),
                        "a.json:7: last");
    /* 11 characters and the end */
    assert_string_equal(jv_where(field, shorter, sizeof shorter),
                        "a.json:5: p");
    jv_free(v);
}

static void jv_u64_is_exact_beyond_a_doubles_numbers(void **state)
{
    (void)state;
    /* 2^53+1, 2^63, 2^64-1, 2^64, -2^63, -2^63-1 */
    struct jv *v = parse("[9007199254740993, 9223372036854775808,"
                         "18446744073709551615, 18446744073709551616,"
                         "-9223372036854775808, -9223372036854775809,"
                         "5.0, 5.5, 2e3, 1e300, -0, \"5\"]");
    assert_true(jv_u64(jv_at(v, 0), 1) == 9007199254740993u);
    assert_true(jv_u64(jv_at(v, 1), 1) == 9223372036854775808u);
    assert_true(jv_u64(jv_at(v, 2), 1) == UINT64_MAX);
    assert_true(jv_u64(jv_at(v, 3), 1) == 1);
    check_near(jv_number(jv_at(v, 3), 1), 18446744073709551616.0, 0);
    assert_true(jv_u64(jv_at(v, 4), 1) == 1);
    check_near(jv_number(jv_at(v, 4), 1), -9223372036854775808.0, 0);
    check_near(jv_number(jv_at(v, 5), 1), -9223372036854775808.0, 0);
    assert_true(jv_u64(jv_at(v, 6), 1) == 5);
    assert_true(jv_u64(jv_at(v, 7), 1) == 1);
    assert_true(jv_u64(jv_at(v, 8), 1) == 2000);
    assert_true(jv_u64(jv_at(v, 9), 1) == 1);
    assert_true(jv_u64(jv_at(v, 10), 1) == 0);
    assert_true(jv_u64(jv_at(v, 11), 1) == 1);
    jv_free(v);
}

static void jv_print_gives_back_what_was_read(void **state)
{
    (void)state;
    check_prints("[]", "[]");
    check_prints("{ }", "{}");
    check_prints(" { \"b\" : [ 1 , { } ] , \"a\" : null } ",
                 "{\"b\":[1,{}],\"a\":null}");
    check_prints("[18446744073709551615,-9223372036854775808]",
                 "[18446744073709551615,-9223372036854775808]");
    check_prints("[\"q\\\"\\\\\\n\\u0001\\u00e9/\"]",
                 "[\"q\\\"\\\\\\n\\u0001\xc3\xa9/\"]");
    check_prints("[true,false]", "[true,false]");
}

static void jv_print_writes_reals_short_and_exact(void **state)
{
    (void)state;
    check_prints("[0.1,1.0,1e300,1.7976931348623157e308,5e-324]",
                 "[0.1,1.0,1e300,1.7976931348623157e308,"
                 "4.94065645841247e-324]");
    /* 1/3 needs 16 digits, 0.1 + 0.2 needs 17 */
    check_prints("[0.33333333333333331,0.30000000000000004]",
                 "[0.3333333333333333,0.30000000000000004]");
    struct jv *v = jv_new(JV_ARRAY);
    jv_add_number(v, NULL, (double)NAN);
    jv_add_number(v, NULL, (double)INFINITY);
    char *text = jv_print(v, false);
    assert_string_equal(text, "[null,null]");
    free(text);
    jv_free(v);
}

static void jv_print_can_be_pretty(void **state)
{
    (void)state;
    struct jv *v = parse("{\"a\":[1,2],\"b\":{}}");
    char *text = jv_print(v, true);
    assert_string_equal(text, "{\n  \"a\": [\n    1,\n    2\n  ],\n"
                              "  \"b\": {}\n}");
    free(text);
    jv_free(v);
}

static void jv_print_shows_texts_that_are_not_utf8(void **state)
{
    (void)state;
    struct jv *v = jv_new(JV_OBJECT);
    jv_add_text(v, "stderr", "a\xff\xc3z");
    char *text = jv_print(v, false);
    assert_string_equal(text, "{\"stderr\":\"a??z\"}");
    free(text);
    jv_free(v);
}

static char path[64];

static void write_file(const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void jv_load_reads_a_file_of_at_most_max_bytes(void **state)
{
    (void)state;
    struct jv *v = NULL;
    struct why why = {0};
    write_file("{\"a\":12}");
    check_ok(jv_load(&v, path, 8, &why), why);
    assert_int_equal(jv_u64(jv_get(v, "a"), 0), 12);
    jv_free(v);
    check_err(jv_load(&v, path, 7, &why), ERR_RANGE);
    check_says(why, path);
    check_says(why, "larger than 7 bytes");
    assert_null(v);
}

static void jv_load_names_what_it_cannot_read(void **state)
{
    (void)state;
    struct jv *v = NULL;
    struct why why = {0};
    check_err(jv_load(&v, "/nonexistent/x.json", 99, &why), ERR_NOTFOUND);
    check_says(why, "/nonexistent/x.json: No such file");
    check_err(jv_load(&v, "/tmp", 99, &why), ERR_INVALID);
    check_says(why, "/tmp: not a regular file");
    write_file("[1,\n2");
    check_err(jv_load(&v, path, 99, &why), ERR_INVALID);
    check_says(why, path);
    check_says(why, ":2: ']' expected near end of file");
}

static void jv_load_does_not_wait_for_a_pipe(void **state)
{
    (void)state;
    struct jv *v = NULL;
    struct why why = {0};
    (void)unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    check_err(jv_load(&v, path, 99, &why), ERR_INVALID);
    check_says(why, "not a regular file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jv_parse_reads_every_type),
        cmocka_unit_test(jv_parse_names_file_and_line),
        cmocka_unit_test(jv_parse_refuses_duplicate_keys),
        cmocka_unit_test(jv_parse_refuses_nul_and_broken_utf8),
        cmocka_unit_test(jv_parse_keeps_complaints_on_one_line),
        cmocka_unit_test(jv_parse_bounds_the_depth),
        cmocka_unit_test(jv_parse_skips_a_byte_order_mark),
        cmocka_unit_test(jv_parse_reads_only_what_it_was_given),
        cmocka_unit_test(jv_where_finds_lines_and_paths),
        cmocka_unit_test(jv_u64_is_exact_beyond_a_doubles_numbers),
        cmocka_unit_test(jv_print_gives_back_what_was_read),
        cmocka_unit_test(jv_print_writes_reals_short_and_exact),
        cmocka_unit_test(jv_print_can_be_pretty),
        cmocka_unit_test(jv_print_shows_texts_that_are_not_utf8),
        cmocka_unit_test(jv_load_reads_a_file_of_at_most_max_bytes),
        cmocka_unit_test(jv_load_names_what_it_cannot_read),
        cmocka_unit_test(jv_load_does_not_wait_for_a_pipe),
    };
    (void)snprintf(path, sizeof path, "/tmp/pitwall-json-%d", (int)getpid());
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)unlink(path);
    return failed;
}
