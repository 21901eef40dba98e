#include "common/token.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"

/* The first token of bytes[0..len) on guarded memory. */
static enum err first(const char *bytes, size_t len, struct token *t,
                      struct why *why)
{
    char *copy = guard_copy(bytes, len);
    struct token_reader r = token_reader(copy, len);
    enum err e = token_next(&r, t, why);
    guard_free(copy, len);
    return e;
}

/* Reads bytes as one whole value. */
static enum err skim(const char *bytes, size_t len, struct why *why)
{
    char *copy = guard_copy(bytes, len);
    struct token_reader r = token_reader(copy, len);
    struct token t;
    enum err e = token_next(&r, &t, why);
    if (!e)
        e = token_skip(&r, &t, 0, why);
    if (!e && r.at != r.end)
        e = err_set(why, ERR_PROTOCOL, "bytes are left");
    guard_free(copy, len);
    return e;
}

static void token_next_reads_whole_numbers_of_every_width(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
        enum token_type type;
        uint64_t whole;
        int64_t negative;
    } cases[] = {
        {"\x00", 1, TOKEN_UINT, 0, 0},
        {"\x7f", 1, TOKEN_UINT, 127, 0},
        {"\xff", 1, TOKEN_INT, 0, -1},
        {"\xe0", 1, TOKEN_INT, 0, -32},
        {"\xcc\xff", 2, TOKEN_UINT, 255, 0},
        {"\xcd\x01\x00", 3, TOKEN_UINT, 256, 0},
        {"\xce\xff\xff\xff\xff", 5, TOKEN_UINT, UINT32_MAX, 0},
        {"\xcf\xff\xff\xff\xff\xff\xff\xff\xff", 9, TOKEN_UINT, UINT64_MAX, 0},
        {"\xcf\0\0\0\0\0\0\0\1", 9, TOKEN_UINT, 1, 0},
        {"\xd0\x80", 2, TOKEN_INT, 0, -128},
        {"\xd0\x7f", 2, TOKEN_UINT, 127, 0},
        {"\xd1\x80\x00", 3, TOKEN_INT, 0, -32768},
        {"\xd2\x80\0\0\0", 5, TOKEN_INT, 0, INT32_MIN},
        {"\xd3\x80\0\0\0\0\0\0\0", 9, TOKEN_INT, 0, INT64_MIN},
        {"\xd3\x7f\xff\xff\xff\xff\xff\xff\xff", 9, TOKEN_UINT, INT64_MAX, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct token t;
        struct why why = {0};
        check_ok(first(cases[i].bytes, cases[i].len, &t, &why), why);
        assert_int_equal(t.type, cases[i].type);
        assert_int_equal(t.whole, cases[i].whole);
        assert_int_equal(t.negative, cases[i].negative);
        for (size_t cut = 0; cut < cases[i].len; cut++) {
            check_err(first(cases[i].bytes, cut, &t, &why), ERR_PROTOCOL);
            check_says(why, "cut short");
        }
    }
}

/* IEEE 754: 1.5 is 3fc00000 and 3ff8000000000000. */
static void token_next_reads_finite_floats_only(void **state)
{
    (void)state;
    struct token t;
    struct why why = {0};
    check_ok(first("\xca\x3f\xc0\0\0", 5, &t, &why), why);
    assert_int_equal(t.type, TOKEN_FLOAT);
    check_near(t.real, 1.5, 0);
    check_ok(first("\xcb\x3f\xf8\0\0\0\0\0\0", 9, &t, &why), why);
    check_near(t.real, 1.5, 0);
    static const char *const bad[] = {
        "\xca\x7f\x80\0\0\0\0\0\0",             /* inf */
        "\xca\xff\x80\0\0\0\0\0\0",             /* -inf */
        "\xca\x7f\xc0\0\0\0\0\0\0",             /* NaN */
        "\xcb\x7f\xf0\0\0\0\0\0\0",             /* inf */
        "\xcb\x7f\xf8\0\0\0\0\0\0",             /* NaN */
        "\xcb\xff\xff\xff\xff\xff\xff\xff\xff", /* NaN */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_err(first(bad[i], bad[i][0] == '\xca' ? 5 : 9, &t, &why),
                  ERR_PROTOCOL);
        check_says(why, "not finite");
    }
}

