#include <stdlib.h>

#include "target/bulk_json.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"

/* The verdict on text that ends at an unmapped page. */
static enum bulk_json verdict(const char *text, size_t len, size_t *at)
{
    char *copy = guard_copy(text, len);
    const uint8_t *p = (const uint8_t *)copy;
    struct bulk_cursor c = {p, p + len, p + len};
    enum bulk_json v = bulk_json_document(&c);
    if (at)
        *at = (size_t)(c.p - p);
    guard_free(copy, len);
    return v;
}

static enum bulk_json of(const char *text)
{
    return verdict(text, strlen(text), NULL);
}

static void expect(const char *text, enum bulk_json want)
{
    enum bulk_json got = of(text);
    if (got != want)
        fail_msg("%s: \"%s\", not \"%s\"", text, bulk_json_text(got),
                 bulk_json_text(want));
}

static void document_accepts_every_kind_of_value(void **state)
{
    (void)state;
    static const char *const good[] = {
        "{}",
        " \t\r\n{ } ",
        "{\"a\":1}",
        "{\"a\":{\"b\":[1,2,{\"c\":null}],\"d\":true,\"e\":false}}",
        "{\"a\":[],\"b\":{},\"c\":[[],[{}]]}",
        "{\"\":\"\"}",
        "{\"n\":[0,-0,1,-1,10,0.5,-0.5,1e5,1E+5,1e-5,1.25e10,123456789012]}",
        "{\"s\":\"\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0041 \\uD83D\\ude00\"}",
        "{\"u\":\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf\"}",
        "{\"long\":\"0123456789012345678901234567890123456789\"}",
        "{\"a\" : 1 , \"b\" : [ 1 , 2 ] }\r"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        expect(good[i], BULK_JSON_OK);
}

static void document_names_what_is_wrong(void **state)
{
    (void)state;
    expect("", BULK_JSON_EMPTY);
    expect("  \r", BULK_JSON_EMPTY);
    expect("{", BULK_JSON_END);
    expect("{\"a\"", BULK_JSON_END);
    expect("{\"a\":", BULK_JSON_END);
    expect("{\"a\":1", BULK_JSON_END);
    expect("{\"a\":1,", BULK_JSON_END);
    expect("{\"a\":tru", BULK_JSON_END);
    expect("{\"a\":\"x", BULK_JSON_END);
    expect("{\"a\":\"x\\", BULK_JSON_END);
    expect("{\"a\":\"\\u12", BULK_JSON_END);
    expect("{\"a\":[1", BULK_JSON_END);
    expect("{a:1}", BULK_JSON_SYNTAX);
    expect("{'a':1}", BULK_JSON_SYNTAX);
    expect("{\"a\" 1}", BULK_JSON_SYNTAX);
    expect("{\"a\":}", BULK_JSON_SYNTAX);
    expect("{\"a\":1,}", BULK_JSON_SYNTAX);
    expect("{,}", BULK_JSON_SYNTAX);
    expect("{\"a\":[1,]}", BULK_JSON_SYNTAX);
    expect("{\"a\":[,]}", BULK_JSON_SYNTAX);
    expect("{\"a\":[1 2]}", BULK_JSON_SYNTAX);
    expect("{\"a\":[1}", BULK_JSON_SYNTAX);
    expect("{\"a\":{]}", BULK_JSON_SYNTAX);
    expect("{\"a\":trux}", BULK_JSON_SYNTAX);
    expect("{\"a\":TRUE}", BULK_JSON_SYNTAX);
    expect("{\"a\":+1}", BULK_JSON_SYNTAX);
    expect("{\"a\":.5}", BULK_JSON_SYNTAX);
    expect("{\"a\":NaN}", BULK_JSON_SYNTAX);
    expect("{\"a\":01}", BULK_JSON_NUMBER);
    expect("{\"a\":-}", BULK_JSON_NUMBER);
    expect("{\"a\":1.}", BULK_JSON_NUMBER);
    expect("{\"a\":1.e5}", BULK_JSON_NUMBER);
    expect("{\"a\":1e}", BULK_JSON_NUMBER);
    expect("{\"a\":1e+}", BULK_JSON_NUMBER);
    expect("{\"a\":1x}", BULK_JSON_SYNTAX);
    expect("{\"a\":\"\t\"}", BULK_JSON_CONTROL);
    expect("{\"a\":\"\x1f\"}", BULK_JSON_CONTROL);
    expect("{\"a\":\"\\x\"}", BULK_JSON_ESCAPE);
    expect("{\"a\":\"\\u12g4\"}", BULK_JSON_ESCAPE);
    expect("{\"a\":\"\\ud83d\"}", BULK_JSON_ESCAPE);
    expect("{\"a\":\"\\ud83dx\\ude00\"}", BULK_JSON_ESCAPE);
    expect("{\"a\":\"\\ud83d\\u0041\"}", BULK_JSON_ESCAPE);
    expect("{\"a\":\"\\ude00\"}", BULK_JSON_ESCAPE);
    expect("{} x", BULK_JSON_TRAILING);
    expect("{}{}", BULK_JSON_TRAILING);
    expect("[1]", BULK_JSON_NO_OBJECT);
    expect("1", BULK_JSON_NO_OBJECT);
    expect("\"x\"", BULK_JSON_NO_OBJECT);
    expect("null", BULK_JSON_NO_OBJECT);
    expect("]", BULK_JSON_SYNTAX);
    expect("}", BULK_JSON_SYNTAX);
}

static void document_refuses_what_is_not_utf8(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{\"a\":\"\x80\"}",             /* a continuation alone */
        "{\"a\":\"\xc0\xaf\"}",         /* overlong, two bytes */
        "{\"a\":\"\xc1\xbf\"}",         /* overlong, two bytes */
        "{\"a\":\"\xe0\x9f\xbf\"}",     /* overlong, three bytes */
        "{\"a\":\"\xed\xa0\x80\"}",     /* a surrogate */
        "{\"a\":\"\xf0\x8f\xbf\xbf\"}", /* overlong, four bytes */
        "{\"a\":\"\xf4\x90\x80\x80\"}", /* above U+10FFFF */
        "{\"a\":\"\xf5\x80\x80\x80\"}", /* no such lead */
        "{\"a\":\"\xff\"}",
        "{\"a\":\"\xc3(\"}",
        "{\"a\":\"\xe2\x82(\"}",
        "{\"a\":\"\xf0\x9f\x98(\"}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect(bad[i], BULK_JSON_UTF8);
    expect("{\"a\":\"\xe2\x82", BULK_JSON_END);
}

/* A fault is found wherever it stands in the 16 bytes that are looked at
 * together, and plain bytes before and after it do not matter. */
static void string_scan_finds_a_fault_at_every_place(void **state)
{
    (void)state;
    for (size_t at = 0; at < 40; at++) {
        char text[64];
        memset(text, 'x', sizeof text);
        memcpy(text, "{\"a\":\"", 6);
        text[6 + at] = 0x01;
        memcpy(text + 50, "\"}", 2);
        size_t where;
        assert_int_equal(verdict(text, 52, &where), BULK_JSON_CONTROL);
        assert_int_equal(where, 6 + at);
        text[6 + at] = 'y';
        assert_int_equal(verdict(text, 52, NULL), BULK_JSON_OK);
    }
}

static void every_prefix_of_a_document_ends_too_early(void **state)
{
    (void)state;
    static const char text[] =
        "{\"name\":\"K\xc3\xb6ln \\u00df\",\"p\":[50.93,-6.95e0,true,null],"
        "\"o\":{\"long enough for the fast path\":false}}";
    for (size_t n = 1; n < sizeof text - 1; n++) {
        enum bulk_json v = verdict(text, n, NULL);
        /* A cut number may look malformed, never fine. */
        assert_true(v == BULK_JSON_END || v == BULK_JSON_NUMBER);
    }
    assert_int_equal(of(text), BULK_JSON_OK);
}

/* Bytes behind the end may be looked at, never counted. */
static void bytes_behind_the_end_change_nothing(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":\"0123456789\"}\n{\"b\":\"\x01\x01";
    const uint8_t *p = (const uint8_t *)text;
    struct bulk_cursor c = {p, p + 18, p + sizeof text - 1};
    assert_int_equal(bulk_json_document(&c), BULK_JSON_OK);
    assert_ptr_equal(c.p, p + 18);
    c = (struct bulk_cursor){p, p + 10, p + sizeof text - 1};
    assert_int_equal(bulk_json_document(&c), BULK_JSON_END);
    assert_ptr_equal(c.p, p + 10);
}

/* 256 levels are accepted (255 arrays in one object), 257 are not. */
static void depth_is_limited(void **state)
{
    (void)state;
    char text[1024] = "{\"a\":";
    size_t n = strlen(text), depth = BULK_JSON_DEPTH_MAX - 1;
    memset(text + n, '[', depth);
    memset(text + n + depth, ']', depth);
    text[n + 2 * depth] = '}';
    assert_int_equal(verdict(text, n + 2 * depth + 1, NULL), BULK_JSON_OK);
    text[n + depth] = '[';
    size_t where;
    assert_int_equal(verdict(text, n + depth + 1, &where), BULK_JSON_DEPTH);
    assert_int_equal(where, n + depth);
}

/* Which kind of container a level is stays right over the 64-bit words. */
static void levels_remember_what_they_are(void **state)
{
    (void)state;
    char text[2048];
    size_t n = 0;
    for (int i = 0; i < 100; i++) {
        memcpy(text + n, i % 3 ? "[" : "{\"k\":", i % 3 ? 1 : 5);
        n += i % 3 ? 1 : 5;
    }
    text[n++] = '1';
    size_t closers = n;
    for (int i = 99; i >= 0; i--)
        text[n++] = i % 3 ? ']' : '}';
    assert_int_equal(verdict(text, n, NULL), BULK_JSON_OK);
    for (size_t i = closers; i < n; i++) {
        char right = text[i];
        text[i] = right == ']' ? '}' : ']';
        assert_int_equal(verdict(text, n, NULL), BULK_JSON_SYNTAX);
        text[i] = right;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(document_accepts_every_kind_of_value),
        cmocka_unit_test(document_names_what_is_wrong),
        cmocka_unit_test(document_refuses_what_is_not_utf8),
        cmocka_unit_test(string_scan_finds_a_fault_at_every_place),
        cmocka_unit_test(every_prefix_of_a_document_ends_too_early),
        cmocka_unit_test(bytes_behind_the_end_change_nothing),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(levels_remember_what_they_are)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
