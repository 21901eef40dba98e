#include "agent/watch/procstat.h"
#include "tests/lib/check.h"
#include "tests/unit/watch/prefixes.h"

static const char fixture[] =
    "9802 (pitwall-target) R 9793 9790 4755 0 -1 4194304 98 1 12 3 1234 567 "
    "8 9 20 0 5 0 114113 3133440 360 18446744073709551615 93887418978304 "
    "93887418998185 140722863212064 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n";

static void procstat_parse_reads_the_fields_of_proc_5(void **state)
{
    (void)state;
    struct procstat p;
    assert_true(procstat_parse(fixture, strlen(fixture), &p));
    assert_int_equal(p.pid, 9802);
    assert_string_equal(p.comm, "pitwall-target");
    assert_int_equal(p.pgrp, 9790);
    assert_int_equal(p.majflt, 12);
    assert_int_equal(p.user_ticks, 1234);
    assert_int_equal(p.system_ticks, 567);
    assert_int_equal(p.threads, 5);
    assert_int_equal(p.rss_pages, 360);
}

static void procstat_parse_survives_any_comm(void **state)
{
    (void)state;
    struct procstat p;
    const char text[] = "7 (a) R 1 (\n b) S 1 2 3 0 -1 0 4 0 5 0 6 7 0 0 20 0 "
                        "8 0 9 10 11 0\n";
    assert_true(procstat_parse(text, strlen(text), &p));
    assert_string_equal(p.comm, "a) R 1 (\n b");
    assert_int_equal(p.pgrp, 2);
    assert_int_equal(p.rss_pages, 11);
}

static void procstat_parse_cuts_a_comm_that_is_too_long(void **state)
{
    (void)state;
    struct procstat p;
    const char text[] = "7 (kworker/u4:2-events_unbound) S 1 2 3 0 -1 0 4 0 5 "
                        "0 6 7 0 0 20 0 8 0 9 10 11 0\n";
    assert_true(procstat_parse(text, strlen(text), &p));
    assert_string_equal(p.comm, "kworker/u4:2-eve");
}

static void procstat_parse_refuses_other_shapes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "7",
        "7 (x",
        "7 x)",
        ") 7 (",
        "x (y) S 1 2 3",
        "7 (x) S 1 2 3 0 -1 0 4 0 5 0 6 7 0 0 20 0 8 0 9 10", /* no rss */
        "7 (x) S 1 2 3 0 -1 0 4 0 5 0 -6 7 0 0 20 0 8 0 9 10 11",
    };
    struct procstat p;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(procstat_parse(texts[i], strlen(texts[i]), &p));
}

static void parse(const char *text, size_t len)
{
    struct procstat p;
    (void)procstat_parse(text, len, &p);
}

static void procstat_parse_stays_inside_the_text(void **state)
{
    (void)state;
    prefixes(fixture, strlen(fixture), parse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(procstat_parse_reads_the_fields_of_proc_5),
        cmocka_unit_test(procstat_parse_survives_any_comm),
        cmocka_unit_test(procstat_parse_cuts_a_comm_that_is_too_long),
        cmocka_unit_test(procstat_parse_refuses_other_shapes),
        cmocka_unit_test(procstat_parse_stays_inside_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
