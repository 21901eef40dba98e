#include <stdlib.h>

#include "common/hist.h"
#include "common/rand.h"
#include "tests/lib/check.h"
#include "tests/lib/guard.h"

static struct hist a, b, c;
static uint8_t blob[HIST_BLOB_MAX];

static int reset(void **state)
{
    (void)state;
    hist_reset(&a);
    hist_reset(&b);
    hist_reset(&c);
    return 0;
}

static void hist_bucket_is_exact_below_2048(void **state)
{
    (void)state;
    for (uint64_t v = 0; v < 2048; v++) {
        assert_int_equal(hist_bucket(v), v);
        assert_int_equal(hist_bucket_high((uint32_t)v), v);
    }
}

/* 2048..4095: width 2, so 2048 and 2049 share bucket 2048; 4096: width 4. The
 * last bucket ends at 2^43 - 1. */
static void hist_bucket_has_the_documented_edges(void **state)
{
    (void)state;
    assert_int_equal(hist_bucket(2048), 2048);
    assert_int_equal(hist_bucket(2049), 2048);
    assert_int_equal(hist_bucket(2050), 2049);
    assert_int_equal(hist_bucket_high(2048), 2049);
    assert_int_equal(hist_bucket(4095), 3071);
    assert_int_equal(hist_bucket(4096), 3072);
    assert_int_equal(hist_bucket(4099), 3072);
    assert_int_equal(hist_bucket_high(3072), 4099);
    assert_int_equal(hist_bucket((1ull << 43) - 1), HIST_BUCKETS - 1);
    assert_int_equal(hist_bucket(1ull << 43), HIST_BUCKETS - 1);
    assert_int_equal(hist_bucket(UINT64_MAX), HIST_BUCKETS - 1);
    assert_int_equal(hist_bucket_high(HIST_BUCKETS - 1), (1ull << 43) - 1);
}

/* Buckets are contiguous: the value after a bucket's highest opens the next. */
static void hist_buckets_leave_no_gap(void **state)
{
    (void)state;
    for (uint32_t i = 0; i + 1 < HIST_BUCKETS; i++) {
        assert_int_equal(hist_bucket(hist_bucket_high(i)), i);
        assert_int_equal(hist_bucket(hist_bucket_high(i) + 1), i + 1);
    }
}

/* highest >= v and highest - v < v / 1000 for any v below 2^43. */
static void hist_bucket_high_is_within_a_thousandth(void **state)
{
    (void)state;
    struct rand r = {7};
    for (int i = 0; i < 200000; i++) {
        uint64_t v = rand_next(&r) >> (21 + rand_bounded(&r, 43));
        uint64_t high = hist_bucket_high(hist_bucket(v));
        assert_true(high >= v);
        assert_true((high - v) * 1000 <= v);
    }
}

static void hist_record_counts_total_sum_and_extremes(void **state)
{
    (void)state;
    hist_record(&a, 5);
    hist_record(&a, 3);
    hist_record_n(&a, 10, 4);
    hist_record_n(&a, 99, 0);
    assert_int_equal(a.total, 6);
    assert_int_equal(a.sum, 48); /* 5 + 3 + 4 * 10 */
    assert_int_equal(a.min, 3);
    assert_int_equal(a.max, 10);
    assert_int_equal(a.over, 0);
    check_near(hist_mean(&a), 8, 0);
    assert_int_equal(a.counts[10], 4);
    check_near(hist_mean(&b), 0, 0);
}

static void hist_record_counts_what_does_not_fit(void **state)
{
    (void)state;
    hist_record(&a, (1ull << 43) - 1);
    assert_int_equal(a.over, 0);
    hist_record(&a, 1ull << 43);
    hist_record_n(&a, UINT64_MAX, 3);
    assert_int_equal(a.over, 4);
    assert_int_equal(a.counts[HIST_BUCKETS - 1], 5);
    assert_int_equal(a.max, UINT64_MAX);
    assert_int_equal(a.sum, UINT64_MAX); /* saturated */
}

static void hist_record_n_stops_at_the_most_it_may_hold(void **state)
{
    (void)state;
    hist_record_n(&a, 1, HIST_TOTAL_MAX - 1);
    hist_record_n(&a, 2, UINT64_MAX);
    assert_int_equal(a.total, HIST_TOTAL_MAX);
    assert_int_equal(a.counts[2], 1);
    hist_record_n(&a, 3, 1);
    assert_int_equal(a.max, 2);
    assert_int_equal(a.total, HIST_TOTAL_MAX);
}

/* Ten values 1..10: rank of p50 is ceil(5) = 5th, of p90 the 9th, of p99
 * ceil(9.9) = 10th, of 0 the first. */
