#include "agent/executor/manifest.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"

static const char text[] = "pitwall-manifest 1\n"
                           "outcome failed\n"
                           "spool 17 records 123456 bytes 305419896 crc32c\n"
                           "text target exited with status 1: no: luck\n"
                           "end\n";

static void manifest_prints_five_lines(void **state)
{
    struct manifest m = {.outcome = OUTCOME_FAILED,
                         .records = 17,
                         .bytes = 123456,
                         .crc = 305419896,
                         .text = "target exited with status 1: no: luck"};
    char buf[MANIFEST_MAX];
    (void)state;
    assert_int_equal(manifest_print(&m, buf, sizeof buf), sizeof text - 1);
    assert_string_equal(buf, text);
}

static void manifest_reads_what_it_printed(void **state)
{
    struct manifest m;
    struct why why;
    (void)state;
    check_ok(manifest_parse(text, sizeof text - 1, &m, &why), why);
    assert_int_equal(m.outcome, OUTCOME_FAILED);
    assert_int_equal(m.records, 17);
    assert_int_equal(m.bytes, 123456);
    assert_int_equal(m.crc, 305419896);
    assert_string_equal(m.text, "target exited with status 1: no: luck");
}

static void manifest_holds_the_largest_numbers_and_any_text(void **state)
{
    struct manifest m = {.outcome = OUTCOME_OK,
                         .records = UINT64_MAX,
                         .bytes = INT64_MAX,
                         .crc = UINT32_MAX},
                    back;
    char buf[MANIFEST_MAX];
    struct why why;
    (void)state;
    memset(m.text, '\n', sizeof m.text - 1);
    size_t len = manifest_print(&m, buf, sizeof buf);
    check_ok(manifest_parse(buf, len, &back, &why), why);
    assert_int_equal(back.records, UINT64_MAX);
    assert_int_equal(back.bytes, INT64_MAX);
    assert_int_equal(strlen(back.text), sizeof m.text - 1);
}

static void manifest_refuses_every_prefix(void **state)
{
    (void)state;
    for (size_t len = 0; len < sizeof text - 1; len++) {
        char *cut = guard_copy(text, len);
        struct manifest m;
        struct why why;
        check_err(manifest_parse(cut, len, &m, &why), ERR_CORRUPT);
        assert_int_equal(m.outcome, OUTCOME_NONE);
        guard_free(cut, len);
    }
}

static void manifest_refuses_what_is_not_its_own(void **state)
{
    static const char *const bad[] = {
        "pitwall-manifest 2\noutcome ok\nspool 1 records 1 bytes 1 crc32c\n"
        "text x\nend\n",
        "pitwall-manifest 1\noutcome good\nspool 1 records 1 bytes 1 crc32c\n"
        "text x\nend\n",
        "pitwall-manifest 1\noutcome ok\nspool -1 records 1 bytes 1 crc32c\n"
        "text x\nend\n",
        "pitwall-manifest 1\noutcome ok\nspool 1 records 1 bytes 4294967296 "
        "crc32c\ntext x\nend\n",
        "pitwall-manifest 1\noutcome ok\nspool 1 records 1 bytes 1 crc32c x\n"
        "text x\nend\n",
        "pitwall-manifest 1\noutcome ok\nspool 1 records 1 bytes 1 crc32c\n"
        "text x\nend\nmore\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct manifest m;
        struct why why;
        check_err(manifest_parse(bad[i], strlen(bad[i]), &m, &why),
                  ERR_CORRUPT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(manifest_prints_five_lines),
        cmocka_unit_test(manifest_reads_what_it_printed),
        cmocka_unit_test(manifest_holds_the_largest_numbers_and_any_text),
        cmocka_unit_test(manifest_refuses_every_prefix),
        cmocka_unit_test(manifest_refuses_what_is_not_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
