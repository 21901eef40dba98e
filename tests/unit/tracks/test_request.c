#include "common/json_build.h"
#include "tests/lib/check.h"
#include "tracks/request.h"

static struct jv *parsed(const char *text)
{
    struct jv *v;
    struct why why = {0};
    check_ok(jv_parse(&v, "op", text, strlen(text), &why), why);
    return v;
}

/* The path "/p" with the params of this operation. */
static void becomes(const char *op, const char *expected)
{
    struct request_path path = {0};
    struct why why = {0};
    struct jv *v = parsed(op);
    request_path_add(&path, "/p");
    check_ok(request_path_params(v, &path, &why), why);
    assert_string_equal(path.text, expected);
    jv_free(v);
}

static void request_params_become_an_encoded_query(void **state)
{
    (void)state;
    becomes("{}", "/p");
    becomes("{\"request-params\": {}}", "/p");
    becomes("{\"request-params\": {\"a\": \"b\"}}", "/p?a=b");
    becomes("{\"request-params\": {\"a\": 5, \"b\": true, \"c\": 1.5}}",
            "/p?a=5&b=true&c=1.5");
    becomes("{\"request-params\": {\"a b\": \"c&d=e/f\"}}",
            "/p?a%20b=c%26d%3De%2Ff");
    becomes("{\"request-params\": {\"a\": \"x,y*z-_.~\"}}", "/p?a=x,y*z-_.~");
    becomes("{\"request-params\": {\"a\": \"\xc3\xa9\"}}", "/p?a=%C3%A9");
    becomes("{\"request-params\": {\"a\": \"\\r\\n\"}}", "/p?a=%0D%0A");
}

static void request_params_follow_a_query_that_is_there(void **state)
{
    (void)state;
    struct request_path path = {0};
    struct why why = {0};
    struct jv *v = parsed("{\"request-params\": {\"a\": 1}}");
    request_path_add(&path, "/p?q");
    check_ok(request_path_params(v, &path, &why), why);
    assert_string_equal(path.text, "/p?q&a=1");
    jv_free(v);
}

static void request_params_refuse_what_is_no_value(void **state)
{
    (void)state;
    struct request_path path = {0};
    struct why why = {0};
    struct jv *v = parsed("{\"request-params\":\n{\"a\": [1]}}");
    check_err(request_path_params(v, &path, &why), ERR_INVALID);
    check_says(why, "op:2: request-params.a: must be a text, a number or a");
    jv_free(v);
}

static void request_paths_have_a_bound(void **state)
{
    (void)state;
    static struct request_path path;
    struct why why = {0};
    struct jv *v = parsed("{}");
    for (int i = 0; i < PLAN_PATH_MAX - 1; i++)
        request_path_add(&path, "x");
    check_ok(request_path_params(v, &path, &why), why);
    request_path_add(&path, "xyz"); /* is cut */
    assert_int_equal(strlen(path.text), PLAN_PATH_MAX);
    check_err(request_path_params(v, &path, &why), ERR_INVALID);
    check_says(why, "path and parameters exceed 4096 bytes");
    jv_free(v);
}

static void body_is(const char *json, const char *expected)
{
    struct jv *list = jv_new(JV_ARRAY);
    struct jv *body = parsed(json);
    struct jv *r = request_add(list, "POST", "/x", jv_get(body, "body"));
    assert_string_equal(jv_text(jv_get(r, "method"), ""), "POST");
    assert_string_equal(jv_text(jv_get(r, "path"), ""), "/x");
    assert_string_equal(jv_text(jv_get(r, "body"), "none"), expected);
    jv_free(body);
    jv_free(list);
}

static void request_bodies_may_be_json_text_or_lines(void **state)
{
    (void)state;
    body_is("{}", "none");
    body_is("{\"body\": null}", "none");
    body_is("{\"body\": {\"a\": [1, \"\xc3\xa9\"]}}",
            "{\"a\":[1,\"\xc3\xa9\"]}");
    body_is("{\"body\": \"as it is\"}", "as it is");
    body_is("{\"body\": [{\"index\": {}}, {\"a\": 1}, \"text\"]}",
            "{\"index\":{}}\n{\"a\":1}\ntext\n");
    body_is("{\"body\": []}", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(request_params_become_an_encoded_query),
        cmocka_unit_test(request_params_follow_a_query_that_is_there),
        cmocka_unit_test(request_params_refuse_what_is_no_value),
        cmocka_unit_test(request_paths_have_a_bound),
        cmocka_unit_test(request_bodies_may_be_json_text_or_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