static void hist_percentile_is_the_nearest_rank(void **state)
{
    (void)state;
    assert_int_equal(hist_percentile(&a, 0.5), 0);
    for (uint64_t v = 1; v <= 10; v++)
        hist_record(&a, v);
    assert_int_equal(hist_percentile(&a, 0), 1);
    assert_int_equal(hist_percentile(&a, 0.1), 1);
    assert_int_equal(hist_percentile(&a, 0.11), 2);
    assert_int_equal(hist_percentile(&a, 0.5), 5);
    assert_int_equal(hist_percentile(&a, 0.9), 9);
    assert_int_equal(hist_percentile(&a, 0.99), 10);
    assert_int_equal(hist_percentile(&a, 1), 10);
}

/* 0.07 * 100 is 7.000000000000001 in doubles: without the 1e-9 the rank would
 * be 8. */
static void hist_percentile_forgives_the_floats_last_bit(void **state)
{
    (void)state;
    for (uint64_t v = 1; v <= 100; v++)
        hist_record(&a, v);
    assert_int_equal(hist_percentile(&a, 0.07), 7);
}

/* 5000 lies in 5000..5003 (width 4): p50 of {5000, 9000} is the bucket's
 * highest 5003, but p100 is the largest recorded value. */
static void hist_percentile_takes_the_buckets_highest_value(void **state)
{
    (void)state;
    hist_record(&a, 5000);
    hist_record(&a, 9000);
    assert_int_equal(hist_percentile(&a, 0.5), 5003);
    assert_int_equal(hist_percentile(&a, 1), 9000);
    hist_record(&b, 5001);
    assert_int_equal(hist_percentile(&b, 0.5), 5001); /* never above max */
}

/* Vector "hist-merge" of the statistics: the percentile of the summed counts,
 * not the average 225 of the two p99s. */
static void hist_merge_gives_the_percentiles_of_the_sum(void **state)
{
    (void)state;
    static const uint64_t v1[] = {10, 20, 50, 100}, n1[] = {500, 400, 95, 5},
                          v2[] = {10, 20, 50, 400}, n2[] = {50, 20, 10, 20};
    for (size_t i = 0; i < 4; i++) {
        hist_record_n(&a, v1[i], n1[i]);
        hist_record_n(&b, v2[i], n2[i]);
    }
    static const double p[] = {0.5, 0.9, 0.99};
    static const uint64_t w1[] = {10, 20, 50}, w2[] = {10, 400, 400},
                          merged[] = {10, 50, 400};
    hist_merge(&c, &a);
    hist_merge(&c, &b);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(hist_percentile(&a, p[i]), w1[i]);
        assert_int_equal(hist_percentile(&b, p[i]), w2[i]);
        assert_int_equal(hist_percentile(&c, p[i]), merged[i]);
    }
}

static void hist_merge_equals_recording_everything(void **state)
{
    (void)state;
    struct rand r = {99};
    hist_merge(&a, &b); /* nothing into nothing */
    for (int i = 0; i < 20000; i++) {
        uint64_t v = rand_next(&r) >> rand_bounded(&r, 64);
        hist_record(rand_bounded(&r, 2) ? &a : &b, v);
        hist_record(&c, v);
    }
    hist_merge(&a, &b);
    hist_reset(&b);
    hist_merge(&a, &b); /* an empty one changes nothing */
    assert_memory_equal(&a, &c, sizeof a);
}

