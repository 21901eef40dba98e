#include "controller/share.h"
#include "tests/lib/check.h"

static struct share s;
static struct why why;

/* n blocks of two trials each. */
static void begin(uint32_t n)
{
    check_ok(share_init(&s, n, &why), why);
    for (uint32_t b = 0; b < n; b++)
        s.blocks[b].left = 2;
}

static void takes(uint32_t bench, uint32_t want)
{
    uint32_t block = 99;
    assert_int_equal(share_next(&s, bench, s.n, &block), SHARE_TAKE);
    assert_int_equal(block, want);
}

static void who_is_free_takes_the_next_block(void **state)
{
    (void)state;
    uint32_t block = 99;
    begin(4);
    takes(0, 0);
    takes(1, 1);
    s.blocks[1].left = 0;
    takes(1, 2);
    s.blocks[2].left = 0;
    takes(1, 3);
    s.blocks[3].left = 0;
    assert_int_equal(share_done(&s), 0);
    assert_int_equal(share_left(&s), 2);
    /* block 0 is at work: it may yet be lost */
    assert_int_equal(share_next(&s, 1, 4, &block), SHARE_LATER);
    s.blocks[0].left = 0;
    assert_int_equal(share_done(&s), 4);
    assert_int_equal(share_next(&s, 1, 4, &block), SHARE_NONE);
    share_fini(&s);
}

static void a_bench_goes_on_with_what_it_has_begun(void **state)
{
    (void)state;
    begin(3);
    s.blocks[0].bench = 1;
    s.blocks[1].bench = 0;
    takes(0, 1);
    takes(1, 0);
    share_fini(&s);
}

static void no_block_is_begun_beyond_a_limit(void **state)
{
    (void)state;
    uint32_t block = 99;
    begin(3);
    takes(0, 0);
    takes(1, 1);
    s.blocks[0].left = 0;
    assert_int_equal(share_next(&s, 0, 2, &block), SHARE_LATER);
    s.blocks[1].left = 0;
    assert_int_equal(share_done(&s), 2);
    takes(0, 2);
    share_fini(&s);
}

static void what_a_lost_bench_had_is_taken_as_a_new_block(void **state)
{
    (void)state;
    uint32_t block = 99;
    begin(2);
    takes(0, 0);
    takes(1, 1);
    s.blocks[0].left = 1;
    s.blocks[1].left = 0;
    assert_int_equal(share_next(&s, 1, 2, &block), SHARE_LATER);
    s.blocks[0].dropped = true;
    check_ok(share_grow(&s, 2, &why), why);
    assert_int_equal(share_left(&s), 2);
    assert_int_equal(share_done(&s), 2);
    takes(1, 2);
    share_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_free_takes_the_next_block),
        cmocka_unit_test(a_bench_goes_on_with_what_it_has_begun),
        cmocka_unit_test(no_block_is_begun_beyond_a_limit),
        cmocka_unit_test(what_a_lost_bench_had_is_taken_as_a_new_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
