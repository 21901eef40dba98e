#include "target/disk.h"
#include "target/native.h"
#include "tests/lib/check.h"
#include "tests/unit/target/shelf.h"

static void disk_cover_counts_time_once(void **state)
{
    (void)state;
    uint64_t covered_ns = 0;
    assert_int_equal(disk_cover(100, 150, &covered_ns), 50);
    assert_int_equal(disk_cover(120, 170, &covered_ns), 20); /* 150 to 170 */
    assert_int_equal(disk_cover(130, 170, &covered_ns), 0);
    assert_int_equal(disk_cover(200, 201, &covered_ns), 1);
    assert_int_equal(covered_ns, 201);
}

static uint64_t syncs_of_three_bulks(bool durable)
{
    static const char *const ops[] = {"i:some text"};
    struct shelf s;
    struct disk before, after;
    struct why why = {0};
    char ends[64];
    check_ok(native_open(0, &why), why);
    check_ok(disk_open(durable, &why), why);
    assert_true(disk_is_durable() == durable);
    shelf_open(&s, 1);
    check_ok(shelf_bulk(&s, ops, 1, ends, sizeof ends), why); /* makes it */
    disk_read(&before);
    for (int i = 0; i < 3; i++)
        check_ok(shelf_bulk(&s, ops, 1, ends, sizeof ends), why);
    disk_read(&after);
    assert_int_equal(shelf_count(&s, "{\"match\":{\"t\":\"text\"}}"), 4);
    shelf_check(&s);
    shelf_close(&s);
    assert_true(after.wait_ns >= before.wait_ns);
    return after.syncs - before.syncs;
}

static void a_durable_bulk_is_synced_before_it_is_answered(void **state)
{
    (void)state;
    assert_int_equal(syncs_of_three_bulks(false), 0);
    assert_int_equal(syncs_of_three_bulks(true), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disk_cover_counts_time_once),
        cmocka_unit_test(a_durable_bulk_is_synced_before_it_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
