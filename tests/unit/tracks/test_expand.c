#include <stdlib.h>

#include "tests/lib/check.h"
#include "tests/lib/guard.h"
#include "tracks/expand.h"

/* Expand text with one param a=7. */
static enum err expand_one(const char *text, char **out, struct why *why)
{
    static const struct track_param param = {"a", "7"};
    struct expand e;
    enum err err = expand_init(&e, &param, 1, why);
    return err ? err : expand_text(&e, "t.json", text, strlen(text), out, why);
}

static void expands_to(const char *text, const char *expected)
{
    struct why why = {0};
    char *out = NULL;
    check_ok(expand_one(text, &out, &why), why);
    assert_string_equal(out, expected);
    free(out);
}

static void refuses(const char *text, const char *part)
{
    struct why why = {0};
    char *out = NULL;
    check_err(expand_one(text, &out, &why), ERR_INVALID);
    check_says(why, part);
    assert_null(out);
}

static void expand_puts_params_and_defaults_in_as_text(void **state)
{
    (void)state;
    expands_to("{{ a }}", "7");
    expands_to("{{a}}", "7");
    expands_to("{\"x\": {{ a | default(5) }}}", "{\"x\": 7}");
    expands_to("{{ b | default(5) }}", "5");
    expands_to("{{b|default(-1.5e3)}}", "-1.5e3");
    expands_to("\"{{ b | default('two words') }}\"", "\"two words\"");
    expands_to("\"{{ b | default(\"fs\") }}\"", "\"fs\"");
    expands_to("{{ b | default(true) }}", "true");
    expands_to("{{ b | default(\"\") }}", "");
}

static void expand_leaves_json_alone(void **state)
{
    (void)state;
    expands_to("", "");
    expands_to("{", "{");
    expands_to("{\"a\":{\"b\":{}}}\n", "{\"a\":{\"b\":{}}}\n");
    expands_to("% # | default }} ", "% # | default }} ");
}

static void expand_refuses_other_jinja_with_file_and_line(void **state)
{
    (void)state;
    refuses("\n\n{% if x %}", "t.json:3: Jinja statements");
    refuses("\n{# note #}", "t.json:2: Jinja comments");
    refuses("{{ a | tojson }}", "t.json:1: this Jinja filter");
    refuses("{{ a | default(b) }}", "t.json:1: this Jinja filter");
    refuses("{{ a | default(5) | int }}", "this Jinja expression");
    refuses("{{ a + 1 }}", "t.json:1: this Jinja expression");
    refuses("{{ 5 }}", "without a name");
    refuses("{{ a", "t.json:1: this Jinja expression");
    refuses("{{\n a }}", "without a name");
    refuses("{{ a | default('x }}", "this Jinja filter");
    refuses("x\n{{ b }}", "t.json:2: parameter \"b\" has no default: give "
                          "--track-param b=VALUE");
}

static void expand_refuses_a_nul_byte(void **state)
{
    (void)state;
    struct expand e;
    struct why why = {0};
    char *out = NULL;
    check_ok(expand_init(&e, NULL, 0, &why), why);
    check_err(expand_text(&e, "t.json", "{\n}\0 ", 5, &out, &why), ERR_INVALID);
    check_says(why, "t.json:2: a NUL byte");
}

static void expand_init_checks_the_params(void **state)
{
    (void)state;
    struct expand e;
    struct why why = {0};
    const struct track_param twice[] = {{"a", "1"}, {"a", "2"}};
    const struct track_param word = {"a-b", "1"}, digit = {"1a", "1"},
                             none = {"", "1"}, lines = {"a", "1\n2"};
    check_err(expand_init(&e, twice, 2, &why), ERR_USAGE);
    check_says(why, "a is given twice");
    check_err(expand_init(&e, &word, 1, &why), ERR_USAGE);
    check_says(why, "\"a-b\"");
    check_err(expand_init(&e, &digit, 1, &why), ERR_USAGE);
    check_err(expand_init(&e, &none, 1, &why), ERR_USAGE);
    check_err(expand_init(&e, &lines, 1, &why), ERR_USAGE);
    check_says(why, "a control character");
    check_err(expand_init(&e, twice, EXPAND_PARAMS_MAX + 1, &why), ERR_USAGE);
}

static void expand_check_used_names_the_param_that_nothing_uses(void **state)
{
    (void)state;
    struct expand e;
    struct why why = {0};
    char *out = NULL;
    const struct track_param params[] = {{"used", "1"}, {"typo", "2"}};
    check_ok(expand_init(&e, params, 2, &why), why);
    check_ok(expand_text(&e, "t", "{{ used }}", 10, &out, &why), why);
    free(out);
    check_err(expand_check_used(&e, &why), ERR_USAGE);
    check_says(why, "typo");
    check_ok(expand_text(&e, "t", "{{ typo }}", 10, &out, &why), why);
    free(out);
    check_ok(expand_check_used(&e, &why), why);
}

static void expand_text_has_a_bound(void **state)
{
    (void)state;
    static char value[EXPAND_VALUE_MAX + 1], text[100 * 7 + 1];
    struct expand e;
    struct why why = {0};
    char *out = NULL;
    memset(value, 'x', EXPAND_VALUE_MAX);
    const struct track_param param = {"a", value};
    check_ok(expand_init(&e, &param, 1, &why), why);
    for (size_t i = 0; i < 100; i++) /* 100 x 4096 > 4 x 64 KiB */
        memcpy(text + i * 7, "{{a}} \n", 7);
    check_err(expand_text(&e, "t", text, sizeof text - 1, &out, &why),
              ERR_RANGE);
}

static void expand_text_reads_no_byte_too_far(void **state)
{
    (void)state;
    const char text[] = "{\"x\": {{ a | default(\"5\") }}, {{ b|default(1)}}}";
    for (size_t len = 0; len < sizeof text; len++) {
        struct expand e;
        struct why why = {0};
        char *out = NULL, *copy = guard_copy(text, len);
        check_ok(expand_init(&e, NULL, 0, &why), why);
        enum err err = expand_text(&e, "t", copy, len, &out, &why);
        assert_true(err == ERR_OK || err == ERR_INVALID);
        assert_int_equal(err == ERR_OK, out != NULL);
        free(out);
        guard_free(copy, len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expand_puts_params_and_defaults_in_as_text),
        cmocka_unit_test(expand_leaves_json_alone),
        cmocka_unit_test(expand_refuses_other_jinja_with_file_and_line),
        cmocka_unit_test(expand_refuses_a_nul_byte),
        cmocka_unit_test(expand_init_checks_the_params),
        cmocka_unit_test(expand_check_used_names_the_param_that_nothing_uses),
        cmocka_unit_test(expand_text_has_a_bound),
        cmocka_unit_test(expand_text_reads_no_byte_too_far)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
