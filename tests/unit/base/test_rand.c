#include "common/rand.h"
#include "tests/lib/check.h"

/* The first published outputs for seed 1234567 (splitmix64-1234567 of the
 * statistics vectors). */
static void rand_next_matches_the_published_stream(void **state)
{
    (void)state;
    static const uint64_t want[] = {0x599ed017fb08fc85u, 0x2c73f08458540fa5u,
                                    0x883ebce5a3f27c77u, 0x3fbef740e9177b3fu,
                                    0xe3b8346708cb5ecdu};
    struct rand r = {1234567};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(rand_next(&r), want[i]);
}

static void rand_bounded_stays_below_its_bound(void **state)
{
    (void)state;
    struct rand r = {1};
    for (int i = 0; i < 1000; i++)
        assert_true(rand_bounded(&r, 7) < 7);
    assert_int_equal(rand_bounded(&r, 1), 0);
}

/* Mean of an exponential is 1 with standard error 1/sqrt(n): 5 sigma of
 * 100,000 draws is 0.0158. */
static void rand_exponential_has_mean_one(void **state)
{
    (void)state;
    struct rand r = {42};
    double sum = 0;
    for (int i = 0; i < 100000; i++)
        sum += rand_exponential(&r);
    check_near(sum / 100000, 1, 0.0158);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rand_next_matches_the_published_stream),
        cmocka_unit_test(rand_bounded_stays_below_its_bound),
        cmocka_unit_test(rand_exponential_has_mean_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
