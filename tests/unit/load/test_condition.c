/* What a condition takes for true, and what it says otherwise. */
#include "common/json.h"
#include "load/condition.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"

static char said[100];

/* Whether an answer has value (JSON) at path. */
static bool holds(const char *answer, const char *path, const char *value)
{
    struct why why = {0};
    struct jv *want;
    check_ok(jv_parse(&want, "want", value, strlen(value), &why), why);
    const struct plan_request r = {.want_path = path, .want = want};
    char *copy = guard_copy(answer, strlen(answer));
    bool is = condition_holds(&r, copy, strlen(answer), said, sizeof said);
    guard_free(copy, strlen(answer));
    jv_free(want);
    return is;
}

static void condition_compares_the_value_at_a_path(void **state)
{
    (void)state;
    static const char stats[] =
        "{\"_all\": {\"total\": {\"merges\": {\"current\": 0}}, \"t\": \"x\", "
        "\"b\": true, \"n\": null}}";
    assert_true(holds(stats, "_all.total.merges.current", "0"));
    assert_true(holds(stats, "_all.total.merges.current", "0.0"));
    assert_true(holds(stats, "_all.t", "\"x\""));
    assert_true(holds(stats, "_all.b", "true"));
    assert_true(holds(stats, "_all.n", "null"));
    assert_false(holds(stats, "_all.total.merges.current", "1"));
    assert_string_equal(said, "_all.total.merges.current is 0, not 1");
    assert_false(holds(stats, "_all.total.merges.current", "\"0\""));
    assert_false(holds(stats, "_all.b", "false"));
    assert_false(holds(stats, "_all.t", "\"y\""));
    assert_false(holds(stats, "_all.total", "0"));
    assert_false(holds(stats, "_all.total.segments", "0"));
    assert_string_equal(said,
                        "_all.total.segments is not in the answer, not 0");
}

static void condition_of_what_is_no_json_does_not_hold(void **state)
{
    (void)state;
    assert_false(holds("", "a", "0"));
    assert_false(holds("{\"a\": 0", "a", "0"));
    assert_non_null(strstr(said, "a: answer:1: "));
    assert_false(holds("[0]", "a", "0"));
}

static void condition_that_there_is_none_of_always_holds(void **state)
{
    (void)state;
    const struct plan_request r = {.path = "/"};
    assert_true(condition_holds(&r, NULL, 0, said, sizeof said));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(condition_compares_the_value_at_a_path),
        cmocka_unit_test(condition_of_what_is_no_json_does_not_hold),
        cmocka_unit_test(condition_that_there_is_none_of_always_holds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
