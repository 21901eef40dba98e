#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/check.h"
#include "tracks/field.h"
#include "tracks/field_list.h"

static struct jv *parsed(const char *text)
{
    struct jv *v;
    struct why why = {0};
    check_ok(jv_parse(&v, "f.json", text, strlen(text), &why), why);
    return v;
}

static void field_find_and_need_look_at_the_type(void **state)
{
    (void)state;
    struct jv *v = parsed("{\"a\": 1,\n\"b\": null}");
    const struct jv *got;
    struct why why = {0};
    check_ok(field_find(v, "a", JV_NUMBER, &got, &why), why);
    check_near(jv_number(got, 0), 1, 0);
    check_ok(field_find(v, "b", JV_NUMBER, &got, &why), why);
    assert_null(got);
    check_ok(field_find(v, "c", JV_NUMBER, &got, &why), why);
    assert_null(got);
    check_err(field_find(v, "a", JV_STRING, &got, &why), ERR_INVALID);
    check_says(why, "f.json:1: a: must be a text, not a number");
    check_err(field_find(v, "a", JV_BOOL, &got, &why), ERR_INVALID);
    check_says(why, "must be true or false, not a number");
    check_err(field_find(v, "a", JV_ARRAY, &got, &why), ERR_INVALID);
    check_says(why, "must be a list");
    check_err(field_find(v, "a", JV_OBJECT, &got, &why), ERR_INVALID);
    check_says(why, "must be an object");
    check_err(field_need(v, "b", JV_NUMBER, &got, &why), ERR_INVALID);
    check_says(why, "f.json:1: \"b\" is missing");
    jv_free(v);
}

static void field_text_has_bounds_and_no_controls(void **state)
{
    (void)state;
    struct jv *v = parsed("{\"a\": \"abc\", \"e\": \"\", \"n\": \"a\\nb\"}");
    struct why why = {0};
    const char *text = "kept";
    check_ok(field_text(v, "none", 3, &text, &why), why);
    assert_string_equal(text, "kept");
    check_ok(field_text(v, "a", 3, &text, &why), why);
    assert_string_equal(text, "abc");
    check_err(field_text(v, "a", 2, &text, &why), ERR_INVALID);
    check_says(why, "a: has 3 characters; accepted: 1 to 2");
    check_err(field_text(v, "e", 2, &text, &why), ERR_INVALID);
    check_says(why, "e: has 0 characters");
    check_err(field_text(v, "n", 9, &text, &why), ERR_INVALID);
    check_says(why, "n: has a control character");
    check_err(field_need_text(v, "none", 3, &text, &why), ERR_INVALID);
    assert_null(text);
    jv_free(v);
}

static void whole_is(const char *number, uint64_t min, uint64_t max,
                     const char *part)
{
    char json[64];
    uint64_t n = 99;
    struct why why = {0};
    (void)snprintf(json, sizeof json, "{\"n\": %s}", number);
    struct jv *v = parsed(json);
    if (part) {
        check_err(field_whole(v, "n", min, max, &n, &why), ERR_INVALID);
        check_says(why, part);
        assert_int_equal(n, 99);
    } else {
        check_ok(field_whole(v, "n", min, max, &n, &why), why);
        assert_int_equal(n, strtoull(number, NULL, 10));
    }
    jv_free(v);
}

static void field_whole_takes_whole_numbers_in_bounds(void **state)
{
    (void)state;
    whole_is("0", 0, 10, NULL);
    whole_is("10", 0, 10, NULL);
    whole_is("10.0", 0, 10, NULL);
    whole_is("4294967295", 0, UINT32_MAX, NULL);
    whole_is("11", 0, 10, "must be a whole number from 0 to 10, not 11");
    whole_is("0", 1, 10, "from 1 to 10, not 0");
    whole_is("-1", 0, 10, "not -1");
    whole_is("1.5", 0, 10, "not 1.5");
    whole_is("1e300", 0, 10, "not 1e+300");
    whole_is("true", 0, 10, "must be a number, not true or false");
}