static void hist_decode_gives_back_what_was_encoded(void **state)
{
    (void)state;
    struct rand r = {3};
    struct why why = {0};
    for (int round = 0; round < 20; round++) {
        hist_reset(&a);
        for (uint64_t n = rand_bounded(&r, 3000); n; n--)
            hist_record_n(&a, rand_next(&r) >> rand_bounded(&r, 64),
                          1 + rand_bounded(&r, 1000));
        size_t len = hist_encode(&a, blob, sizeof blob);
        assert_true(len > 0);
        check_ok(hist_decode(&b, blob, len, &why), why);
        check_ok(hist_check(blob, len, &why), why);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

/* version 1; total 3, sum 303, min 1, max 301, over 0; then bucket 0 is empty
 * (run of 1 = 3), bucket 1 counts 2 (4), 299 empty (299 << 1 | 1 = 599 = 0xd7
 * 0x04), bucket 301 counts 1 (2). */
static void hist_encode_makes_the_documented_bytes(void **state)
{
    (void)state;
    static const uint8_t want[] = {1, 3, 0xaf, 0x02, 1, 0xad, 0x02,
                                   0, 3, 4,    0xd7, 4, 2};
    hist_record_n(&a, 1, 2);
    hist_record(&a, 301);
    assert_int_equal(hist_encode(&a, blob, sizeof blob), sizeof want);
    assert_memory_equal(blob, want, sizeof want);
    for (size_t room = 0; room < sizeof want; room++)
        assert_int_equal(hist_encode(&a, blob, room), 0);
    assert_int_equal(hist_encode(&b, blob, sizeof blob), 6); /* empty */
}

/* All buckets at the largest count: 8 bytes each, within HIST_BLOB_MAX. */
static void hist_blob_max_suffices(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < HIST_BUCKETS; i++)
        a.counts[i] = HIST_TOTAL_MAX;
    a.total = a.sum = a.min = a.max = a.over = UINT64_MAX;
    assert_int_equal(hist_encode(&a, blob, sizeof blob),
                     1 + 5 * 10 + HIST_BUCKETS * 8);
}

static void hist_decode_refuses_every_prefix(void **state)
{
    (void)state;
    hist_record_n(&a, 1, 2);
    hist_record(&a, 301);
    hist_record(&a, 1ull << 50);
    size_t len = hist_encode(&a, blob, sizeof blob);
    for (size_t cut = 0; cut < len; cut++) {
        uint8_t *copy = (uint8_t *)guard_copy(blob, cut);
        struct why why = {0};
        check_err(hist_decode(&b, copy, cut, &why), ERR_CORRUPT);
        check_err(hist_check(copy, cut, &why), ERR_CORRUPT);
        check_says(why, "histogram: ");
        assert_int_equal(b.total, 0);
        guard_free((char *)copy, cut);
    }
}

/* Field by field, from the good blob of two values 1 and one 301. */
static void hist_decode_refuses_numbers_that_disagree(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[24];
        size_t len;
        const char *says;
    } cases[] = {
        {{2, 0, 0, 0, 0, 0}, 6, "unknown version"},
        {{1, 4, 0xaf, 2, 1, 0xad, 2, 0, 3, 4, 0xd7, 4, 2}, 13, "add up"},
        {{1, 3, 1, 1, 0xad, 2, 0, 3, 4, 0xd7, 4, 2}, 12, "add up"},
        {{1, 3, 0xff, 0x7f, 1, 0xad, 2, 0, 3, 4, 0xd7, 4, 2}, 13, "add up"},
        {{1, 3, 0xaf, 2, 2, 0xad, 2, 0, 3, 4, 0xd7, 4, 2}, 13, "add up"},
        {{1, 3, 0xaf, 2, 1, 0xac, 2, 0, 3, 4, 0xd7, 4, 2}, 13, "add up"},
        {{1, 3, 0xaf, 2, 1, 0xad, 2, 1, 3, 4, 0xd7, 4, 2}, 13, "add up"},
        {{1, 0, 1, 0, 0, 0}, 6, "add up"},
        {{1, 0, 0, 0, 1, 0}, 6, "add up"},
        /* a count of nothing; a run of nothing; a run beyond the end */
        {{1, 0, 0, 0, 0, 0, 0}, 7, "too many buckets"},
        {{1, 0, 0, 0, 0, 0, 1}, 7, "too many buckets"},
        {{1, 0, 0, 0, 0, 0, 0x83, 0xa0, 0x04}, 9, "too many buckets"},
        /* a count of 2^48 + 1; an eleven-byte number */
        {{1, 0, 0, 0, 0, 0, 0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01},
         14,
         "counts overflow"},
        {{1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
         11,
         "cut short"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct why why = {0};
        check_err(hist_decode(&b, cases[i].bytes, cases[i].len, &why),
                  ERR_CORRUPT);
        check_says(why, cases[i].says);
        assert_int_equal(b.total + b.sum + b.max, 0);
    }
    /* The good one, and one with zeros behind it: 34816 buckets less 302. */
    static const uint8_t good[] = {1, 3, 0xaf, 2, 1, 0xad, 2,    0,
                                   3, 4, 0xd7, 4, 2, 0x85, 0x9b, 0x04};
    struct why why = {0};
    check_ok(hist_decode(&b, good, 13, &why), why);
    check_ok(hist_decode(&b, good, sizeof good, &why), why);
    assert_int_equal(b.total, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hist_bucket_is_exact_below_2048),
        cmocka_unit_test(hist_bucket_has_the_documented_edges),
        cmocka_unit_test(hist_buckets_leave_no_gap),
        cmocka_unit_test(hist_bucket_high_is_within_a_thousandth),
        cmocka_unit_test_setup(hist_record_counts_total_sum_and_extremes,
                               reset),
        cmocka_unit_test_setup(hist_record_counts_what_does_not_fit, reset),
        cmocka_unit_test_setup(hist_record_n_stops_at_the_most_it_may_hold,
                               reset),
        cmocka_unit_test_setup(hist_percentile_is_the_nearest_rank, reset),
        cmocka_unit_test_setup(hist_percentile_forgives_the_floats_last_bit,
                               reset),
        cmocka_unit_test_setup(hist_percentile_takes_the_buckets_highest_value,
                               reset),
        cmocka_unit_test_setup(hist_merge_gives_the_percentiles_of_the_sum,
                               reset),
        cmocka_unit_test_setup(hist_merge_equals_recording_everything, reset),
        cmocka_unit_test_setup(hist_decode_gives_back_what_was_encoded, reset),
        cmocka_unit_test_setup(hist_encode_makes_the_documented_bytes, reset),
        cmocka_unit_test_setup(hist_blob_max_suffices, reset),
        cmocka_unit_test_setup(hist_decode_refuses_every_prefix, reset),
        cmocka_unit_test_setup(hist_decode_refuses_numbers_that_disagree,
                               reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
