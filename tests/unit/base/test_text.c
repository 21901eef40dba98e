#include <stdbool.h>

#include "common/text.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"

static size_t good(const char *text, size_t len)
{
    char *copy = guard_copy(text, len);
    size_t n = text_good(copy, len);
    guard_free(copy, len);
    return n;
}

/* The first and the last character of each length, and both sides of the
 * surrogates. */
static void text_good_takes_utf8(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        " ~\n\t",
                                        "\xc2\xa0",
                                        "\xdf\xbf",
                                        "\xe0\xa0\x80",
                                        "\xed\x9f\xbf",
                                        "\xee\x80\x80",
                                        "\xef\xbf\xbf",
                                        "\xf0\x90\x80\x80",
                                        "\xf4\x8f\xbf\xbf"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(good(texts[i], strlen(texts[i])), strlen(texts[i]));
}

static void text_good_stops_at_what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t len;
    } cases[] = {
        {"ab\0", 3},               /* NUL */
        {"ab\r", 3},               /* control */
        {"ab\x1f", 3},             /* control */
        {"ab\x7f", 3},             /* DEL */
        {"ab\xc2\x80", 4},         /* U+0080, first of C1 */
        {"ab\xc2\x9f", 4},         /* U+009F, last of C1 */
        {"ab\x80", 3},             /* a tail without a head */
        {"ab\xc1\xbf", 4},         /* overlong */
        {"ab\xe0\x9f\xbf", 5},     /* overlong */
        {"ab\xf0\x8f\xbf\xbf", 6}, /* overlong */
        {"ab\xed\xa0\x80", 5},     /* surrogate */
        {"ab\xed\xbf\xbf", 5},     /* surrogate */
        {"ab\xf4\x90\x80\x80", 6}, /* U+110000 */
        {"ab\xf5\x80\x80\x80", 6}, /* no head */
        {"ab\xff", 3},
        {"ab\xc3", 3},         /* cut after one of two */
        {"ab\xe2\x82", 4},     /* cut after two of three */
        {"ab\xf0\x9f\x98", 5}, /* cut after three of four */
        {"ab\xe2\x28\xa1", 5}, /* second byte is no tail */
        {"ab\xe2\x82\x28", 5}, /* third byte is no tail */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(good(cases[i].text, cases[i].len), 2);
}

/* Also where eight bytes are looked at together. */
static void text_good_finds_each_byte_in_each_place(void **state)
{
    (void)state;
    for (size_t at = 0; at < 17; at++)
        for (unsigned byte = 0; byte < 256; byte++) {
            char text[] = "abcdefgh ~!0123zy";
            bool fine =
                (byte >= 0x20 && byte < 0x7f) || byte == '\n' || byte == '\t';
            text[at] = (char)byte;
            assert_int_equal(text_good(text, 17), fine ? 17 : at);
        }
}

static void text_clean_replaces_byte_by_byte(void **state)
{
    (void)state;
    char text[] = "a\x01\xc3\xbc\xc3(\xe2\x82z\xff";
    text_clean(text, sizeof text - 1);
    assert_string_equal(text, "a?\xc3\xbc?(??z?");
    assert_int_equal(text_good(text, sizeof text - 1), sizeof text - 1);
    text_clean(text, 0);
    text_clean(NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_good_takes_utf8),
        cmocka_unit_test(text_good_stops_at_what_is_refused),
        cmocka_unit_test(text_good_finds_each_byte_in_each_place),
        cmocka_unit_test(text_clean_replaces_byte_by_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
