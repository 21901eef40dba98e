#include "agent/watch/diskstats.h"
#include "tests/lib/check.h"
#include "tests/unit/watch/prefixes.h"

static const char fixture[] =
    "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
    "   8       0 sda 100 5 2000 30 50 6 4000 70 0 90 100 0 0 0 0 0 0\n"
    "   8       1 sda1 90 5 1900 30 50 6 4000 70 0 80 100 0 0 0 0 0 0\n"
    " 259       0 nvme0n1 1 0 8 0 2 0 16 0 0 3 0 0 0 0 0 0 0\n"
    " 259       1 nvme0n1p1 1 0 8 0 2 0 16 0 0 3 0 0 0 0 0 0 0\n"
    " 254      16 vdb 1 0 1 0 0 0 0 0 0 0 0\n";

static void diskstats_parse_counts_sectors_of_512_bytes(void **state)
{
    (void)state;
    struct diskstats d[DISKSTATS_MAX];
    assert_int_equal(
        diskstats_parse(fixture, strlen(fixture), d, DISKSTATS_MAX), 3);
    assert_string_equal(d[0].name, "sda");
    assert_int_equal(d[0].read_bytes, 1024000);  /* 2000 x 512 */
    assert_int_equal(d[0].write_bytes, 2048000); /* 4000 x 512 */
    assert_int_equal(d[0].busy_ns, 90000000);    /* 90 ms */
}

static void diskstats_parse_leaves_out_partitions_and_idle_devices(void **state)
{
    (void)state;
    struct diskstats d[DISKSTATS_MAX];
    assert_int_equal(
        diskstats_parse(fixture, strlen(fixture), d, DISKSTATS_MAX), 3);
    assert_string_equal(d[1].name, "nvme0n1");
    assert_string_equal(d[2].name, "vdb"); /* the 11 fields of old kernels */
    assert_int_equal(d[2].read_bytes, 512);
}

static void diskstats_parse_keeps_disks_whose_names_only_look_alike(void **s)
{
    (void)s;
    struct diskstats d[8];
    /* sdaa is no partition of sda, dm-10 none of dm-1 (that would be dm-1p0),
     * sda1 without sda before it stands alone. */
    const char text[] = "8 1 sda1 1 0 1 0 0 0 0 0 0 0 0\n"
                        "8 0 sda 1 0 1 0 0 0 0 0 0 0 0\n"
                        "65 0 sdaa 1 0 1 0 0 0 0 0 0 0 0\n"
                        "253 1 dm-1 1 0 1 0 0 0 0 0 0 0 0\n"
                        "253 10 dm-10 1 0 1 0 0 0 0 0 0 0 0\n";
    assert_int_equal(diskstats_parse(text, strlen(text), d, 8), 5);
}

static void diskstats_parse_refuses_numbers_that_do_not_fit(void **state)
{
    (void)state;
    struct diskstats d[8];
    const char text[] = "8 0 sda 1 0 18446744073709551615 0 0 0 0 0 0 0 0\n"
                        "8 0 sdb 1 0 -4 0 0 0 0 0 0 0 0\n"
                        "8 0 sdc 1 0\n"
                        "8 0\n";
    assert_int_equal(diskstats_parse(text, strlen(text), d, 8), 0);
}

static void parse(const char *text, size_t len)
{
    struct diskstats d[DISKSTATS_MAX];
    assert_true(diskstats_parse(text, len, d, DISKSTATS_MAX) <= 4);
}

static void diskstats_parse_stays_inside_the_text(void **state)
{
    (void)state;
    prefixes(fixture, strlen(fixture), parse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diskstats_parse_counts_sectors_of_512_bytes),
        cmocka_unit_test(
            diskstats_parse_leaves_out_partitions_and_idle_devices),
        cmocka_unit_test(
            diskstats_parse_keeps_disks_whose_names_only_look_alike),
        cmocka_unit_test(diskstats_parse_refuses_numbers_that_do_not_fit),
        cmocka_unit_test(diskstats_parse_stays_inside_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