static void token_next_reads_texts_and_blobs_in_place(void **state)
{
    (void)state;
    struct why why = {0};
    struct token t;
    static const struct {
        const char *bytes;
        size_t len;
        enum token_type type;
    } cases[] = {
        {"\xa2hi", 3, TOKEN_STR},          {"\xd9\x02hi", 4, TOKEN_STR},
        {"\xda\0\x02hi", 5, TOKEN_STR},    {"\xdb\0\0\0\x02hi", 7, TOKEN_STR},
        {"\xc4\x02hi", 4, TOKEN_BIN},      {"\xc5\0\x02hi", 5, TOKEN_BIN},
        {"\xc6\0\0\0\x02hi", 7, TOKEN_BIN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct token_reader r = token_reader(cases[i].bytes, cases[i].len);
        check_ok(token_next(&r, &t, &why), why);
        assert_int_equal(t.type, cases[i].type);
        assert_int_equal(t.len, 2);
        assert_ptr_equal(t.data, cases[i].bytes + cases[i].len - 2);
        for (size_t cut = 0; cut < cases[i].len; cut++)
            check_err(first(cases[i].bytes, cut, &t, &why), ERR_PROTOCOL);
    }
    check_ok(first("\xc4\x02\x00\xff", 4, &t, &why), why);
    check_err(first("\xa2\x00x", 3, &t, &why), ERR_PROTOCOL);
    check_says(why, "forbidden byte 0x00");
}

/* 0xc1 is reserved; c7..c9 and d4..d8 are extensions. */
static void token_next_refuses_extensions_and_the_reserved_type(void **state)
{
    (void)state;
    static const uint8_t types[] = {0xc1, 0xc7, 0xc8, 0xc9, 0xd4,
                                    0xd5, 0xd6, 0xd7, 0xd8};
    for (size_t i = 0; i < sizeof types; i++) {
        char bytes[24] = {(char)types[i]};
        struct token t;
        struct why why = {0};
        check_err(first(bytes, sizeof bytes, &t, &why), ERR_PROTOCOL);
        check_says(why, "forbidden type");
    }
}

/* Five bytes that made msgpack-c ask for gigabytes. */
static void token_next_refuses_claims_beyond_the_input(void **state)
{
    (void)state;
    static const char *const bytes[] = {
        "\xdd\xff\xff\xff\xff", "\xdf\xff\xff\xff\xff", "\xdd\x05\xf5\xe1\x00",
        "\xdb\xff\xff\xff\xff", "\xc6\xff\xff\xff\xff"};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        struct token t;
        struct why why = {0};
        check_err(first(bytes[i], 5, &t, &why), ERR_PROTOCOL);
        check_says(why, "claims");
    }
}

static void token_skip_allows_eight_levels(void **state)
{
    (void)state;
    for (size_t depth = 0; depth <= 40; depth++) {
        char bytes[41];
        memset(bytes, '\x91', depth);
        bytes[depth] = '\xc0';
        struct why why = {0};
        enum err e = skim(bytes, depth + 1, &why);
        if (depth <= 8) {
            check_ok(e, why);
        } else {
            check_err(e, ERR_PROTOCOL);
            check_says(why, "more than 8 levels");
        }
    }
}

/* An array of 4095 nils is 4096 nodes. */
static void token_skip_allows_4096_nodes(void **state)
{
    (void)state;
    static char bytes[3 + 4096] = "\xdc";
    struct why why = {0};
    memset(bytes + 3, '\xc0', 4096);
    bytes[1] = '\x0f';
    bytes[2] = '\xff';
    check_ok(skim(bytes, 3 + 4095, &why), why);
    bytes[1] = '\x10';
    bytes[2] = '\x00';
    check_err(skim(bytes, 3 + 4096, &why), ERR_PROTOCOL);
    check_says(why, "more than 4096 nodes");
}

/* Nested arrays whose counts fit one by one, but not together: 40 items, each
 * an array of 120 nils = 1 + 40 + 4800 nodes. */
static void token_skip_counts_nodes_over_all_containers(void **state)
{
    (void)state;
    char bytes[3 + 40 * 123];
    memcpy(bytes, "\xdc\0\x28", 3);
    for (size_t i = 0; i < 40; i++) {
        memcpy(bytes + 3 + i * 123, "\xdc\0\x78", 3);
        memset(bytes + 6 + i * 123, '\xc0', 120);
    }
    struct why why = {0};
    check_err(skim(bytes, sizeof bytes, &why), ERR_PROTOCOL);
    check_says(why, "more than 4096 nodes");
}

/* [[4094 nils], nil]: each count fits, the last nil is node 4097. */
static void token_next_stops_at_the_last_node(void **state)
{
    (void)state;
    static char bytes[1 + 3 + 4094 + 1];
    memset(bytes, '\xc0', sizeof bytes);
    memcpy(bytes, "\x92\xdc\x0f\xfe", 4);
    struct why why = {0};
    check_err(skim(bytes, sizeof bytes, &why), ERR_PROTOCOL);
    check_says(why, "more than 4096 nodes");
    bytes[3] = '\xfd'; /* one less */
    check_ok(skim(bytes, sizeof bytes - 1, &why), why);
}

/* {"a": [1, {"b": nil}], "c": true, 1: "x"} */
static void token_skip_passes_over_mixed_containers(void **state)
{
    (void)state;
    static const char bytes[] = "\x83\xa1"
                                "a\x92\x01\x81\xa1"
                                "b\xc0\xa1"
                                "c\xc3\x01\xa1x";
    size_t len = sizeof bytes - 1;
    struct why why = {0};
    check_ok(skim(bytes, len, &why), why);
    for (size_t cut = 0; cut < len; cut++)
        check_err(skim(bytes, cut, &why), ERR_PROTOCOL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(token_next_reads_whole_numbers_of_every_width),
        cmocka_unit_test(token_next_reads_finite_floats_only),
        cmocka_unit_test(token_next_reads_texts_and_blobs_in_place),
        cmocka_unit_test(token_next_refuses_extensions_and_the_reserved_type),
        cmocka_unit_test(token_next_refuses_claims_beyond_the_input),
        cmocka_unit_test(token_skip_allows_eight_levels),
        cmocka_unit_test(token_skip_allows_4096_nodes),
        cmocka_unit_test(token_skip_counts_nodes_over_all_containers),
        cmocka_unit_test(token_next_stops_at_the_last_node),
        cmocka_unit_test(token_skip_passes_over_mixed_containers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
