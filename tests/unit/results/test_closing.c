#include "results/closing.h"
#include "tests/lib/check.h"

static struct why why;

static enum err add(struct closing *c, const char *agent, const char *json)
{
    return closing_add(c, agent, (const uint8_t *)json, strlen(json), &why);
}

static void closing_of_one_machine_is_what_it_says(void **state)
{
    struct closing c = {.known = false};
    (void)state;
    check_ok(add(&c, "a",
                 "{\"version\":1,\"restored\":true,\"differs\":[],"
                 "\"changed\":[],\"held_back\":{\"thermal\":0,"
                 "\"quota_ns\":0},\"groups\":{}}"),
             why);
    assert_true(c.known);
    assert_false(c.altered);
    assert_string_equal(c.differs, "");
    assert_string_equal(c.changed, "");
}

static void closing_of_several_is_the_worst_of_all(void **state)
{
    struct closing c = {.known = false};
    (void)state;
    check_ok(add(&c, "a",
                 "{\"restored\":true,\"held_back\":{\"thermal\":2,"
                 "\"quota_ns\":5}}"),
             why);
    check_ok(add(&c, "b",
                 "{\"restored\":false,\"differs\":[\"x: 1\",\"y\"],"
                 "\"changed\":[\"z\"],\"held_back\":{\"thermal\":1,"
                 "\"quota_ns\":7},\"groups\":{\"target\":{"
                 "\"throttled_ns\":11},\"load\":{\"throttled_ns\":3}}}"),
             why);
    check_ok(add(&c, "c", "{\"restored\":true,\"changed\":[\"w\"]}"), why);
    assert_true(c.altered);
    assert_string_equal(c.differs, "b: x: 1; y");
    assert_string_equal(c.changed, "b: z; c: w");
    assert_int_equal(c.thermal, 3);
    assert_int_equal(c.throttled_ns, 12);
    assert_int_equal(c.limited_ns, 11);
}

static void closing_that_is_damaged_changes_nothing(void **state)
{
    static const char *const bad[] = {
        "",
        "{",
        "[]",
        "{\"restored\":1}",
        "{\"restored\":false,\"differs\":{}}",
        "{\"restored\":false,\"differs\":[1]}",
        "{\"restored\":false,\"held_back\":{\"thermal\":-1}}",
        "{\"restored\":false,\"held_back\":{\"quota_ns\":\"1\"}}",
        "{\"restored\":false,\"groups\":{\"target\":{"
        "\"throttled_ns\":-1}}}"};
    struct closing c = {.known = false};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_not_equal(add(&c, "a", bad[i]), ERR_OK);
        assert_false(c.known || c.altered);
        assert_string_equal(c.differs, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closing_of_one_machine_is_what_it_says),
        cmocka_unit_test(closing_of_several_is_the_worst_of_all),
        cmocka_unit_test(closing_that_is_damaged_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