static void field_seconds_become_nanoseconds(void **state)
{
    (void)state;
    struct jv *v = parsed("{\"a\": 1.5, \"z\": 0, \"m\": -1, \"x\": 11}");
    struct why why = {0};
    uint64_t ns = 7;
    const uint64_t max_ns = 10000000000;
    check_ok(field_seconds(v, "none", max_ns, &ns, &why), why);
    assert_int_equal(ns, 7);
    check_ok(field_seconds(v, "a", max_ns, &ns, &why), why);
    assert_int_equal(ns, 1500000000);
    check_ok(field_seconds(v, "z", max_ns, &ns, &why), why);
    assert_int_equal(ns, 0);
    check_err(field_seconds(v, "m", max_ns, &ns, &why), ERR_INVALID);
    check_says(why, "m: must be 0 to 10 seconds, not -1");
    check_err(field_seconds(v, "x", max_ns, &ns, &why), ERR_INVALID);
    jv_free(v);
}

static void field_ratio_lies_between_0_and_1(void **state)
{
    (void)state;
    struct jv *v = parsed("{\"a\": 0.25, \"m\": -0.1, \"x\": 1.5}");
    struct why why = {0};
    double ratio = 0.5;
    check_ok(field_ratio(v, "none", &ratio, &why), why);
    check_near(ratio, 0.5, 0);
    check_ok(field_ratio(v, "a", &ratio, &why), why);
    check_near(ratio, 0.25, 0);
    check_err(field_ratio(v, "m", &ratio, &why), ERR_INVALID);
    check_says(why, "m: must be 0 to 1, not -0.1");
    check_err(field_ratio(v, "x", &ratio, &why), ERR_INVALID);
    jv_free(v);
}

static void field_bool_keeps_what_was_there(void **state)
{
    (void)state;
    struct jv *v = parsed("{\"f\": false, \"n\": 0}");
    struct why why = {0};
    bool yes = true;
    check_ok(field_bool(v, "none", &yes, &why), why);
    assert_true(yes);
    check_ok(field_bool(v, "f", &yes, &why), why);
    assert_false(yes);
    check_err(field_bool(v, "n", &yes, &why), ERR_INVALID);
    jv_free(v);
}

static void field_list_holds_objects(void **state)
{
    (void)state;
    struct jv *v = parsed("{\"l\": [{}, {}], \"e\": [],\n\"m\": [{}, 1]}");
    const struct jv *list;
    struct why why = {0};
    check_ok(field_list(v, "l", 2, &list, &why), why);
    assert_int_equal(jv_size(list), 2);
    check_err(field_list(v, "l", 1, &list, &why), ERR_INVALID);
    check_says(why, "l: has 2 elements; accepted: 1 to 1");
    check_err(field_list(v, "e", 1, &list, &why), ERR_INVALID);
    check_err(field_list(v, "none", 1, &list, &why), ERR_INVALID);
    check_says(why, "\"none\" is missing");
    check_err(field_list(v, "m", 9, &list, &why), ERR_INVALID);
    check_says(why, "f.json:2: m[1]: must be an object");
    jv_free(v);
}

static void field_plain_knows_its_characters(void **state)
{
    (void)state;
    assert_true(field_plain("aZ09", ""));
    assert_true(field_plain("a-b_c.d", "_.-"));
    assert_false(field_plain("a-b", ""));
    assert_false(field_plain("a b", "_.-"));
    assert_false(field_plain("\xc3\xa9", "_.-"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(field_find_and_need_look_at_the_type),
        cmocka_unit_test(field_text_has_bounds_and_no_controls),
        cmocka_unit_test(field_whole_takes_whole_numbers_in_bounds),
        cmocka_unit_test(field_seconds_become_nanoseconds),
        cmocka_unit_test(field_ratio_lies_between_0_and_1),
        cmocka_unit_test(field_bool_keeps_what_was_there),
        cmocka_unit_test(field_list_holds_objects),
        cmocka_unit_test(field_plain_knows_its_characters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
