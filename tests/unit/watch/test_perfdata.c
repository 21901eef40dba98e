/* The counters of a JVM 17, and damaged copies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/watch/perfdata.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"

#define BYTES 12200u

static uint8_t file[BYTES + 1];
static struct why why;

static void perfdata_gives_numbers_by_name(void **state)
{
    struct perfdata_want wants[] = {{.name = "sun.gc.collector.0.invocations"},
                                    {.name = "sun.gc.collector.0.time"},
                                    {.name = "sun.ci.totalCompiles"},
                                    {.name = "sun.gc.policy.name"}, /* a text */
                                    {.name = "no.such.counter", .value = 7}};
    (void)state;
    check_ok(perfdata_read(file, BYTES, wants, 5, &why), why);
    assert_int_equal(wants[0].value, 11);
    assert_int_equal(wants[1].value, 41804654);
    assert_int_equal(wants[2].value, 1119);
    assert_true(wants[2].found);
    assert_false(wants[3].found || wants[4].found);
    assert_int_equal(wants[4].value, 0);
}

static void perfdata_gives_texts_by_name(void **state)
{
    char text[64];
    (void)state;
    assert_true(perfdata_text(file, BYTES, "sun.gc.policy.name", text, 64));
    assert_string_equal(text, "Copy:MSC");
    assert_true(perfdata_text(file, BYTES, "sun.gc.policy.name", text, 5));
    assert_string_equal(text, "Copy"); /* cut */
    assert_false(perfdata_text(file, BYTES, "sun.ci.totalCompiles", text, 64));
    assert_string_equal(text, "");
}

static void perfdata_refuses_what_is_no_such_file(void **state)
{
    uint8_t copy[BYTES];
    (void)state;
    check_err(perfdata_read(file, 0, NULL, 0, &why), ERR_CORRUPT);
    memcpy(copy, file, BYTES);
    copy[7] = 0;
    check_err(perfdata_read(copy, BYTES, NULL, 0, &why), ERR_AGAIN);
    copy[7] = 1;
    copy[5] = 1; /* JDK 1.4's */
    check_err(perfdata_read(copy, BYTES, NULL, 0, &why), ERR_CORRUPT);
}

static void perfdata_reads_no_byte_beyond_a_piece(void **state)
{
    char text[64];
    (void)state;
    for (size_t len = 0; len < BYTES; len += 61) {
        struct perfdata_want want = {.name = "sun.rt.safepoints"};
        char *piece = guard_copy(file, len);
        const uint8_t *data = (const uint8_t *)piece;
        check_err(perfdata_read(data, len, &want, 1, &why), ERR_CORRUPT);
        (void)perfdata_text(data, len, "java.rt.vmArgs", text, 64);
        guard_free(piece, len);
    }
}

static int load(void **state)
{
    (void)state;
    FILE *in = fopen(getenv("PITWALL_COUNTERS"), "rb");
    size_t n = in ? fread(file, 1, sizeof file, in) : 0;
    if (in)
        (void)fclose(in);
    return n != BYTES;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perfdata_gives_numbers_by_name),
        cmocka_unit_test(perfdata_gives_texts_by_name),
        cmocka_unit_test(perfdata_refuses_what_is_no_such_file),
        cmocka_unit_test(perfdata_reads_no_byte_beyond_a_piece),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
