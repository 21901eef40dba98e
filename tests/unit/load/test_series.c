#include <stdlib.h>

#include "load/series.h"
#include "tests/lib/check.h"

static struct recorder_second *block(int64_t second, uint64_t ops,
                                     uint64_t latency_ns)
{
    static struct recorder_second b;
    memset(&b, 0, sizeof b);
    b.second = second;
    b.counts.ops = ops;
    b.in_flight = ops;
    if (latency_ns)
        hist_record(&b.latency, latency_ns);
    return &b;
}

static void series_add_waits_for_all_threads_and_adds_them_up(void **state)
{
    (void)state;
    struct series s;
    struct why why = {0};
    static struct hist h;
    check_ok(series_init(&s, 2, &why), why);
    series_add(&s, block(0, 3, 100));
    series_add(&s, block(1, 5, 0)); /* the same thread is ahead */
    assert_int_equal(s.n, 0);
    series_add(&s, block(0, 4, 900));
    assert_int_equal(s.n, 1);
    assert_int_equal(s.seconds[0].second, 0);
    assert_int_equal(s.seconds[0].counts.ops, 7);
    assert_int_equal(s.seconds[0].in_flight, 7);
    check_ok(hist_decode(&h, s.seconds[0].latency.data,
                         s.seconds[0].latency.len, &why),
             why);
    assert_int_equal(h.total, 2);
    assert_int_equal(h.min, 100);
    assert_int_equal(h.max, 900);
    assert_null(s.seconds[0].service.data);
    series_end(&s); /* second 1 had one thread only */
    assert_int_equal(s.n, 2);
    assert_int_equal(s.seconds[1].counts.ops, 5);
    series_fini(&s);
}

static void series_goes_on_when_a_thread_lost_its_block(void **state)
{
    (void)state;
    struct series s;
    struct why why = {0};
    check_ok(series_init(&s, 2, &why), why);
    for (int64_t i = 0; i < 20; i++) /* one thread only */
        series_add(&s, block(i, 1, 0));
    series_end(&s);
    assert_int_equal(s.n, 20);
    for (int64_t i = 0; i < 20; i++)
        assert_int_equal(s.seconds[i].second, i);
    series_fini(&s);
}

static void
series_keeps_counts_when_its_histograms_fill_their_room(void **state)
{
    (void)state;
    struct series s;
    struct why why = {0};
    check_ok(series_init(&s, 1, &why), why);
    series_add(&s, block(0, 1, 100));
    size_t one = s.seconds[0].latency.len;
    s.blob_bytes = SERIES_BLOBS_MAX - one; /* room for one more */
    for (int64_t i = 1; i < 1000; i++)
        series_add(&s, block(i, 2, 100));
    assert_int_equal(s.n, 1000);
    assert_int_equal(s.blob_bytes, SERIES_BLOBS_MAX);
    assert_int_equal(s.seconds[1].latency.len, one);
    assert_null(s.seconds[2].latency.data);
    assert_int_equal(s.seconds[999].counts.ops, 2);
    assert_int_equal(s.bare, 998);
    assert_int_equal(s.lost, 0);
    series_fini(&s);
}

static void series_end_leaves_out_empty_seconds_at_the_end(void **state)
{
    (void)state;
    struct series s;
    struct why why = {0};
    check_ok(series_init(&s, 1, &why), why);
    series_add(&s, block(0, 1, 0));
    series_add(&s, block(1, 0, 0)); /* a stall: kept */
    series_add(&s, block(2, 1, 0));
    series_add(&s, block(3, 0, 0));
    series_add(&s, block(4, 0, 0));
    series_end(&s);
    assert_int_equal(s.n, 3);
    assert_int_equal(s.seconds[1].counts.ops, 0);
    series_fini(&s);
}

static void series_collect_empties_a_recorder(void **state)
{
    (void)state;
    struct series s;
    struct why why = {0};
    const struct measure_window w = {.end_ns = UINT64_MAX};
    struct recorder *r = recorder_new(&w);
    check_ok(series_init(&s, 1, &why), why);
    recorder_tick(r, 2000000000);
    series_collect(&s, r);
    assert_null(recorder_full(r));
    assert_int_equal(s.n, 2);
    series_fini(&s);
    recorder_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(series_add_waits_for_all_threads_and_adds_them_up),
        cmocka_unit_test(series_goes_on_when_a_thread_lost_its_block),
        cmocka_unit_test(
            series_keeps_counts_when_its_histograms_fill_their_room),
        cmocka_unit_test(series_end_leaves_out_empty_seconds_at_the_end),
        cmocka_unit_test(series_collect_empties_a_recorder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
