#include "target/out.h"
#include "tests/lib/check.h"

static void out_places_commas(void **state)
{
    (void)state;
    char buf[200];
    struct out o = out_to(buf, sizeof buf);
    out_open(&o, NULL, '{');
    out_u64(&o, "a", 0);
    out_open(&o, "b", '[');
    out_u64(&o, NULL, 1);
    out_open(&o, NULL, '[');
    out_close(&o, ']');
    out_bool(&o, NULL, true);
    out_close(&o, ']');
    out_open(&o, "c", '{');
    out_text(&o, "d", "x");
    out_close(&o, '}');
    out_bool(&o, "e", false);
    out_close(&o, '}');
    out_raw(&o, "", 1);
    assert_false(o.cut);
    assert_string_equal(
        buf, "{\"a\":0,\"b\":[1,[],true],\"c\":{\"d\":\"x\"},\"e\":false}");
}

static void out_prints_the_largest_number(void **state)
{
    (void)state;
    char buf[32];
    struct out o = out_to(buf, sizeof buf);
    out_u64(&o, NULL, UINT64_MAX);
    out_raw(&o, "", 1);
    assert_string_equal(buf, "18446744073709551615");
}

static void out_text_escapes_what_json_forbids(void **state)
{
    (void)state;
    char buf[200];
    struct out o = out_to(buf, sizeof buf);
    out_text(&o, NULL, "a\"b\\c\nd\te\x01\x7f\xc3\xa4\xff\xe2\x82");
    out_raw(&o, "", 1);
    assert_string_equal(buf, "\"a\\\"b\\\\c\\nd\\u0009e\\u0001?\xc3\xa4???\"");
}

/* At every size the buffer is filled with whole pieces or `cut` is told, and
 * nothing is written behind it. */
static void out_remembers_what_did_not_fit(void **state)
{
    (void)state;
    static const char whole[] = "{\"key\":[12,\"\\\"\"]}";
    for (size_t size = 0; size <= sizeof whole - 1; size++) {
        char buf[64];
        memset(buf, '#', sizeof buf);
        struct out o = out_to(buf, size);
        out_open(&o, NULL, '{');
        out_open(&o, "key", '[');
        out_u64(&o, NULL, 12);
        out_text(&o, NULL, "\"");
        out_close(&o, ']');
        out_close(&o, '}');
        assert_int_equal(o.cut, size < sizeof whole - 1);
        assert_true(o.len <= size);
        assert_memory_equal(buf, whole, o.len);
        assert_int_equal(buf[size], '#');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(out_places_commas),
        cmocka_unit_test(out_prints_the_largest_number),
        cmocka_unit_test(out_text_escapes_what_json_forbids),
        cmocka_unit_test(out_remembers_what_did_not_fit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
