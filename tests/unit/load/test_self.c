#include <stdlib.h>

#include "load/self.h"
#include "tests/lib/check.h"

#define MS 1000000ull

static void self_weighs_moments_alike(void **state)
{
    (void)state;
    struct self *s = calloc(1, sizeof *s);
    self_reset(s);
    /* 900 turns of 1 ms, idle but for 10 us, and one that was away for 8 ms:
     * of 908 ms 9 were away in short turns, 8 in the long one */
    for (int i = 0; i < 900; i++)
        self_turn(s, 990000, 10000);
    self_turn(s, 0, 8 * MS);
    assert_int_equal(s->lag_max_ns, 8 * MS);
    assert_int_equal(s->length_ns, 908 * MS);
    assert_int_equal(s->lag.total, 908000); /* microseconds */
    /* 8 / 908 is less than one in a hundred: 99 % of the moments are short */
    assert_int_equal(hist_bucket(hist_percentile(&s->lag, 0.99)),
                     hist_bucket(10000));
    assert_int_equal(hist_bucket(hist_percentile(&s->lag, 0.995)),
                     hist_bucket(8 * MS));
    /* half of (900 x 0.01^2 + 8^2) / 908 ms: 64.09 / 1816 = 0.03529 ms */
    assert_in_range(self_wait(s), 35291, 35293);
    free(s);
}

static void self_merge_is_the_same_as_one(void **state)
{
    (void)state;
    struct self *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    self_reset(a);
    self_reset(b);
    self_turn(a, 0, 2 * MS);
    self_turn(b, 2 * MS, 0);
    hist_record(&b->late, 5);
    b->cpu_ns = 7;
    self_merge(a, b);
    assert_int_equal(a->length_ns, 4 * MS);
    assert_int_equal(self_wait(a), MS / 2); /* 4 / 2 / 4 ms */
    assert_int_equal(a->late.total, 1);
    assert_int_equal(a->cpu_ns, 7);
    self_reset(a);
    assert_int_equal(self_wait(a), 0); /* nothing was seen */
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(self_weighs_moments_alike),
        cmocka_unit_test(self_merge_is_the_same_as_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
