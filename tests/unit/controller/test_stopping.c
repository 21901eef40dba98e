#include <stdlib.h>

#include "common/clock.h"
#include "controller/stopping.h"
#include "tests/lib/check.h"

static struct why why;

static void words_become_a_rule(void **state)
{
    (void)state;
    struct stopping s;
    check_ok(
        stopping_take(&(struct stopping_words){.looks = "6,12", .budget = "2h"},
                      &s, &why),
        why);
    assert_int_equal(s.rule.kind, LOOK_PLANNED);
    assert_int_equal(s.budget_ns, 7200 * NS_PER_S);
    assert_string_equal(s.rule.metric, "throughput");
    check_ok(stopping_take(&(struct stopping_words){.width = "2%",
                                                    .metric = "latency_p99"},
                           &s, &why),
             why);
    assert_int_equal(s.rule.kind, LOOK_WIDTH);
    assert_string_equal(s.rule.metric, "latency_p99");
}

static void words_that_make_no_rule_are_named(void **state)
{
    (void)state;
    static const struct {
        struct stopping_words words;
        const char *says;
    } bad[] = {
        {{.looks = "6", .width = "2%"}, "--looks and --until-width exclude"},
        {{.metric = "throughput"}, "--metric \"throughput\": only with"},
        {{.looks = "6", .metric = "speed"}, "--metric: there is no \"speed\""},
        {{.looks = "6", .metric = "docs_acked"}, "\"docs_acked\" is exact"},
        {{.looks = "6,5"}, "--looks: \"6,5\""},
        {{.width = "x"}, "--until-width: \"x\""},
        {{.budget = "2"}, "--time-budget"}};
    struct stopping s;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (!stopping_take(&bad[i].words, &s, &why))
            fail_msg("case %zu is taken", i);
        check_says(why, bad[i].says);
    }
}

static void looks_give_the_number_of_blocks(void **state)
{
    (void)state;
    struct experiment *ex = malloc(sizeof *ex);
    assert_non_null(ex);
    experiment_init(ex);
    const struct stopping_words looks = {.looks = "6,12,24"};
    const struct stopping_words width = {.width = "2%"};
    check_ok(stopping_plan(&looks, NULL, ex, &why), why);
    assert_int_equal(ex->iterations, 24);
    check_ok(stopping_plan(&looks, "24", ex, &why), why);
    ex->iterations = 8;
    check_err(stopping_plan(&looks, "8", ex, &why), ERR_USAGE);
    check_says(why, "ends after 24 blocks, -n \"8\" does not");
    check_ok(stopping_plan(&width, "8", ex, &why), why);
    assert_int_equal(ex->iterations, 8);
    check_ok(stopping_plan(&width, NULL, ex, &why), why);
    assert_int_equal(ex->iterations, 60);
    ex->order = ORDER_RANDOM;
    check_err(stopping_plan(&looks, NULL, ex, &why), ERR_USAGE);
    check_says(why, "--looks: only in --order blocks, not random");
    free(ex);
}

static void a_budget_lets_no_block_begin_that_ends_beyond(void **state)
{
    (void)state;
    const struct stopping s = {.budget_ns = 100}, none = {.budget_ns = 0};
    assert_false(stopping_spent(&s, 0, 90)); /* the first block runs */
    assert_false(stopping_spent(&s, 3, 75)); /* 75 + 25 = 100 */
    assert_true(stopping_spent(&s, 3, 78));  /* 78 + 26 = 104 */
    assert_false(stopping_spent(&none, 3, 1000));
}

static void a_rule_survives_in_the_store(void **state)
{
    (void)state;
    static const struct stopping_words words[] = {
        {.looks = "6,12,24", .metric = "waste"},
        {.width = "1.5%", .budget = "10m"},
        {.budget = "1s"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct stopping s, back;
        char a[64], b[64];
        check_ok(stopping_take(&words[i], &s, &why), why);
        struct jv *object = jv_new(JV_OBJECT);
        stopping_print(&s, object);
        check_ok(stopping_parse(&back, object, &why), why);
        jv_free(object);
        assert_int_equal(back.rule.kind, s.rule.kind);
        assert_int_equal(back.budget_ns, s.budget_ns);
        assert_string_equal(back.rule.metric, s.rule.metric);
        assert_string_equal(look_show(&back.rule, a, sizeof a),
                            look_show(&s.rule, b, sizeof b));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_become_a_rule),
        cmocka_unit_test(words_that_make_no_rule_are_named),
        cmocka_unit_test(looks_give_the_number_of_blocks),
        cmocka_unit_test(a_budget_lets_no_block_begin_that_ends_beyond),
        cmocka_unit_test(a_rule_survives_in_the_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
