#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/wire.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"

#define ALL(F)                                                                 \
    F(U32, small, 0, OPT)                                                      \
    F(U32, capped, 300, OPT)                                                   \
    F(U64, large, 0, OPT)                                                      \
    F(I64, sign, 0, OPT)                                                       \
    F(F64, real, 0, OPT)                                                       \
    F(STR, text, 8, OPT)                                                       \
    F(BLOB, blob, 70000, OPT)

#define STRICT(F)                                                              \
    F(STR, name, 4, KEY)                                                       \
    F(U64, count, 0, REQ)

struct all {
    WIRE_FIELDS(ALL)
};
struct strict {
    WIRE_FIELDS(STRICT)
};

static const struct wire_field *all_fields(size_t *n)
{
    typedef struct all wire_this;
    static const struct wire_field rows[] = {WIRE_ROWS(ALL)};
    *n = sizeof rows / sizeof *rows;
    return rows;
}

static const struct wire_field *strict_fields(size_t *n)
{
    typedef struct strict wire_this;
    static const struct wire_field rows[] = {WIRE_ROWS(STRICT)};
    *n = sizeof rows / sizeof *rows;
    return rows;
}

/* On guarded memory; a blob of out dies with it. */
static enum err all_decode(const void *data, size_t len, struct all *out,
                           struct why *why)
{
    size_t n = 0;
    const struct wire_field *f = all_fields(&n);
    char *copy = guard_copy(data, len);
    enum err e = wire_decode(f, n, copy, len, out, why);
    guard_free(copy, len);
    return e;
}

static enum err strict_decode(const void *data, size_t len, struct strict *out,
                              struct why *why)
{
    size_t n = 0;
    const struct wire_field *f = strict_fields(&n);
    char *copy = guard_copy(data, len);
    enum err e = wire_decode(f, n, copy, len, out, why);
    guard_free(copy, len);
    return e;
}

/* A map literal without its final NUL. */
#define LIT(s) s, sizeof(s) - 1

static struct all sample(const uint8_t *blob, size_t len)
{
    return (struct all){.small = UINT32_MAX,
                        .capped = 300,
                        .large = UINT64_MAX,
                        .sign = INT64_MIN,
                        .real = -1.5,
                        .text = "gr\xc3\xbc\xc3\x9f",
                        .blob = {blob, len}};
}

static void wire_decode_gives_back_what_was_encoded(void **state)
{
    (void)state;
    static uint8_t bytes[70000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7);
    static const size_t sizes[] = {0, 1, 255, 256, 65535, 65536, 70000};
    size_t n = 0;
    const struct wire_field *f = all_fields(&n);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct all in = sample(bytes, sizes[i]), out;
        struct wire_buf buf = {0};
        struct why why = {0};
        check_ok(wire_encode(f, n, &in, &buf, &why), why);
        check_ok(wire_decode(f, n, buf.data, buf.len, &out, &why), why);
        assert_int_equal(out.small, UINT32_MAX);
        assert_int_equal(out.capped, 300);
        assert_int_equal(out.large, UINT64_MAX);
        assert_int_equal(out.sign, INT64_MIN);
        check_near(out.real, -1.5, 0);
        assert_string_equal(out.text, in.text);
        assert_int_equal(out.blob.len, sizes[i]);
        if (sizes[i])
            assert_memory_equal(out.blob.data, bytes, sizes[i]);
        wire_buf_free(&buf);
        assert_null(buf.data);
    }
}

/* {"small": 1, "text": "hi"} by hand: OPT fields that are zero are not there.
 */
