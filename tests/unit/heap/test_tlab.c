#include "target/heap/tlab.h"
#include "tests/lib/check.h"

#define EDEN_1G 286326784u

/* Samples weigh 100, 50, then max(35, 100 / k): 35 % from the third on.
 * 1 -> 1; .5*1 + .5*0 = .5; .65*.5 + .35*1 = .675; .65*.675 = .43875. */
static void average_sample_weighs_the_first_samples_more(void **state)
{
    (void)state;
    struct average avg = {0};
    average_sample(&avg, 35, 1);
    check_near(avg.value, 1, 1e-12);
    average_sample(&avg, 35, 0);
    check_near(avg.value, 0.5, 1e-12);
    average_sample(&avg, 35, 1);
    check_near(avg.value, 0.675, 1e-12);
    average_sample(&avg, 35, 0);
    check_near(avg.value, 0.43875, 1e-12);
}

/* Measured with -Xmx1g: the first buffers are 715,816 words; the limit of what
 * may be thrown away is a 64th, 11,184 words. 286,326,784 / 8 / 50 = 715,816.96
 * words. */
static void tlab_start_is_a_fiftieth_of_eden(void **state)
{
    (void)state;
    struct tlab_policy t;
    tlab_start(&t, EDEN_1G, 1, 2048);
    assert_int_equal(t.desired_bytes, 715816u * 8);
    assert_int_equal(t.waste_limit_bytes, 11184u * 8);
    check_near(t.fraction.value, 1, 1e-5);
    assert_int_equal(tlab_refill_bytes(&t, 65552, EDEN_1G), 5792080);
}

static void tlab_start_shares_eden_among_the_allocating_threads(void **state)
{
    (void)state;
    struct tlab_policy t;
    tlab_start(&t, EDEN_1G, 3.6, 2048);             /* rounds to 4 */
    assert_int_equal(t.desired_bytes, 178954u * 8); /* 35790848 / 200 */
}

/* The rest is kept while it is above the limit, which grows by 32 bytes each
 * time: (rest - limit) / 32, rounded up, allocations go outside. */
static void
tlab_keep_goes_outside_until_the_limit_reaches_the_rest(void **state)
{
    (void)state;
    struct tlab_policy t = {.waste_limit_bytes = 1000};
    unsigned kept = 0;
    while (tlab_keep(&t, 1100))
        kept++;
    assert_int_equal(kept, 4); /* 1000 1032 1064 1096 | 1128 */
    assert_int_equal(t.waste_limit_bytes, 1128);
    t.desired_bytes = 64000;
    tlab_refilled(&t);
    assert_int_equal(t.waste_limit_bytes, 1000); /* 64000 / 64 */
}

static void tlab_refill_bytes_ends_with_eden(void **state)
{
    (void)state;
    struct tlab_policy t = {.min_bytes = 2048, .desired_bytes = 100000};
    assert_int_equal(tlab_refill_bytes(&t, 1000, 1 << 20), 101000);
    assert_int_equal(tlab_refill_bytes(&t, 1000, 50004), 50000);
    assert_int_equal(tlab_refill_bytes(&t, 1000, 2048), 2048);
    assert_int_equal(tlab_refill_bytes(&t, 1000, 2047), 0);
    assert_int_equal(tlab_refill_bytes(&t, 8000, 8000 + TLAB_RESERVE_BYTES - 8),
                     0);
    assert_int_equal(tlab_refill_bytes(&t, 8000, 8000 + TLAB_RESERVE_BYTES),
                     8000 + TLAB_RESERVE_BYTES);
}

/* A quarter of eden allocated: fraction (1 * 50 + .25 * 50) / 100 = .625, and
 * .625 * 35,790,848 = 22,369,280 words / 50 = 447,385 (the start's fraction is
 * 0.99999866, so 22,369,250 / 50). */
static void tlab_after_gc_follows_the_share_of_eden(void **state)
{
    (void)state;
    struct tlab_policy t;
    tlab_start(&t, EDEN_1G, 1, 2048);
    tlab_refilled(&t);
    t.allocated_bytes = EDEN_1G / 4;
    assert_true(tlab_before_gc(&t, EDEN_1G, EDEN_1G));
    tlab_after_gc(&t, EDEN_1G);
    check_near(t.fraction.value, 0.625, 1e-5);
    check_near((double)t.desired_bytes / 8, 447385, 1);
    assert_int_equal(t.refills, 0);
    assert_false(tlab_before_gc(&t, EDEN_1G, EDEN_1G)); /* took none */
}

/* No sample when less than half of eden was used, but the thread counts. */
static void tlab_before_gc_ignores_a_half_empty_eden(void **state)
{
    (void)state;
    struct tlab_policy t;
    tlab_start(&t, EDEN_1G, 1, 2048);
    tlab_refilled(&t);
    assert_true(tlab_before_gc(&t, EDEN_1G / 2, EDEN_1G));
    assert_int_equal(t.fraction.n, 1);
}

static void tlab_sizes_never_fall_below_the_minimum(void **state)
{
    (void)state;
    struct tlab_policy t;
    tlab_start(&t, 1u << 20, 1, 65536);
    assert_int_equal(t.desired_bytes, 65536 + TLAB_RESERVE_BYTES);
    t.fraction.value = 0;
    tlab_after_gc(&t, 1u << 20);
    assert_int_equal(t.desired_bytes, 65536 + TLAB_RESERVE_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(average_sample_weighs_the_first_samples_more),
        cmocka_unit_test(tlab_start_is_a_fiftieth_of_eden),
        cmocka_unit_test(tlab_start_shares_eden_among_the_allocating_threads),
        cmocka_unit_test(
            tlab_keep_goes_outside_until_the_limit_reaches_the_rest),
        cmocka_unit_test(tlab_refill_bytes_ends_with_eden),
        cmocka_unit_test(tlab_after_gc_follows_the_share_of_eden),
        cmocka_unit_test(tlab_before_gc_ignores_a_half_empty_eden),
        cmocka_unit_test(tlab_sizes_never_fall_below_the_minimum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
