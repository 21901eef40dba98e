#include <stdlib.h>

#include "common/json.h"
#include "common/json_build.h"
#include "common/json_place.h"
#include "tests/lib/check.h"

static struct jv *parse(const char *text)
{
    struct jv *v = NULL;
    struct why why = {0};
    check_ok(jv_parse(&v, "e.json", text, strlen(text), &why), why);
    return v;
}

static void check_prints(const struct jv *v, const char *want)
{
    char *got = jv_print(v, false);
    assert_string_equal(got, want);
    free(got);
}

static void jv_get_of_what_is_not_there_is_null(void **state)
{
    (void)state;
    struct jv *v = parse("{\"a\":[1]}");
    const char *key = "unset";
    assert_null(jv_get(v, "b"));
    assert_null(jv_get(jv_get(v, "a"), "b"));
    assert_null(jv_get(NULL, "a"));
    assert_null(jv_at(jv_get(v, "a"), 1));
    assert_null(jv_at(v, 0));
    assert_null(jv_member(v, 1, &key));
    assert_null(jv_member(jv_get(v, "a"), 0, &key));
    assert_string_equal(key, "unset");
    assert_int_equal(jv_size(NULL), 0);
    assert_int_equal(jv_type(NULL), JV_NULL);
    jv_free(v);
    jv_free(NULL);
}

static void jv_member_walks_in_the_order_of_the_text(void **state)
{
    (void)state;
    struct jv *v = parse("{\"z\":1,\"a\":2,\"m\":3}");
    const char *key = NULL;
    assert_int_equal(jv_u64(jv_member(v, 0, &key), 0), 1);
    assert_string_equal(key, "z");
    assert_int_equal(jv_u64(jv_member(v, 1, &key), 0), 2);
    assert_string_equal(key, "a");
    assert_int_equal(jv_u64(jv_member(v, 2, &key), 0), 3);
    assert_string_equal(key, "m");
    jv_free(v);
}

static void values_of_another_type_give_the_default(void **state)
{
    (void)state;
    struct jv *v = parse("[\"7\", 7, true]");
    assert_string_equal(jv_text(jv_at(v, 1), "no"), "no");
    assert_string_equal(jv_text(NULL, "no"), "no");
    check_near(jv_number(jv_at(v, 0), 1.5), 1.5, 0);
    check_near(jv_number(jv_at(v, 2), 1.5), 1.5, 0);
    check_near(jv_number(NULL, 1.5), 1.5, 0);
    assert_int_equal(jv_u64(NULL, 3), 3);
    assert_true(jv_bool(jv_at(v, 1), true));
    assert_false(jv_bool(NULL, false));
    jv_free(v);
}

static void jv_only_names_the_key_and_what_is_accepted(void **state)
{
    (void)state;
    static const char *const root[] = {"name", "matrix", NULL};
    static const char *const matrix[] = {"heap", NULL};
    struct jv *v = parse("{\"name\":\"x\",\n\"matrix\":{\n\"heap\":1,\n"
                         "\"haep\":2}}");
    struct why why = {0};
    check_ok(jv_only(v, root, &why), why);
    check_err(jv_only(jv_get(v, "matrix"), matrix, &why), ERR_INVALID);
    assert_string_equal(
        why.text, "e.json:4: matrix: unknown key \"haep\"; accepted: heap");
    check_err(jv_only(v, matrix, &why), ERR_INVALID);
    assert_string_equal(why.text,
                        "e.json:1: unknown key \"name\"; accepted: heap");
    jv_free(v);
}

static void jv_only_works_on_elements_of_arrays(void **state)
{
    (void)state;
    static const char *const keys[] = {"a", "b", NULL};
    struct jv *v = parse("[{\"a\":1},\n{\"b\":1,\n\"c\":2}]");
    struct why why = {0};
    check_err(jv_only(jv_at(v, 1), keys, &why), ERR_INVALID);
    assert_string_equal(why.text,
                        "e.json:3: [1]: unknown key \"c\"; accepted: a, b");
    jv_free(v);
}

