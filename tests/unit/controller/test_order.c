/* The vectors splitmix64-* and order-* of the design's statistics. */
#include <stdbool.h>

#include "common/rand.h"
#include "controller/order.h"
#include "tests/lib/check.h"

static void splitmix64_gives_the_published_numbers(void **state)
{
    (void)state;
    static const uint64_t want[] = {0x599ed017fb08fc85, 0x2c73f08458540fa5,
                                    0x883ebce5a3f27c77, 0x3fbef740e9177b3f,
                                    0xe3b8346708cb5ecd};
    struct rand r = {1234567};
    for (size_t i = 0; i < 5; i++)
        assert_true(rand_next(&r) == want[i]);
}

static void check_order(enum order_kind kind, uint64_t seed, uint32_t n_cells,
                        uint32_t n_blocks, const uint32_t *want)
{
    uint32_t got[64];
    assert_true(n_cells * n_blocks <= 64);
    order_fill(kind, seed, n_cells, n_blocks, got);
    assert_memory_equal(got, want, n_cells * n_blocks * sizeof *got);
}

static void blocks_of_seed_42_are_those_of_the_vector(void **state)
{
    (void)state;
    static const uint32_t want[] = {
        9,  6,  7, 10, 3, 11, 4, 2, 0,  8, 5, 1,  /* */
        4,  1,  9, 0,  7, 6,  3, 2, 11, 5, 8, 10, /* */
        10, 11, 6, 4,  7, 1,  3, 5, 0,  2, 8, 9,  /* */
        0,  11, 6, 5,  7, 4,  9, 1, 2,  3, 8, 10, /* */
        8,  10, 1, 0,  5, 3,  2, 9, 4,  6, 7, 11};
    check_order(ORDER_BLOCKS, 42, 12, 5, want);
}

static void blocks_of_seed_1_are_those_of_the_vector(void **state)
{
    (void)state;
    static const uint32_t want[] = {0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0};
    check_order(ORDER_BLOCKS, 1, 2, 6, want);
}

static void blocks_of_seed_2024_are_those_of_the_vector(void **state)
{
    (void)state;
    static const uint32_t want[] = {
        0,  5,  2, 9,  6, 14, 17, 12, 7,  16, 3, 11, 1, 4, 10, 15, 8,  13, /* */
        12, 8,  9, 4,  5, 2,  16, 15, 10, 17, 1, 14, 0, 6, 13, 7,  11, 3,  /* */
        0,  17, 8, 14, 2, 5,  12, 13, 11, 15, 6, 4,  9, 1, 16, 10, 3,  7};
    check_order(ORDER_BLOCKS, 2024, 18, 3, want);
}

static void listed_is_as_listed(void **state)
{
    (void)state;
    static const uint32_t want[] = {0, 1, 2, 0, 1, 2};
    check_order(ORDER_LISTED, 7, 3, 2, want);
}

static void random_shuffles_all_trials_and_keeps_each(void **state)
{
    (void)state;
    uint32_t got[40], again[40], seen[4] = {0};
    order_fill(ORDER_RANDOM, 5, 4, 10, got);
    order_fill(ORDER_RANDOM, 5, 4, 10, again);
    assert_memory_equal(got, again, sizeof got);
    bool across = false; /* some block does not hold every cell */
    for (size_t b = 0; b < 10; b++) {
        unsigned bits = 0;
        for (size_t i = 0; i < 4; i++) {
            seen[got[b * 4 + i]]++;
            bits |= 1u << got[b * 4 + i];
        }
        across = across || bits != 0xf;
    }
    for (size_t c = 0; c < 4; c++)
        assert_int_equal(seen[c], 10);
    assert_true(across);
}

static void order_parse_names_what_it_knows(void **state)
{
    (void)state;
    enum order_kind kind = ORDER_BLOCKS;
    struct why why = {""};
    check_ok(order_parse("listed", &kind, &why), why);
    assert_int_equal(kind, ORDER_LISTED);
    assert_string_equal(order_name(kind), "listed");
    check_err(order_parse("sorted", &kind, &why), ERR_INVALID);
    assert_string_equal(why.text, "\"sorted\" is not blocks, random or listed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splitmix64_gives_the_published_numbers),
        cmocka_unit_test(blocks_of_seed_42_are_those_of_the_vector),
        cmocka_unit_test(blocks_of_seed_1_are_those_of_the_vector),
        cmocka_unit_test(blocks_of_seed_2024_are_those_of_the_vector),
        cmocka_unit_test(listed_is_as_listed),
        cmocka_unit_test(random_shuffles_all_trials_and_keeps_each),
        cmocka_unit_test(order_parse_names_what_it_knows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
