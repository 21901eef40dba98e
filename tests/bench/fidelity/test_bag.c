#include "tests/bench/fidelity/bag.h"
#include "tests/lib/check.h"

static struct size_class classes[] = {
    {1024, 1279, 2, 2048}, {1280, 1535, 5, 7240}, {16384, 20479, 3, 49152}};
static const struct row row = {.sizes = classes, .n_sizes = 3};

static struct bag make(uint64_t seed)
{
    struct bag bag;
    struct why why = {0};
    check_ok(bag_open(&bag, &row, seed, &why), why);
    return bag;
}

/* 2 * 1024 + 5 * 1448 + 3 * 16384 = 58,440 in ten reads. */
static void bag_gives_each_read_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct bag bag = make(seed);
        size_t last = BAG_NONE;
        uint64_t bytes = 0;
        for (int i = 0; i < 10; i++)
            bytes += bag_draw(&bag, 65536, &last);
        assert_int_equal(bytes, 58440);
        assert_int_equal(bag.count, 0);
        bag_close(&bag);
    }
}

static void bag_is_filled_again_when_empty(void **state)
{
    (void)state;
    struct bag bag = make(1);
    size_t last = BAG_NONE;
    uint64_t bytes = 0;
    for (int i = 0; i < 20; i++)
        bytes += bag_draw(&bag, 65536, &last);
    assert_int_equal(bytes, 2 * 58440);
    bag_close(&bag);
}

static void bag_draws_the_same_for_the_same_seed(void **state)
{
    (void)state;
    struct bag a = make(7), b = make(7);
    size_t last_a = BAG_NONE, last_b = BAG_NONE;
    for (int i = 0; i < 50; i++)
        assert_int_equal(bag_draw(&a, 65536, &last_a),
                         bag_draw(&b, 65536, &last_b));
    bag_close(&a);
    bag_close(&b);
}

/* A buffer of 1300 bytes: 1024 fits, the others are cut to it; those of the
 * class 1280..1535 are used up by that, and then the smaller ones. */
static void bag_never_gives_more_than_the_limit(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct bag bag = make(seed);
        size_t last = BAG_NONE;
        for (int i = 0; i < 7; i++) {
            uint32_t n = bag_draw(&bag, 1300, &last);
            assert_true(n == 1024 || n == 1300);
        }
        assert_int_equal(bag.left[0], 0);
        assert_int_equal(bag.left[1], 0);
        assert_int_equal(bag.left[2], 3);
        /* Nothing fits: the limit is filled and the read stays. */
        assert_int_equal(bag_draw(&bag, 1300, &last), 1300);
        assert_int_equal(bag.left[2], 3);
        bag_close(&bag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bag_gives_each_read_once),
        cmocka_unit_test(bag_is_filled_again_when_empty),
        cmocka_unit_test(bag_draws_the_same_for_the_same_seed),
        cmocka_unit_test(bag_never_gives_more_than_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