static void jv_only_refuses_what_is_no_object(void **state)
{
    (void)state;
    static const char *const keys[] = {"a", NULL};
    struct jv *v = parse("{\"x\":\n5}");
    struct why why = {0};
    check_err(jv_only(jv_get(v, "x"), keys, &why), ERR_INVALID);
    assert_string_equal(why.text,
                        "e.json:2: x: expected an object, found number");
    jv_free(v);
}

static void jv_where_shows_odd_keys_on_one_line(void **state)
{
    (void)state;
    struct jv *v = parse("{\"a\\nb\":{\"\":1}}");
    char where[64];
    assert_string_equal(
        jv_where(jv_get(jv_get(v, "a\nb"), ""), where, sizeof where),
        "e.json:1: [\"a?b\"][\"\"]");
    jv_free(v);
}

static void jv_where_of_a_built_value_has_no_line(void **state)
{
    (void)state;
    struct jv *v = jv_new(JV_OBJECT);
    struct jv *list = jv_add(v, "list", JV_ARRAY);
    jv_add_u64(list, NULL, 1);
    char where[64];
    assert_string_equal(jv_where(jv_at(list, 0), where, sizeof where),
                        "-:0: list[0]");
    jv_free(v);
}

static void jv_add_builds_a_document(void **state)
{
    (void)state;
    struct jv *v = jv_new(JV_OBJECT);
    jv_add_text(v, "text", "x");
    jv_add_text(v, "none", NULL);
    jv_add_u64(v, "u64", UINT64_MAX);
    jv_add_i64(v, "i64", -5);
    jv_add_i64(v, "plus", 5);
    jv_add_number(v, "real", 0.25);
    jv_add_bool(v, "yes", true);
    (void)jv_add(jv_add(v, "list", JV_ARRAY), NULL, JV_OBJECT);
    (void)jv_add(v, "empty", JV_STRING);
    check_prints(v, "{\"text\":\"x\",\"none\":null,"
                    "\"u64\":18446744073709551615,\"i64\":-5,\"plus\":5,"
                    "\"real\":0.25,\"yes\":true,\"list\":[{}],\"empty\":\"\"}");
    assert_int_equal(jv_u64(jv_get(v, "plus"), 0), 5);
    jv_free(v);
}

static void jv_add_replaces_a_member_of_the_same_key(void **state)
{
    (void)state;
    struct jv *v = jv_new(JV_OBJECT);
    jv_add_text(v, "a", "old");
    jv_add_u64(v, "b", 1);
    jv_add_u64(v, "a", 2);
    check_prints(v, "{\"b\":1,\"a\":2}");
    jv_free(v);
}

static void jv_add_copy_lives_on_its_own(void **state)
{
    (void)state;
    struct jv *from = parse("{\"a\":{\"s\":\"x\",\"n\":[1,-1,0.5,true,null]}}");
    struct jv *v = jv_new(JV_ARRAY);
    jv_add_copy(v, NULL, jv_get(from, "a"));
    jv_free(from);
    check_prints(v, "[{\"s\":\"x\",\"n\":[1,-1,0.5,true,null]}]");
    jv_free(v);
}

static void jv_add_takes_many_children(void **state)
{
    (void)state;
    struct jv *v = jv_new(JV_ARRAY);
    for (unsigned i = 0; i < 1000; i++)
        jv_add_u64(v, NULL, i);
    assert_int_equal(jv_size(v), 1000);
    assert_int_equal(jv_u64(jv_at(v, 999), 0), 999);
    jv_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jv_get_of_what_is_not_there_is_null),
        cmocka_unit_test(jv_member_walks_in_the_order_of_the_text),
        cmocka_unit_test(values_of_another_type_give_the_default),
        cmocka_unit_test(jv_only_names_the_key_and_what_is_accepted),
        cmocka_unit_test(jv_only_works_on_elements_of_arrays),
        cmocka_unit_test(jv_only_refuses_what_is_no_object),
        cmocka_unit_test(jv_where_shows_odd_keys_on_one_line),
        cmocka_unit_test(jv_where_of_a_built_value_has_no_line),
        cmocka_unit_test(jv_add_builds_a_document),
        cmocka_unit_test(jv_add_replaces_a_member_of_the_same_key),
        cmocka_unit_test(jv_add_copy_lives_on_its_own),
        cmocka_unit_test(jv_add_takes_many_children),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
