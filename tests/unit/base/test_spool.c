#include "common/spool.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"

/* A record of payload with seq, at out; its size. */
static size_t record(uint8_t *out, enum spool_stream stream, uint64_t seq,
                     const void *payload, size_t len)
{
    spool_header_make(out, stream, seq, payload, (uint32_t)len);
    memcpy(out + SPOOL_HEADER_BYTES, payload, len);
    return SPOOL_HEADER_BYTES + len;
}

/* len 2, seq 0x0102, stream watch-target (2), version 1. The checksum of these
 * 20 bytes with a zero crc and "hi" was computed bit by bit, apart from
 * crc.c. */
static void spool_header_make_is_little_endian(void **state)
{
    (void)state;
    static const uint8_t want[SPOOL_HEADER_BYTES] = {
        2, 0, 0, 0, 0xdb, 0x58, 0xe6, 0xf5, 2, 1, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0};
    uint8_t got[SPOOL_HEADER_BYTES];
    spool_header_make(got, SPOOL_WATCH_TARGET, 0x0102, "hi", 2);
    assert_memory_equal(got, want, sizeof want);
}

static void spool_record_read_walks_a_file(void **state)
{
    (void)state;
    static uint8_t file[3 * SPOOL_HEADER_BYTES + 5 + SPOOL_RECORD_MAX];
    static uint8_t big[SPOOL_RECORD_MAX] = {9};
    size_t end = record(file, SPOOL_LOAD, 0, "hello", 5);
    end += record(file + end, SPOOL_GC_LOG, 1, big, sizeof big);
    end += record(file + end, SPOOL_EXECUTOR, 2, "", 0);
    struct spool_header h;
    const uint8_t *payload = NULL;
    struct why why = {0};
    check_ok(spool_record_read(file, end, 0, &h, &payload, &why), why);
    assert_int_equal(h.stream, SPOOL_LOAD);
    assert_int_equal(h.len, 5);
    assert_memory_equal(payload, "hello", 5);
    size_t at = SPOOL_HEADER_BYTES + h.len;
    check_ok(spool_record_read(file + at, end - at, 1, &h, &payload, &why),
             why);
    assert_int_equal(h.stream, SPOOL_GC_LOG);
    assert_int_equal(h.len, SPOOL_RECORD_MAX);
    assert_int_equal(payload[0], 9);
    at += SPOOL_HEADER_BYTES + h.len;
    check_ok(spool_record_read(file + at, end - at, 2, &h, &payload, &why),
             why);
    assert_int_equal(h.len, 0);
    assert_int_equal(at + SPOOL_HEADER_BYTES, end);
}

static void spool_record_read_wants_more_of_every_prefix(void **state)
{
    (void)state;
    uint8_t bytes[SPOOL_HEADER_BYTES + 5];
    size_t len = record(bytes, SPOOL_LOAD, 7, "hello", 5);
    for (size_t cut = 0; cut < len; cut++) {
        uint8_t *copy = (uint8_t *)guard_copy(bytes, cut);
        struct spool_header h;
        const uint8_t *payload = NULL;
        struct why why = {0};
        check_err(spool_record_read(copy, cut, 7, &h, &payload, &why),
                  ERR_AGAIN);
        check_says(why, "spool record 7: cut short");
        guard_free((char *)copy, cut);
    }
}

/* No single flipped bit goes unseen, whatever it hits. */
static void spool_record_read_sees_every_flipped_bit(void **state)
{
    (void)state;
    uint8_t bytes[SPOOL_HEADER_BYTES + 5];
    size_t len = record(bytes, SPOOL_LOAD, 7, "hello", 5);
    for (size_t bit = 0; bit < 8 * len; bit++) {
        struct spool_header h;
        const uint8_t *payload = NULL;
        struct why why = {0};
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        enum err e = spool_record_read(bytes, len, 7, &h, &payload, &why);
        /* A longer length may as well be a record that is not all there. */
        if (e != ERR_CORRUPT && !(e == ERR_AGAIN && bit < 32))
            fail_msg("bit %zu: %s", bit, err_name(e));
        assert_null(payload);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

/* With a checksum that is right, so that each rule is seen by itself. */
static void spool_record_read_names_what_is_wrong(void **state)
{
    (void)state;
    static uint8_t bytes[SPOOL_HEADER_BYTES + SPOOL_RECORD_MAX + 1];
    static const uint8_t zeros[SPOOL_RECORD_MAX + 1];
    struct spool_header h;
    const uint8_t *payload = NULL;
    struct why why = {0};
    size_t len = record(bytes, SPOOL_LOAD, 7, zeros, 5);
    check_err(spool_record_read(bytes, len, 8, &h, &payload, &why),
              ERR_CORRUPT);
    check_says(why, "spool record 8: out of sequence: 7");
    len = record(bytes, SPOOL_NONE, 0, zeros, 5);
    check_err(spool_record_read(bytes, len, 0, &h, &payload, &why),
              ERR_CORRUPT);
    check_says(why, "unknown stream 0");
    len = record(bytes, SPOOL_STREAM_LAST, 0, zeros, 5);
    check_err(spool_record_read(bytes, len, 0, &h, &payload, &why),
              ERR_CORRUPT);
    check_says(why, "unknown stream 11");
    len = record(bytes, SPOOL_LOAD, 0, zeros, sizeof zeros);
    check_err(spool_record_read(bytes, len, 0, &h, &payload, &why),
              ERR_CORRUPT);
    check_says(why, "too long: 65537");
    bytes[17] = 2;
    check_err(spool_record_read(bytes, len, 0, &h, &payload, &why),
              ERR_CORRUPT);
    check_says(why, "unknown version 2");
}

static void spool_stream_name_knows_every_stream(void **state)
{
    (void)state;
    assert_string_equal(spool_stream_name(SPOOL_LOAD), "load");
    assert_string_equal(spool_stream_name(SPOOL_TARGET_FINAL), "target-final");
    assert_string_equal(spool_stream_name(SPOOL_EXECUTOR), "executor");
    assert_string_equal(spool_stream_name(SPOOL_NONE), "unknown");
    assert_string_equal(spool_stream_name(SPOOL_STREAM_LAST), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spool_header_make_is_little_endian),
        cmocka_unit_test(spool_record_read_walks_a_file),
        cmocka_unit_test(spool_record_read_wants_more_of_every_prefix),
        cmocka_unit_test(spool_record_read_sees_every_flipped_bit),
        cmocka_unit_test(spool_record_read_names_what_is_wrong),
        cmocka_unit_test(spool_stream_name_knows_every_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
