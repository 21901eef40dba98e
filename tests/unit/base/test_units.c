#include "common/units.h"
#include "tests/lib/check.h"

typedef enum err parser(const char *text, uint64_t *out, struct why *why);

struct good {
    const char *text;
    uint64_t value;
};

static void check_all(parser *parse, const struct good *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct why why = {0};
        uint64_t v = 0;
        check_ok(parse(cases[i].text, &v, &why), why);
        if (v != cases[i].value)
            fail_msg("%s is %llu", cases[i].text, (unsigned long long)v);
    }
}

/* Each is refused as malformed, with its text and what is accepted. */
static void check_bad(parser *parse, const char *const *texts, size_t n,
                      const char *accepted)
{
    for (size_t i = 0; i < n; i++) {
        struct why why = {0};
        uint64_t v = 77;
        if (parse(texts[i], &v, &why) != ERR_INVALID)
            fail_msg("\"%s\" is not refused as invalid", texts[i]);
        check_says(why, texts[i]);
        check_says(why, accepted);
        assert_int_equal(v, 77);
    }
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void units_bytes_reads_binary_multiples(void **state)
{
    (void)state;
    static const struct good cases[] = {
        {"0", 0},
        {"512", 512},
        {"64k", 65536},
        {"64K", 65536},
        {"64 k", 65536},
        {"32kb", 32768},
        {"1Mi", 1048576},
        {"1MiB", 1048576},
        {"2g", 2147483648},
        {"3t", 3298534883328},
        {"007b", 7},
        {"9007199254740993", 9007199254740993}, /* 2^53 + 1: no double */
        {"9223372036854775807", 9223372036854775807},
        {"8388607t", 9223370937343148032}, /* (2^23 - 1) * 2^40 */
    };
    check_all(units_bytes, cases, COUNT(cases));
}

static void units_bytes_refuses_what_is_no_size(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",      " 1", "-1",  "+1",  "1.5g", "1.",   "1x",  "0x10",  "1e3",
        "1 k k", "k",  "inf", "nan", "1kk",  "1,5g", "1k ", "64kbit"};
    check_bad(units_bytes, bad, COUNT(bad), "a size such as 512, 64k");
}

static void units_bytes_refuses_more_than_63_bits(void **state)
{
    (void)state;
    static const char *const large[] = {
        "9223372036854775808", "18446744073709551616", "8388608t",
        "99999999999999999999999999", "16777216000000t"};
    for (size_t i = 0; i < COUNT(large); i++) {
        struct why why = {0};
        uint64_t v = 0;
        check_err(units_bytes(large[i], &v, &why), ERR_RANGE);
        check_says(why, "too large");
    }
}

static void units_duration_reads_every_unit(void **state)
{
    (void)state;
    static const struct good cases[] = {
        {"0", 0},
        {"0s", 0},
        {"5ns", 5},
        {"250us", 250000},
        {"500ms", 500000000},
        {"10s", 10000000000},
        {"5m", 300000000000},
        {"2h", 7200000000000},
        {"1d", 86400000000000},
        {"1.5s", 1500000000},
        {"1.1us", 1100}, /* 1.1 * 1000 is 1100.0000000000002 in doubles */
        {"0.000000001s", 1},
        {"1.50000000000000000000s", 1500000000},
        {"0.5m", 30000000000},
        {"0.25h", 900000000000},
    };
    check_all(units_duration, cases, COUNT(cases));
}

static void units_duration_refuses_a_bare_number_and_parts_of_ns(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",    "10",    "1.5ns", "0.0000000001s", "1.0000000000000001s",
        "-1s", "1.s",   ".5s",   "1.5.5s",        "1e3s",
        "s",   "10 s ", "1,5s"};
    check_bad(units_duration, bad, COUNT(bad), "a duration such as 500ms");
    struct why why = {0};
    uint64_t v = 0;
    /* 2^63 ns are 106751.99 days. */
    check_ok(units_duration("106751d", &v, &why), why);
    check_err(units_duration("106752d", &v, &why), ERR_RANGE);
    check_err(units_duration("9223372036.854775808s", &v, &why), ERR_RANGE);
    check_ok(units_duration("9223372036.854775807s", &v, &why), why);
    assert_int_equal(v, INT64_MAX);
}

static void units_bitrate_is_decimal(void **state)
{
    (void)state;
    static const struct good cases[] = {{"200mbit", 200000000},
                                        {"1gbit", 1000000000},
                                        {"64kbit", 64000},
                                        {"1.5gbit", 1500000000},
                                        {"9bit", 9},
                                        {"1tbit", 1000000000000}};
    check_all(units_bitrate, cases, COUNT(cases));
    static const char *const bad[] = {"200", "200m", "1.5bit", "1gb", "gbit"};
    check_bad(units_bitrate, bad, COUNT(bad), "a link rate such as 200mbit");
}

static void units_rate_reads_count_word_and_period(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double per_s;
        const char *unit;
    } cases[] = {
        {"100", 100, ""},
        {"100/s", 100, ""},
        {"0.5/s", 0.5, ""},
        {"6000/1m", 100, ""}, /* 6000 / 60 */
        {"6000/m", 100, ""},
        {"7200/h", 2, ""},
        {"50/500ms", 100, ""}, /* 50 / 0.5 */
        {"5000 docs/s", 5000, "docs"},
        {"12 fifteen_letters/s", 12, "fifteen_letters"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct why why = {0};
        double v = 0;
        char unit[16];
        check_ok(units_rate(cases[i].text, &v, unit, &why), why);
        check_near(v, cases[i].per_s, 1e-12 * cases[i].per_s);
        assert_string_equal(unit, cases[i].unit);
    }
}