static void wire_encode_makes_the_documented_bytes(void **state)
{
    (void)state;
    size_t n = 0;
    const struct wire_field *f = all_fields(&n);
    struct all in = {.small = 1, .text = "hi"};
    struct wire_buf buf = {0};
    struct why why = {0};
    check_ok(wire_encode(f, n, &in, &buf, &why), why);
    static const char want[] = "\x82\xa5small\x01\xa4text\xa2hi";
    assert_int_equal(buf.len, sizeof want - 1);
    assert_memory_equal(buf.data, want, buf.len);
    /* A second one follows the first. */
    struct wire_word word = {"k", "all"};
    in = (struct all){0};
    check_ok(wire_encode_with(&word, f, n, &in, &buf, &why), why);
    static const char more[] = "\x81\xa1k\xa3"
                               "all";
    assert_int_equal(buf.len, sizeof want - 1 + sizeof more - 1);
    assert_memory_equal(buf.data + sizeof want - 1, more, sizeof more - 1);
    wire_buf_free(&buf);
}

static void wire_encode_sends_required_fields_that_are_zero(void **state)
{
    (void)state;
    size_t n = 0;
    const struct wire_field *f = strict_fields(&n);
    struct strict in = {0}, out;
    struct wire_buf buf = {0};
    struct why why = {0};
    check_ok(wire_encode(f, n, &in, &buf, &why), why);
    check_ok(strict_decode(buf.data, buf.len, &out, &why), why);
    assert_string_equal(out.name, "");
    assert_int_equal(out.count, 0);
    wire_buf_free(&buf);
}

static void wire_encode_refuses_what_does_not_fit(void **state)
{
    (void)state;
    size_t n = 0;
    const struct wire_field *f = all_fields(&n);
    struct all unended = {.small = 1}, capped = {.capped = 301},
               nan_ = {.real = NAN}, inf = {.real = -INFINITY},
               fat = {.blob = {(const uint8_t *)"x", 70001}};
    memset(unended.text, 'x', sizeof unended.text);
    const struct {
        const struct all *in;
        const char *says;
    } cases[] = {{&unended, "\"text\" has more than 8 bytes"},
                 {&capped, "\"capped\" is 301, at most 300"},
                 {&nan_, "\"real\" is not finite"},
                 {&inf, "\"real\" is not finite"},
                 {&fat, "\"blob\" has more than 70000 bytes"}};
    struct wire_buf buf = {0};
    struct all good = {.small = 7};
    struct why why = {0};
    check_ok(wire_encode(f, n, &good, &buf, &why), why);
    size_t before = buf.len;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_err(wire_encode(f, n, cases[i].in, &buf, &why), ERR_RANGE);
        check_says(why, cases[i].says);
        assert_int_equal(buf.len, before);
    }
    wire_buf_free(&buf);
}

/* The linker sends every realloc() of this program here (--wrap). */
static size_t reallocs_left = SIZE_MAX;

void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *__wrap_realloc(void *p, size_t size)
{
    if (!reallocs_left)
        return NULL;
    reallocs_left--;
    return __real_realloc(p, size);
}

/* The n-th allocation fails until none is left to fail: 4000 bytes of blob
 * after a map that stands there already need several. */
static void wire_encode_without_memory_leaves_out_as_it_was(void **state)
{
    (void)state;
    static const uint8_t bytes[4000];
    size_t n = 0, failures = 0;
    const struct wire_field *f = all_fields(&n);
    struct all in = sample(bytes, sizeof bytes), one = {.small = 1};
    for (size_t allowed = 0;; allowed++) {
        struct wire_buf buf = {0};
        struct why why = {0};
        reallocs_left = allowed;
        enum err e = wire_encode(f, n, &one, &buf, &why);
        size_t before = buf.len;
        if (!e)
            e = wire_encode(f, n, &in, &buf, &why);
        reallocs_left = SIZE_MAX;
        if (e) {
            check_err(e, ERR_NOMEM);
            check_says(why, "out of memory");
            assert_int_equal(buf.len, before);
            failures++;
        }
        wire_buf_free(&buf);
        if (!e)
            break;
    }
    assert_int_equal(failures, 2); /* 256 bytes first, then 4096 and more */
}

