#include "agent/executor/pin.h"
#include "tests/lib/check.h"

static cpu_set_t set(const char *list)
{
    cpu_set_t s;
    struct why why;
    check_ok(pin_parse(list, &s, &why), why);
    return s;
}

static void divides(const char *rule, const char *allowed, const char *target,
                    const char *load)
{
    struct pin pin;
    struct why why;
    cpu_set_t all = set(allowed);
    check_ok(pin_make(&pin, rule, &all, &why), why);
    assert_string_equal(pin.target_text, target);
    assert_string_equal(pin.load_text, load);
    assert_int_equal(pin.pinned, target[0] != '\0');
}

static void pin_auto_gives_the_target_the_lower_half(void **state)
{
    (void)state;
    divides("auto", "0-1", "0", "1");
    divides("auto", "0-7", "0-3", "4-7");
    divides("auto", "0-2", "0-1", "2"); /* 2 of 3 */
    divides("auto", "1,3,5,7", "1,3", "5,7");
}

static void pin_auto_leaves_one_processor_to_both(void **state)
{
    (void)state;
    divides("auto", "3", "", "");
}

static void pin_none_pins_nothing(void **state)
{
    (void)state;
    divides("none", "0-7", "", "");
    divides("", "0-7", "", "");
}

static void pin_list_gives_load_the_rest(void **state)
{
    (void)state;
    divides("0,2-3", "0-7", "0,2-3", "1,4-7");
}

static void pin_list_refuses_what_is_not_there_or_leaves_nothing(void **state)
{
    struct pin pin;
    struct why why;
    cpu_set_t all = set("0-3");
    (void)state;
    check_err(pin_make(&pin, "4", &all, &why), ERR_INVALID);
    check_says(why, "pin: 4; this agent may use 0-3");
    check_err(pin_make(&pin, "0-3", &all, &why), ERR_INVALID);
    check_says(why, "pin: 0-3 leaves no processor of 0-3 to load");
}

static void pin_parse_refuses_what_is_no_list(void **state)
{
    static const char *const bad[] = {"",
                                      ",",
                                      "a",
                                      "1,",
                                      "1-",
                                      "-1",
                                      "3-1",
                                      "1,,2",
                                      "1024",
                                      "1 ",
                                      "0x1",
                                      "1--2",
                                      "99999999999999999999"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cpu_set_t s;
        struct why why;
        check_err(pin_parse(bad[i], &s, &why), ERR_INVALID);
        check_says(why, "accepted: 0-3,6");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pin_auto_gives_the_target_the_lower_half),
        cmocka_unit_test(pin_auto_leaves_one_processor_to_both),
        cmocka_unit_test(pin_none_pins_nothing),
        cmocka_unit_test(pin_list_gives_load_the_rest),
        cmocka_unit_test(pin_list_refuses_what_is_not_there_or_leaves_nothing),
        cmocka_unit_test(pin_parse_refuses_what_is_no_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