static void units_rate_refuses_what_is_no_rate(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",          "0",      "0/s",       "-1/s",  "inf/s",
        "nan",       "0x10/s", "1x10/s",    "1e3/s", "5000docs/s",
        "100/",      "100/x",  "100/0s",    "100/0", "100 docs",
        "100 a b/s", "1/s/s",  "100 a-b/s", "/s",    "1 sixteen_letters_/s"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct why why = {0};
        double v = 0;
        char unit[16];
        if (units_rate(bad[i], &v, unit, &why) != ERR_INVALID)
            fail_msg("\"%s\" is not refused as invalid", bad[i]);
        check_says(why, "a rate such as 100/s");
    }
    char huge[400];
    memset(huge, '9', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    double v = 0;
    char unit[16];
    check_err(units_rate(huge, &v, unit, NULL), ERR_INVALID);
}

static void units_u64_reads_whole_numbers_up_to_max(void **state)
{
    (void)state;
    struct why why = {0};
    uint64_t v = 0;
    check_ok(units_u64("18446744073709551615", UINT64_MAX, &v, &why), why);
    assert_int_equal(v, UINT64_MAX);
    check_ok(units_u64("10", 10, &v, &why), why);
    assert_int_equal(v, 10);
    check_err(units_u64("11", 10, &v, &why), ERR_RANGE);
    check_says(why, "\"11\" is more than 10");
    check_err(units_u64("18446744073709551616", UINT64_MAX, &v, &why),
              ERR_RANGE);
    static const char *const bad[] = {"",   "-1",  "+1", " 1",
                                      "1 ", "0x1", "1k", "1.0"};
    for (size_t i = 0; i < COUNT(bad); i++)
        check_err(units_u64(bad[i], 10, &v, &why), ERR_INVALID);
}

static void units_show_bytes_is_exact(void **state)
{
    (void)state;
    char buf[24];
    static const struct good cases[] = {
        {"0", 0},         {"1500", 1500},      {"64k", 65536},
        {"1g", 1u << 30}, {"1536m", 3u << 29}, {"2048t", 1ull << 51}};
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(units_show_bytes(buf, sizeof buf, cases[i].value),
                            cases[i].text);
}

static void units_show_rounds_and_never_prints_a_full_step(void **state)
{
    (void)state;
    char buf[24];
    const size_t n = sizeof buf;
    assert_string_equal(units_show_size(buf, n, 0), "0 B");
    assert_string_equal(units_show_size(buf, n, 1023), "1023 B");
    assert_string_equal(units_show_size(buf, n, 1023.6), "1.00 KiB");
    assert_string_equal(units_show_size(buf, n, 1536), "1.50 KiB");
    assert_string_equal(units_show_size(buf, n, 1048575), "1.00 MiB");
    assert_string_equal(units_show_size(buf, n, 1.5 * 0x1p30), "1.50 GiB");
    assert_string_equal(units_show_ns(buf, n, 999.4), "999 ns");
    assert_string_equal(units_show_ns(buf, n, 999.6), "1.00 us");
    assert_string_equal(units_show_ns(buf, n, 1230000), "1.23 ms");
    assert_string_equal(units_show_ns(buf, n, 999999), "1.00 ms");
    assert_string_equal(units_show_ns(buf, n, -2e9), "-2.00 s");
    assert_string_equal(units_show_ns(buf, n, 3.6e12), "3600.00 s");
    assert_string_equal(units_show_bitrate(buf, n, 200000000), "200mbit");
    assert_string_equal(units_show_bitrate(buf, n, 1500000000), "1500mbit");
    assert_string_equal(units_show_bitrate(buf, n, 999), "999bit");
    assert_string_equal(units_show_count(buf, n, 999), "999");
    assert_string_equal(units_show_count(buf, n, 12345), "12.3k");
    assert_string_equal(units_show_count(buf, n, 999960), "1.0M");
    assert_string_equal(units_show_count(buf, n, 7.25e12), "7250.0G");
}

static void units_ratio_reads_percents_and_shares(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double ratio;
    } good[] = {{"2%", 0.02}, {"0.5%", 0.005}, {"0.02", 0.02},  {"100%", 1},
                {"1", 1},     {"0", 0},        {"12.5%", 0.125}};
    static const char *const bad[] = {"",     "%",   "-2%", "2 %", "2%%",
                                      "0x2%", "1e9", "nan", "inf", "2p"};
    struct why why = {0};
    double v = 7;
    for (size_t i = 0; i < COUNT(good); i++) {
        check_ok(units_ratio(good[i].text, &v, &why), why);
        assert_true(v == good[i].ratio);
    }
    for (size_t i = 0; i < COUNT(bad); i++)
        check_err(units_ratio(bad[i], &v, &why), ERR_INVALID);
    check_says(why, "\"2p\" is no share such as 2% or 0.02");
    check_err(units_ratio("101%", &v, &why), ERR_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_ratio_reads_percents_and_shares),
        cmocka_unit_test(units_bytes_reads_binary_multiples),
        cmocka_unit_test(units_bytes_refuses_what_is_no_size),
        cmocka_unit_test(units_bytes_refuses_more_than_63_bits),
        cmocka_unit_test(units_duration_reads_every_unit),
        cmocka_unit_test(units_duration_refuses_a_bare_number_and_parts_of_ns),
        cmocka_unit_test(units_bitrate_is_decimal),
        cmocka_unit_test(units_rate_reads_count_word_and_period),
        cmocka_unit_test(units_rate_refuses_what_is_no_rate),
        cmocka_unit_test(units_u64_reads_whole_numbers_up_to_max),
        cmocka_unit_test(units_show_bytes_is_exact),
        cmocka_unit_test(units_show_rounds_and_never_prints_a_full_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
