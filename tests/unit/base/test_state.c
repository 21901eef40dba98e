#include "common/state.h"
#include "tests/lib/check.h"

/* The words stand in SQL and on the wire. */
static void state_words_are_the_contracts(void **state)
{
    (void)state;
    static const char *const states[] = {"planned", "preparing", "prepared",
                                         "armed",   "running",   "stopping",
                                         "sealed",  "stored"};
    for (unsigned i = 0; i < 8; i++) {
        struct why why = {0};
        enum attempt_state s = ATTEMPT_PLANNED;
        assert_string_equal(state_name((enum attempt_state)i), states[i]);
        check_ok(state_parse(states[i], &s, &why), why);
        assert_int_equal(s, i);
    }
    assert_string_equal(state_name((enum attempt_state)8), "unknown");
}

static void outcome_words_are_the_contracts(void **state)
{
    (void)state;
    static const char *const outcomes[] = {"", "ok", "oom", "failed",
                                           "aborted"};
    for (unsigned i = 0; i < 5; i++) {
        struct why why = {0};
        enum attempt_outcome o = OUTCOME_NONE;
        assert_string_equal(outcome_name((enum attempt_outcome)i), outcomes[i]);
        check_ok(outcome_parse(outcomes[i], &o, &why), why);
        assert_int_equal(o, i);
    }
    assert_string_equal(outcome_name((enum attempt_outcome)5), "unknown");
}

static void bound_words_are_the_contracts(void **state)
{
    (void)state;
    assert_string_equal(bound_name(BOUND_UNCLEAR), "unclear");
    assert_string_equal(bound_name(BOUND_DRIVER), "driver");
    assert_string_equal(bound_name(BOUND_TARGET_GC), "target-gc");
    assert_string_equal(bound_name(BOUND_RATE), "rate");
    assert_string_equal(bound_name((enum attempt_bound)9), "unknown");
    for (unsigned i = 0; i < ATTEMPT_N_BOUNDS; i++) {
        enum attempt_bound b = BOUND_UNCLEAR;
        struct why why = {0};
        check_ok(bound_parse(bound_name((enum attempt_bound)i), &b, &why), why);
        assert_int_equal(b, i);
    }
    struct why why = {0};
    enum attempt_bound b = BOUND_RATE;
    check_err(bound_parse("cpu", &b, &why), ERR_PROTOCOL);
    check_says(why, "\"cpu\" is no bound");
}

static void state_parse_names_an_unknown_word(void **state)
{
    (void)state;
    struct why why = {0};
    enum attempt_state s = ATTEMPT_ARMED;
    enum attempt_outcome o = OUTCOME_OK;
    check_err(state_parse("asleep", &s, &why), ERR_PROTOCOL);
    check_says(why, "\"asleep\" is no state of an attempt");
    check_err(state_parse("Armed", &s, &why), ERR_PROTOCOL);
    check_err(outcome_parse("fine", &o, &why), ERR_PROTOCOL);
    check_says(why, "\"fine\" is no outcome");
    assert_int_equal(s, ATTEMPT_ARMED);
    assert_int_equal(o, OUTCOME_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(state_words_are_the_contracts),
        cmocka_unit_test(outcome_words_are_the_contracts),
        cmocka_unit_test(bound_words_are_the_contracts),
        cmocka_unit_test(state_parse_names_an_unknown_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