static void wire_encode_cleans_texts_that_a_reader_would_refuse(void **state)
{
    (void)state;
    size_t n = 0;
    const struct wire_field *f = all_fields(&n);
    struct all in = {.text = "a\x1b[\xff\xc3z"}, out;
    struct wire_buf buf = {0};
    struct why why = {0};
    check_ok(wire_encode(f, n, &in, &buf, &why), why);
    check_ok(all_decode(buf.data, buf.len, &out, &why), why);
    assert_string_equal(out.text, "a?[??z");
    wire_buf_free(&buf);
}

static void wire_decode_refuses_every_prefix(void **state)
{
    (void)state;
    static const uint8_t bytes[300] = {1};
    size_t n = 0;
    const struct wire_field *f = all_fields(&n);
    struct all in = sample(bytes, sizeof bytes), out;
    struct wire_buf buf = {0};
    struct why why = {0};
    check_ok(wire_encode(f, n, &in, &buf, &why), why);
    for (size_t cut = 0; cut < buf.len; cut++) {
        check_err(all_decode(buf.data, cut, &out, &why), ERR_PROTOCOL);
        assert_int_equal(out.small, 0); /* nothing half-read is left */
        assert_null(out.blob.data);
    }
    check_ok(all_decode(buf.data, buf.len, &out, &why), why);
    wire_buf_free(&buf);
}

static void wire_decode_names_the_key_and_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
        const char *says;
    } cases[] = {
        {LIT("\xc0"), "nil, not a map"},
        {LIT("\x91\x01"), "an array, not a map"},
        {LIT("\x81\x01\x01"), "a key: a whole number, not a text"},
        {LIT("\x81\xc4\x05small\x01"), "a key: a blob, not a text"},
        {LIT("\x81\xa5small\xca\x3f\x80\0\0"),
         "\"small\": is a float, not a whole number"},
        {LIT("\x81\xa5small\xcb\x3f\xf0\0\0\0\0\0\0"), "is a float"},
        {LIT("\x81\xa5small\xff"), "\"small\": is a negative number"},
        {LIT("\x81\xa5small\xc0"), "\"small\": is nil"},
        {LIT("\x81\xa5small\xc3"), "\"small\": is a truth value"},
        {LIT("\x81\xa5small\xa1x"), "\"small\": is a text"},
        {LIT("\x81\xa5small\x90"), "\"small\": is an array"},
        {LIT("\x81\xa5small\x80"), "\"small\": is a map"},
        {LIT("\x81\xa5small\xcf\0\0\0\1\0\0\0\0"),
         "\"small\": is 4294967296, at most 4294967295"},
        {LIT("\x81\xa6"
             "capped\xcd\x01\x2d"),
         "\"capped\": is 301, at most 300"},
        {LIT("\x81\xa5large\xd0\x80"), "\"large\": is a negative number"},
        {LIT("\x81\xa4sign\xcf\x80\0\0\0\0\0\0\0"),
         "\"sign\": is 9223372036854775808, at most 9223372036854775807"},
        {LIT("\x81\xa4sign\xca\x3f\x80\0\0"), "\"sign\": is a float"},
        {LIT("\x81\xa4real\xcb\x7f\xf8\0\0\0\0\0\0"),
         "\"real\": a number that is not finite"},
        {LIT("\x81\xa4real\xa1"
             "1"),
         "\"real\": is a text, not a number"},
        {LIT("\x81\xa4text\xc4\x01x"), "\"text\": is a blob, not a text"},
        {LIT("\x81\xa4text\xa9"
             "123456789"),
         "\"text\": has 9 bytes, at most 8"},
        {LIT("\x81\xa4text\xa1\0"), "\"text\": a text with the forbidden byte"},
        {LIT("\x81\xa4text\xa1\r"), "forbidden byte 0x0d"},
        {LIT("\x81\xa4text\xa2\xc0\x80"), "forbidden byte 0xc0"},
        {LIT("\x81\xa4"
             "blob\xa1x"),
         "\"blob\": is a text, not a blob"},
        {LIT("\x81\xa4"
             "blob\xdd\xff\xff\xff\xff"),
         "\"blob\": claims"},
        {LIT("\x81\xa4"
             "blob\xc6\xff\xff\xff\xff"),
         "\"blob\": claims"},
        {LIT("\x82\xa5small\x01\xa5small\x01"),
         "\"small\": stands there twice"},
        {LIT("\x82\xa3new\x01\xa3new\x01"), "\"new\": stands there twice"},
        {LIT("\x81\xa3new\xd4\x00\x00"), "\"new\": the forbidden type 0xd4"},
        {LIT("\x81\xa3new\xc1"), "\"new\": the forbidden type 0xc1"},
        {LIT("\x81\xa1\x1b\x01"), "a key: a text with the forbidden byte"},
        {LIT("\x80\xc0"), "1 bytes after the map"},
        {LIT("\x81\xa5small"), "\"small\": cut short"},
        {LIT("\xdf\xff\xff\xff\xff"), "claims"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct all out;
        struct why why = {0};
        check_err(all_decode(cases[i].bytes, cases[i].len, &out, &why),
                  ERR_PROTOCOL);
        check_says(why, cases[i].says);
    }
}

