#include <stdio.h>

#include "agent/executor/template.h"
#include "tests/lib/check.h"

static enum err letters(void *ctx, const char *name,
                        char buf[TEMPLATE_VALUE_MAX], struct why *why)
{
    unsigned *calls = ctx;
    ++*calls;
    if (!strcmp(name, "bad"))
        return err_set(why, ERR_NOTFOUND, "no %s", name);
    (void)snprintf(buf, TEMPLATE_VALUE_MAX, "<%s>", name);
    return ERR_OK;
}

static void gives(const char *text, const char *want)
{
    char out[64];
    unsigned calls = 0;
    struct why why = {0};
    check_ok(template_render(text, letters, &calls, out, sizeof out, &why),
             why);
    assert_string_equal(out, want);
}

static void template_puts_values_in_the_place_of_names(void **state)
{
    (void)state;
    gives("", "");
    gives("-p{{port}}", "-p<port>");
    gives("{{a.b_1}}{{c}}", "<a.b_1><c>");
    gives("{ {} } }}", "{ {} } }}"); /* as in the files of others */
}

static void template_refuses_what_is_no_name(void **state)
{
    static const char *const bad[] = {"{{",      "{{a",  "{{a}",    "{{A}}",
                                      "{{ a }}", "{{}}", "{{a{{b}}"};
    char out[64];
    unsigned calls = 0;
    struct why why;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_err(
            template_render(bad[i], letters, &calls, out, sizeof out, &why),
            ERR_INVALID);
        check_says(why, "after {{ come a name");
    }
    check_err(
        template_render("{{bad}}", letters, &calls, out, sizeof out, &why),
        ERR_NOTFOUND);
}

static void template_keeps_to_its_room(void **state)
{
    char out[6];
    unsigned calls = 0;
    struct why why;
    (void)state;
    check_ok(template_render("12{{a}}", letters, &calls, out, sizeof out, &why),
             why);
    assert_string_equal(out, "12<a>"); /* 5 bytes and the end */
    check_err(
        template_render("123{{a}}", letters, &calls, out, sizeof out, &why),
        ERR_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(template_puts_values_in_the_place_of_names),
        cmocka_unit_test(template_refuses_what_is_no_name),
        cmocka_unit_test(template_keeps_to_its_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
