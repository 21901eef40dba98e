#include "controller/level.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"

static void level_parse_takes_a_value_as_its_own_label(void **state)
{
    (void)state;
    struct level l;
    struct why why = {""};
    check_ok(level_parse("adaptive:1k-512k", &l, &why), why);
    assert_string_equal(l.label, "adaptive:1k-512k");
    assert_string_equal(l.value, "adaptive:1k-512k");
}

static void level_parse_takes_what_stands_before_the_at_as_label(void **state)
{
    (void)state;
    struct level l;
    struct why why = {""};
    check_ok(level_parse("eth200@veth:mtu=1500+rate=200mbit", &l, &why), why);
    assert_string_equal(l.label, "eth200");
    assert_string_equal(l.value, "veth:mtu=1500+rate=200mbit");
}

static void level_parse_refuses_empty_levels_and_bad_labels(void **state)
{
    (void)state;
    struct level l;
    struct why why = {""};
    check_err(level_parse("", &l, &why), ERR_INVALID);
    assert_string_equal(why.text, "an empty level");
    check_err(level_parse("x@", &l, &why), ERR_INVALID);
    assert_string_equal(why.text, "an empty level in x@");
    check_err(level_parse("@veth", &l, &why), ERR_INVALID);
    assert_string_equal(why.text, "\"@veth\": a label before @ is 1 to 40 "
                                  "letters, digits, _, . or -");
    check_err(level_parse("a b@veth", &l, &why), ERR_INVALID);
    /* 41 characters before the @ */
    check_err(
        level_parse("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@v", &l, &why),
        ERR_INVALID);
}

static void level_parse_refuses_a_value_of_193_characters(void **state)
{
    (void)state;
    char text[194];
    struct level l;
    struct why why = {""};
    memset(text, 'a', 193);
    text[193] = '\0';
    check_err(level_parse(text, &l, &why), ERR_RANGE);
    check_says(why, "is longer than 192 characters");
    text[192] = '\0';
    check_ok(level_parse(text, &l, &why), why);
}

static void level_list_splits_at_commas(void **state)
{
    (void)state;
    struct level l[4];
    struct why why = {""};
    size_t n = 0;
    check_ok(level_list("loopback,eth200@veth:mtu=1500+rate=200mbit,x", l, 4,
                        &n, &why),
             why);
    assert_int_equal(n, 3);
    assert_string_equal(l[0].label, "loopback");
    assert_string_equal(l[1].label, "eth200");
    assert_string_equal(l[2].value, "x");
}

static void level_list_refuses_empty_ones_and_too_many(void **state)
{
    (void)state;
    struct level l[2];
    struct why why = {""};
    size_t n = 0;
    check_err(level_list("a,,b", l, 2, &n, &why), ERR_INVALID);
    assert_string_equal(why.text, "an empty level");
    check_err(level_list("a,", l, 2, &n, &why), ERR_INVALID);
    check_err(level_list("a,b,c", l, 2, &n, &why), ERR_RANGE);
    assert_string_equal(why.text, "more than 2 levels");
}

static void level_split_names_what_is_no_pair(void **state)
{
    (void)state;
    char name[8];
    const char *rest = NULL;
    struct why why = {""};
    check_ok(level_split("heap=1g=x", name, sizeof name, &rest, &why), why);
    assert_string_equal(name, "heap");
    assert_string_equal(rest, "1g=x");
    check_err(level_split("heap", name, sizeof name, &rest, &why), ERR_INVALID);
    assert_string_equal(why.text, "\"heap\" is not NAME=VALUE");
    check_err(level_split("=1g", name, sizeof name, &rest, &why), ERR_INVALID);
    check_err(level_split("abcdefgh=1", name, sizeof name, &rest, &why),
              ERR_RANGE);
    check_says(why, "is longer than 7 characters");
}

static void level_list_reads_no_byte_beyond_any_prefix(void **state)
{
    (void)state;
    static const char text[] = "a@b,eth200@veth:mtu=1500+rate=200mbit,,c@";
    struct level l[4];
    size_t n = 0;
    for (size_t len = 0; len < sizeof text; len++) {
        char cut[sizeof text] = "";
        memcpy(cut, text, len);
        char *copy = guard_copy(cut, len + 1); /* with its end */
        enum err e = level_list(copy, l, 4, &n, NULL);
        assert_true(e == ERR_OK || e == ERR_INVALID);
        guard_free(copy, len + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_parse_takes_a_value_as_its_own_label),
        cmocka_unit_test(level_parse_takes_what_stands_before_the_at_as_label),
        cmocka_unit_test(level_parse_refuses_empty_levels_and_bad_labels),
        cmocka_unit_test(level_parse_refuses_a_value_of_193_characters),
        cmocka_unit_test(level_list_splits_at_commas),
        cmocka_unit_test(level_list_refuses_empty_ones_and_too_many),
        cmocka_unit_test(level_split_names_what_is_no_pair),
        cmocka_unit_test(level_list_reads_no_byte_beyond_any_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
