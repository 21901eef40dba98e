#include "agent/watch/stats.h"
#include "tests/lib/check.h"
#include "tests/unit/watch/prefixes.h"

#define REQUIRED                                                               \
    "\"docs\":1000,\"requests\":10,\"rejected\":2,\"errors\":1,\"reads\":55,"  \
    "\"read_bytes\":256000,\"buffer_bytes\":3604480,\"heap_used\":1048576,"    \
    "\"heap_max\":268435456"

static enum err parse(const char *text, struct record_sample_target *out,
                      struct why *why)
{
    return stats_parse(text, strlen(text), out, why);
}

static void stats_parse_reads_the_fields_by_name(void **state)
{
    (void)state;
    struct record_sample_target s;
    struct why why = {0};
    check_ok(parse("{" REQUIRED ",\"young_count\":7,\"old_ns\":"
                   "18446744073709551615}",
                   &s, &why),
             why);
    assert_int_equal(s.docs, 1000);
    assert_int_equal(s.requests, 10);
    assert_int_equal(s.rejected, 2);
    assert_int_equal(s.errors, 1);
    assert_int_equal(s.reads, 55);
    assert_int_equal(s.read_bytes, 256000);
    assert_int_equal(s.buffer_bytes, 3604480);
    assert_int_equal(s.heap_used, 1048576);
    assert_int_equal(s.heap_max, 268435456);
    assert_int_equal(s.young_count, 7);
    assert_int_equal(s.old_ns, UINT64_MAX);
    assert_int_equal(s.tlab_bytes, 0); /* optional */
    assert_int_equal(s.second, 0);
}

static void stats_parse_passes_over_what_is_not_ours(void **state)
{
    (void)state;
    struct record_sample_target s;
    struct why why = {0};
    check_ok(parse(" {\n\t\"second\" : -5, \"name\": \"a \\\" } , b\", "
                   "\"x\": {\"docs\": [1, {\"y\": \"]}\"}]}, \"load\": 1.5e3, "
                   "\"ok\": true, \"none\": null, \"\\u0064ocs\": 5, " REQUIRED
                   "\r\n} ",
                   &s, &why),
             why);
    assert_int_equal(s.docs, 1000);
    assert_int_equal(s.second, 0);
}

static void stats_parse_names_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "\"{\" expected at the end"},
        {"[]", "\"{\" expected at \"[]\""},
        {"<html>", "\"{\" expected at \"<html>\""},
        {"{}", "\"docs\" is missing"},
        {"{" REQUIRED "} x", "nothing more expected at \"x\""},
        {"{" REQUIRED ",}", "expected at \"}\""},
        {"{" REQUIRED, "\"}\" expected at the end"},
        {"{" REQUIRED ",\"docs\":1}", "\"docs\" stands there twice"},
        {"{\"docs\":-1}", "\"docs\": -1: a whole number"},
        {"{\"docs\":1.5}", "\"docs\": 1.5: a whole number"},
        {"{\"docs\":1e3}", "\"docs\": 1e3: a whole number"},
        {"{\"docs\":true}", "\"docs\": true: a whole number"},
        {"{\"docs\":18446744073709551616}", "a whole number of 64 bits"},
        {"{\"docs\":\"1\"}", "a value expected at"},
        {"{\"docs\":{}}", "a value expected at"},
        {"{\"docs\" 1}", "\":\" expected at \"1}\""},
        {"{docs:1}", "expected at \"docs:1}\""},
        {"{\"x\":[1,2}", "expected"},
        {"{\"x\":\"open", "expected at the end"},
        {"{\"x\":\"open\\", "expected at the end"},
        {"{\"x\":[[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]]}", "16 levels deep"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record_sample_target s;
        struct why why = {0};
        check_err(parse(cases[i].text, &s, &why), ERR_INVALID);
        check_says(why, cases[i].says);
    }
}

static void stats_parse_refuses_a_nul_behind_the_object(void **state)
{
    (void)state;
    const char text[] = "{" REQUIRED "}\0x";
    struct record_sample_target s;
    struct why why = {0};
    check_err(stats_parse(text, sizeof text - 1, &s, &why), ERR_INVALID);
}

static void stats_since_keeps_levels_and_subtracts_the_rest(void **state)
{
    (void)state;
    const struct record_sample_target a = {.docs = 100,
                                           .read_bytes = 7,
                                           .heap_used = 5000,
                                           .heap_max = 9000,
                                           .young_ns = 10};
    const struct record_sample_target b = {.docs = 350,
                                           .read_bytes = 7,
                                           .heap_used = 4000,
                                           .heap_max = 9000,
                                           .young_ns = 4};
    struct record_sample_target d = stats_since(&a, &b);
    assert_int_equal(d.docs, 250);
    assert_int_equal(d.read_bytes, 0);
    assert_int_equal(d.heap_used, 4000);
    assert_int_equal(d.heap_max, 9000);
    assert_int_equal(d.young_ns, 4); /* fell: begun anew */
}

static void parse_prefix(const char *text, size_t len)
{
    struct record_sample_target s;
    enum err ignored = stats_parse(text, len, &s, NULL);
    (void)ignored;
}

static void stats_parse_stays_inside_the_text(void **state)
{
    (void)state;
    const char text[] = "{\"a\":\"\\\"\",\"x\":{\"y\":[1,\"]\"]}," REQUIRED "}";
    prefixes(text, strlen(text), parse_prefix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stats_parse_reads_the_fields_by_name),
        cmocka_unit_test(stats_parse_passes_over_what_is_not_ours),
        cmocka_unit_test(stats_parse_names_what_is_wrong),
        cmocka_unit_test(stats_parse_refuses_a_nul_behind_the_object),
        cmocka_unit_test(stats_since_keeps_levels_and_subtracts_the_rest),
        cmocka_unit_test(stats_parse_stays_inside_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