static void wire_decode_takes_the_limits_themselves(void **state)
{
    (void)state;
    struct all out;
    struct why why = {0};
    check_ok(all_decode(LIT("\x84\xa5small\xce\xff\xff\xff\xff\xa5large\xcf\xff"
                            "\xff\xff\xff\xff\xff\xff\xff\xa4sign\xd3\x80\0\0\0"
                            "\0\0\0\0\xa4text\xa8"
                            "12345678"),
                        &out, &why),
             why);
    assert_int_equal(out.small, UINT32_MAX);
    assert_int_equal(out.large, UINT64_MAX);
    assert_int_equal(out.sign, INT64_MIN);
    assert_string_equal(out.text, "12345678");
    check_ok(all_decode(LIT("\x82\xa4sign\xcf\x7f\xff\xff\xff\xff\xff\xff\xff"
                            "\xa5large\xd0\x7f"),
                        &out, &why),
             why);
    assert_int_equal(out.sign, INT64_MAX);
    assert_int_equal(out.large, 127);
}

static void wire_decode_takes_whole_numbers_for_floats(void **state)
{
    (void)state;
    struct all out;
    struct why why = {0};
    check_ok(all_decode(LIT("\x81\xa4real\x03"), &out, &why), why);
    check_near(out.real, 3, 0);
    check_ok(all_decode(LIT("\x81\xa4real\xfd"), &out, &why), why);
    check_near(out.real, -3, 0);
}

static void wire_decode_passes_over_unknown_keys(void **state)
{
    (void)state;
    struct all out;
    struct why why = {0};
    check_ok(all_decode(LIT("\x84\xa3new\x93\x01\x81\xa1"
                            "a\xc0\xc3\xa5small\x05\xa5newer\xcb\x3f\xf0\0\0\0"
                            "\0\0\0\xa4text\xa2hi"),
                        &out, &why),
             why);
    assert_int_equal(out.small, 5);
    assert_string_equal(out.text, "hi");
    assert_int_equal(out.large, 0);
}

/* {"x": [[...nil...]]}: the map is the first of eight levels. */
static void wire_decode_allows_eight_levels_with_the_map(void **state)
{
    (void)state;
    for (size_t depth = 0; depth <= 40; depth++) {
        char bytes[44] = "\x81\xa1x";
        memset(bytes + 3, '\x91', depth);
        bytes[3 + depth] = '\xc0';
        struct all out;
        struct why why = {0};
        enum err e = all_decode(bytes, 4 + depth, &out, &why);
        if (depth <= 7) {
            check_ok(e, why);
        } else {
            check_err(e, ERR_PROTOCOL);
            check_says(why, "\"x\": more than 8 levels");
        }
    }
}

