#include "common/crc.h"
#include "tests/lib/check.h"

/* RFC 3720 appendix B.4 and the customary check value. */
static void crc32c_matches_the_rfc(void **state)
{
    (void)state;
    uint8_t zeros[32] = {0}, ones[32], up[32];
    memset(ones, 0xff, sizeof ones);
    for (uint8_t i = 0; i < 32; i++)
        up[i] = i;
    assert_int_equal(crc32c(0, zeros, 32), 0x8a9136aau);
    assert_int_equal(crc32c(0, ones, 32), 0x62a8ab43u);
    assert_int_equal(crc32c(0, up, 32), 0x46dd794eu);
    assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283u);
}

static void crc32c_of_pieces_is_that_of_the_whole(void **state)
{
    (void)state;
    const char text[] = "the quick brown fox jumps over the lazy dog";
    uint32_t whole = crc32c(0, text, sizeof text);
    for (size_t cut = 0; cut <= sizeof text; cut++)
        assert_int_equal(
            crc32c(crc32c(0, text, cut), text + cut, sizeof text - cut), whole);
}

/* Every length and alignment around a word of eight bytes, and a start other
 * than 0. */
static void crc32c_is_the_same_with_and_without_the_instruction(void **state)
{
    (void)state;
    uint8_t bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 151 + i / 7);
    assert_int_equal(crc32c_plain(0, "123456789", 9), 0xe3069283u);
    for (size_t at = 0; at < 8; at++)
        for (size_t len = 0; len <= sizeof bytes - at; len++)
            assert_int_equal(crc32c(0x1234567u, bytes + at, len),
                             crc32c_plain(0x1234567u, bytes + at, len));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc32c_matches_the_rfc),
        cmocka_unit_test(crc32c_of_pieces_is_that_of_the_whole),
        cmocka_unit_test(crc32c_is_the_same_with_and_without_the_instruction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
