#include "target/heap/heap.h"
#include "target/heap/layout.h"
#include "tests/lib/check.h"

/* Eden, survivor and old of OpenJDK 17's Serial collector, measured (reference
 * table of the target's specification, section e). */
static void layout_make_gives_the_sizes_that_a_jvm_has(void **state)
{
    (void)state;
    static const struct layout want[] = {
        {256ull << 20, 71630848, 8912896, 178978816},
        {512ull << 20, 143130624, 17891328, 357957632},
        {1024ull << 20, 286326784, 35782656, 715849728},
        {2048ull << 20, 572653568, 71565312, 1431699456},
    };
    for (size_t i = 0; i < 4; i++) {
        struct layout got;
        struct why why = {0};
        check_ok(layout_make(&got, want[i].heap_bytes, 0, &why), why);
        assert_int_equal(got.eden_bytes, want[i].eden_bytes);
        assert_int_equal(got.survivor_bytes, want[i].survivor_bytes);
        assert_int_equal(got.old_bytes, want[i].old_bytes);
    }
}

/* young 200 MiB = 209715200; / 10 = 20971520 = 320 * 65536, exact; eden is
 * 209715200 - 2 * 20971520 = 167772160; old is 1 GiB - 209715200. */
static void layout_make_takes_young_as_it_is_given(void **state)
{
    (void)state;
    struct layout got;
    struct why why = {0};
    check_ok(layout_make(&got, 1ull << 30, 200ull << 20, &why), why);
    assert_int_equal(got.survivor_bytes, 20971520);
    assert_int_equal(got.eden_bytes, 167772160);
    assert_int_equal(got.old_bytes, 864026624);
}

static void layout_make_refuses_what_cannot_be(void **state)
{
    (void)state;
    struct layout got;
    struct why why = {0};
    check_err(layout_make(&got, HEAP_BYTES_MIN - 1, 0, &why), ERR_RANGE);
    check_says(why, "at least 2m");
    check_err(layout_make(&got, 1u << 30, 1u << 30, &why), ERR_RANGE);
    check_says(why, "below heap 1g");
    check_err(layout_make(&got, 1u << 30, 64u << 10, &why), ERR_RANGE);
    check_says(why, "young 64k");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_make_gives_the_sizes_that_a_jvm_has),
        cmocka_unit_test(layout_make_takes_young_as_it_is_given),
        cmocka_unit_test(layout_make_refuses_what_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