/* 2047 keys "k0000": nil are 1 + 2 * 2047 = 4095 nodes, one more key 4097. */
static void wire_decode_allows_4096_nodes(void **state)
{
    (void)state;
    enum { PAIR = 7, MOST = 2048 };
    static char bytes[3 + MOST * PAIR];
    for (unsigned i = 0; i < MOST; i++) {
        char pair[PAIR + 1];
        (void)snprintf(pair, sizeof pair, "\xa5k%04u", i);
        memcpy(bytes + 3 + i * PAIR, pair, PAIR);
        bytes[3 + i * PAIR + PAIR - 1] = '\xc0';
    }
    struct all out;
    struct why why = {0};
    memcpy(bytes, "\xde\x07\xff", 3);
    check_ok(all_decode(bytes, 3 + 2047 * PAIR, &out, &why), why);
    memcpy(bytes, "\xde\x08\x00", 3);
    check_err(all_decode(bytes, 3 + 2048 * PAIR, &out, &why), ERR_PROTOCOL);
    check_says(why, "more than 4096 nodes");
}

static void wire_decode_names_a_missing_field(void **state)
{
    (void)state;
    struct strict out;
    struct why why = {0};
    check_err(strict_decode(LIT("\x80"), &out, &why), ERR_PROTOCOL);
    check_says(why, "\"name\" is missing");
    check_err(strict_decode(LIT("\x81\xa4name\xa1x"), &out, &why),
              ERR_PROTOCOL);
    check_says(why, "\"count\" is missing");
    assert_string_equal(out.name, ""); /* zeroed again */
    check_ok(strict_decode(LIT("\x82\xa4name\xa1x\xa5"
                               "count\x00"),
                           &out, &why),
             why);
    assert_string_equal(out.name, "x");
}

static void wire_decode_overwrites_what_stood_in_the_struct(void **state)
{
    (void)state;
    struct all out;
    struct why why = {0};
    memset(&out, 0xaa, sizeof out);
    check_ok(all_decode(LIT("\x81\xa4text\xa1x"), &out, &why), why);
    assert_int_equal(out.small, 0);
    assert_int_equal(out.large, 0);
    assert_int_equal(out.sign, 0);
    check_near(out.real, 0, 0);
    assert_null(out.blob.data);
    assert_string_equal(out.text, "x");
    assert_int_equal(out.text[8], 0);
}

static void wire_describe_prints_a_line_per_field(void **state)
{
    (void)state;
    size_t n = 0;
    const struct wire_field *f = strict_fields(&n);
    char *text = wire_describe(f, n);
    assert_string_equal(text, "name str 4 key\ncount u64 0 req\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wire_decode_gives_back_what_was_encoded),
        cmocka_unit_test(wire_encode_makes_the_documented_bytes),
        cmocka_unit_test(wire_encode_sends_required_fields_that_are_zero),
        cmocka_unit_test(wire_encode_refuses_what_does_not_fit),
        cmocka_unit_test(wire_encode_without_memory_leaves_out_as_it_was),
        cmocka_unit_test(wire_encode_cleans_texts_that_a_reader_would_refuse),
        cmocka_unit_test(wire_decode_refuses_every_prefix),
        cmocka_unit_test(wire_decode_names_the_key_and_what_is_wrong),
        cmocka_unit_test(wire_decode_takes_the_limits_themselves),
        cmocka_unit_test(wire_decode_takes_whole_numbers_for_floats),
        cmocka_unit_test(wire_decode_passes_over_unknown_keys),
        cmocka_unit_test(wire_decode_allows_eight_levels_with_the_map),
        cmocka_unit_test(wire_decode_allows_4096_nodes),
        cmocka_unit_test(wire_decode_names_a_missing_field),
        cmocka_unit_test(wire_decode_overwrites_what_stood_in_the_struct),
        cmocka_unit_test(wire_describe_prints_a_line_per_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
