/* Encoded histograms, read back by a reader of the documented format that is
 * first held against a published example. */
#include <stdlib.h>
#include <zlib.h>

#include "common/base64.h"
#include "common/hdr.h"
#include "tests/lib/check.h"

struct read {
    uint8_t plain[1 << 20];
    size_t n, at;
    uint64_t total;
    uint64_t counts[HIST_BUCKETS];
};

static uint64_t number(struct read *r, unsigned bytes)
{
    uint64_t v = 0;
    assert_true(r->at + bytes <= r->n);
    while (bytes--)
        v = v << 8 | r->plain[r->at++];
    return v;
}

static int64_t count(struct read *r)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = number(r, 1);
        v |= (byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static size_t unbase64(uint8_t *out, const char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqr"
                                 "stuvwxyz0123456789+/";
    size_t n = 0;
    uint32_t bits = 0;
    for (size_t i = 0; text[i] && text[i] != '='; i++) {
        bits = bits << 6 | (uint32_t)(strchr(digits, text[i]) - digits);
        if (i % 4)
            out[n++] = (uint8_t)(bits >> (6 - i % 4 * 2));
    }
    return n;
}

static void read_text(struct read *r, const char *text)
{
    static uint8_t zipped[1 << 20];
    size_t len = unbase64(zipped, text);
    uLongf plain = sizeof r->plain;
    memset(r, 0, sizeof *r);
    assert_memory_equal(zipped, "\x1c\x84\x93\x14\0", 5);
    assert_int_equal(zipped[5] << 16 | zipped[6] << 8 | zipped[7], len - 8);
    assert_int_equal(uncompress(r->plain, &plain, zipped + 8, len - 8), Z_OK);
    r->n = plain;
    assert_int_equal(number(r, 4), 0x1c849313);
    assert_int_equal(number(r, 4), r->n - 40);
    assert_int_equal(number(r, 4), 0);
    assert_int_equal(number(r, 4), 3);
    assert_int_equal(number(r, 8), 1);
    (void)number(r, 8);                               /* highest value */
    assert_true(number(r, 8) == 0x3ff0000000000000u); /* 1.0 */
    for (uint32_t i = 0; r->at < r->n;) {
        int64_t n = count(r);
        if (n <= 0) {
            i += n ? (uint32_t)-n : 1;
            continue;
        }
        assert_true(i < HIST_BUCKETS);
        r->total += (uint64_t)n;
        r->counts[i++] = (uint64_t)n;
    }
}

/* The example of HdrHistogram's port to Vala: 100, 200 and 250, once each. */
static void hdr_log_reader_reads_a_published_histogram(void **state)
{
    (void)state;
    static struct read r;
    read_text(&r, "HISTFAAAACV4nJNpmSzMwMDAwQABzFCaEUrp2H+AsI4zMh1lZEpkAgBdIQ"
                  "Sk");
    assert_int_equal(r.total, 3);
    assert_true(r.counts[100] == 1 && r.counts[200] == 1);
    assert_true(r.counts[250] == 1);
}

static void hdr_encode_keeps_every_count(void **state)
{
    (void)state;
    static struct read r;
    static struct hist h;
    struct why why = {0};
    char *text;
    const uint64_t values[] = {0,
                               1,
                               2,
                               1000,
                               2047,
                               2048,
                               2051,
                               123456,
                               999999999,
                               1ull << 42,
                               (1ull << 43) - 1};
    hist_reset(&h);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        hist_record_n(&h, values[i], 100 * i + 1);
    check_ok(hdr_encode(&h, &text, &why), why);
    assert_memory_equal(text, "HISTFAAA", 8); /* as every one begins */
    read_text(&r, text);
    free(text);
    assert_int_equal(r.total, 5511); /* 11 + 100 * (0 + ... + 10) */
    assert_memory_equal(r.counts, h.counts, sizeof r.counts);
    hist_reset(&h);
    check_ok(hdr_encode(&h, &text, &why), why);
    read_text(&r, text);
    free(text);
    assert_int_equal(r.total, 0);
    hist_record_n(&h, 5, HIST_TOTAL_MAX); /* the largest number there is */
    check_ok(hdr_encode(&h, &text, &why), why);
    read_text(&r, text);
    free(text);
    assert_true(r.counts[5] == HIST_TOTAL_MAX);
}

static void base64_pads_as_the_rfc_has_it(void **state)
{
    (void)state;
    /* RFC 4648 section 10 */
    const char *const pairs[][2] = {
        {"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
        {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"foobar", "Zm9vYmFy"}};
    char text[BASE64_BYTES(6)];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        base64_write(text, pairs[i][0], strlen(pairs[i][0]));
        assert_string_equal(text, pairs[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hdr_log_reader_reads_a_published_histogram),
        cmocka_unit_test(hdr_encode_keeps_every_count),
        cmocka_unit_test(base64_pads_as_the_rfc_has_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
