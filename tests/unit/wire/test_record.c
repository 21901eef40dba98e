#include "common/record.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"
#include "tests/unit/wire/fill.h"

static struct record in, out;

static void record_decode_gives_back_every_kind_at_its_limits(void **state)
{
    (void)state;
    for (unsigned k = 0; k < RECORD_KIND_LAST; k++) {
        size_t n = 0;
        const struct wire_field *f = record_fields((enum record_kind)k, &n);
        struct wire_buf buf = {0};
        struct why why = {0};
        fill_most(f, n, &in.as);
        check_ok(record_encode((enum record_kind)k, &in.as, &buf, &why), why);
        check_ok(record_decode(buf.data, buf.len, &out, &why), why);
        assert_int_equal(out.kind, k);
        fill_same(f, n, &in.as, &out.as);
        wire_buf_free(&buf);
    }
}

static void record_decode_refuses_every_prefix(void **state)
{
    (void)state;
    struct record_sample_load s = {.second = -3, .task = "index", .docs = 500};
    struct wire_buf buf = {0};
    struct why why = {0};
    check_ok(record_encode(RECORD_IS_sample_load, &s, &buf, &why), why);
    for (size_t cut = 0; cut < buf.len; cut++) {
        char *copy = guard_copy(buf.data, cut);
        check_err(record_decode(copy, cut, &out, &why), ERR_PROTOCOL);
        guard_free(copy, cut);
    }
    wire_buf_free(&buf);
}

static void record_decode_tells_an_unknown_kind_from_a_bad_record(void **state)
{
    (void)state;
    struct why why = {0};
    check_err(record_decode("\x82\xa1k\xa6sample\x01\x02", 12, &out, &why),
              ERR_PROTOCOL); /* a key that is no text */
    check_err(record_decode("\x82\xa1k\xa6sample\xa1x\x02", 13, &out, &why),
              ERR_NOTFOUND);
    check_says(why, "record: kind \"sample\" is unknown");
    check_err(record_decode("\x80", 1, &out, &why), ERR_PROTOCOL);
    check_says(why, "record: \"k\" is missing");
    check_err(record_decode("\x81\xa1k\xa4task", 8, &out, &why), ERR_PROTOCOL);
    check_says(why, "record task: \"task\" is missing");
}

static void record_peek_reads_the_first_pair_alone(void **state)
{
    (void)state;
    enum record_kind kind = RECORD_KIND_LAST;
    assert_true(record_peek("\x82\xa1k\xa4task\x01", 9, &kind));
    assert_int_equal(kind, RECORD_IS_task);
    assert_false(record_peek("\x81\xa1k\xa6sample", 10, &kind)); /* unknown */
    assert_false(record_peek("\x81\xa1k\xa4tas", 7, &kind));     /* cut */
    assert_false(record_peek("\x81\xa1k\x01", 4, &kind));
    assert_false(record_peek("\x81\xa1x\xa4task", 8, &kind));
    assert_false(record_peek("\x81\xa2kk\xa4task", 9, &kind));
    assert_false(record_peek("\x80", 1, &kind));
    assert_false(record_peek("", 0, &kind));
}

/* No writer of ours does so. */
static void record_decode_finds_a_kind_that_is_not_first(void **state)
{
    (void)state;
    static const char map[] = "\x82\xa5"
                              "value\xa0\xa1k\xa4"
                              "fact";
    enum record_kind kind;
    struct why why = {0};
    assert_false(record_peek(map, sizeof map - 1, &kind));
    check_err(record_decode(map, sizeof map - 1, &out, &why), ERR_PROTOCOL);
    check_says(why, "record fact: \"side\" is missing");
}

static void record_name_is_the_tables(void **state)
{
    (void)state;
    assert_string_equal(record_name(RECORD_IS_sample_link), "sample_link");
    assert_string_equal(record_name(RECORD_IS_hist), "hist");
    assert_string_equal(record_name(RECORD_KIND_LAST), "unknown");
}

/* Primary keys come first and every table has one but the driver's. */
static void record_fields_begin_with_their_keys(void **state)
{
    (void)state;
    for (unsigned k = 0; k < RECORD_KIND_LAST; k++) {
        size_t n = 0, keys = 0;
        const struct wire_field *f = record_fields((enum record_kind)k, &n);
        while (keys < n && f[keys].need == WIRE_KEY)
            keys++;
        assert_int_equal(keys > 0, k != RECORD_IS_driver);
        for (size_t i = keys; i < n; i++)
            assert_int_not_equal(f[i].need, WIRE_KEY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(record_decode_gives_back_every_kind_at_its_limits),
        cmocka_unit_test(record_decode_refuses_every_prefix),
        cmocka_unit_test(record_decode_tells_an_unknown_kind_from_a_bad_record),
        cmocka_unit_test(record_peek_reads_the_first_pair_alone),
        cmocka_unit_test(record_decode_finds_a_kind_that_is_not_first),
        cmocka_unit_test(record_name_is_the_tables),
        cmocka_unit_test(record_fields_begin_with_their_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
