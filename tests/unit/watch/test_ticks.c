#include "agent/watch/ticks.h"
#include "common/clock.h"
#include "tests/lib/check.h"

#define S  NS_PER_S
#define MS NS_PER_MS

/* Walk as the loop does, always in time, and note the samples. */
struct walk {
    int64_t labels[16];
    uint64_t times[16];
    size_t n, looks;
};

static struct walk walk(const struct measure_window *w, uint64_t start_ns)
{
    struct walk r = {0};
    struct ticks t;
    ticks_start(&t, w, start_ns);
    for (uint64_t now = 0; (now = ticks_next_ns(&t)) != UINT64_MAX;) {
        if (now >= t.due_ns) {
            assert_true(r.n < 16);
            r.labels[r.n] = t.label;
            r.times[r.n++] = now;
            ticks_advance(&t, now);
        } else {
            r.looks++;
            ticks_sockets_done(&t, now, 0);
        }
    }
    assert_int_equal(t.missed, 0);
    return r;
}

static void ticks_sample_at_each_boundary_of_warm_up_and_window(void **state)
{
    (void)state;
    struct measure_window w = measure_window(100 * S, 2 * S, 3 * S);
    struct walk r = walk(&w, 100 * S);
    assert_int_equal(r.n, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(r.labels[i], i - 2);
        assert_int_equal(r.times[i], (101 + (uint64_t)i) * S);
    }
}

static void ticks_look_at_the_sockets_five_times_a_second(void **state)
{
    (void)state;
    struct measure_window w = measure_window(100 * S, 0, S);
    struct walk r = walk(&w, 100 * S);
    assert_int_equal(r.n, 1);
    assert_int_equal(r.looks, 5); /* 100, 300, 500, 700, 900 ms */
}

static void ticks_cut_the_first_and_the_last_interval(void **state)
{
    (void)state;
    /* Warm-up 1.5 s, window 2.25 s. */
    struct measure_window w = measure_window(10 * S, 1500 * MS, 2250 * MS);
    struct walk r = walk(&w, 10 * S);
    const int64_t labels[] = {-2, -1, 0, 1, 2};
    const uint64_t times[] = {10500 * MS, 11500 * MS, 12500 * MS, 13500 * MS,
                              13750 * MS};
    assert_int_equal(r.n, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(r.labels[i], labels[i]);
        assert_int_equal(r.times[i], times[i]);
    }
}

static void ticks_label_what_follows_the_window_with_the_next_number(void **s)
{
    (void)s;
    struct measure_window w = measure_window(10 * S, 0, 2250 * MS);
    struct ticks t;
    ticks_start(&t, &w, 10 * S);
    ticks_advance(&t, 11 * S);
    ticks_advance(&t, 12 * S);
    assert_int_equal(t.label, 2);
    assert_int_equal(t.due_ns, 12250 * MS);
    ticks_advance(&t, 12250 * MS);
    assert_int_equal(t.label, 3);
    assert_int_equal(ticks_next_ns(&t), UINT64_MAX);
    /* Nothing moves any more. */
    ticks_advance(&t, 20 * S);
    ticks_sockets_done(&t, 20 * S, 0);
    assert_int_equal(t.label, 3);
    assert_int_equal(ticks_next_ns(&t), UINT64_MAX);
}

static void ticks_skip_what_is_past_and_count_it(void **state)
{
    (void)state;
    struct measure_window w = measure_window(10 * S, 0, 6 * S);
    struct ticks t;
    ticks_start(&t, &w, 10 * S);
    /* The sample of second 0 was taken at 13.5 s: 1 and 2 are gone. */
    ticks_advance(&t, 13500 * MS);
    assert_int_equal(t.label, 3);
    assert_int_equal(t.missed, 2);
    assert_int_equal(t.due_ns, 14 * S);
}

static void ticks_start_where_a_late_start_finds_them(void **state)
{
    (void)state;
    struct measure_window w = measure_window(10 * S, 2 * S, 3 * S);
    struct ticks t;
    ticks_start(&t, &w, 11300 * MS);
    assert_int_equal(t.label, -1);
    assert_int_equal(t.due_ns, 12 * S);
    ticks_start(&t, &w, 13 * S);
    assert_int_equal(t.label, 1);
    ticks_start(&t, &w, 15 * S); /* the window is over */
    assert_int_equal(t.label, 3);
    assert_int_equal(ticks_next_ns(&t), UINT64_MAX);
}

static void ticks_look_at_no_sockets_beyond_a_short_interval(void **state)
{
    (void)state;
    struct measure_window w = measure_window(10 * S, 0, 250 * MS);
    struct walk r = walk(&w, 10 * S);
    assert_int_equal(r.n, 1);
    assert_int_equal(r.looks, 1); /* 100 ms; 300 is beyond */
}

static void ticks_sockets_do_not_catch_up(void **state)
{
    (void)state;
    struct measure_window w = measure_window(10 * S, 0, S);
    struct ticks t;
    ticks_start(&t, &w, 10 * S);
    assert_int_equal(t.sockets_ns, 10100 * MS);
    ticks_sockets_done(&t, 10350 * MS, 0); /* 300 is past */
    assert_int_equal(t.sockets_ns, 10550 * MS);
    ticks_sockets_done(&t, 10550 * MS, 0);
    assert_int_equal(t.sockets_ns, 10750 * MS);
    ticks_sockets_done(&t, 10750 * MS, 0);
    ticks_sockets_done(&t, 10950 * MS, 0); /* 1150 is another interval's */
    assert_int_equal(t.sockets_ns, UINT64_MAX);
    assert_int_equal(ticks_next_ns(&t), 11 * S);
}

static void ticks_sockets_are_looked_at_less_where_it_costs(void **state)
{
    (void)state;
    struct measure_window w = measure_window(10 * S, 0, 2 * S);
    struct ticks t;
    ticks_start(&t, &w, 10 * S);
    ticks_sockets_done(&t, 10100 * MS, MS / 2); /* 400 * 0.5 = 200 */
    assert_int_equal(t.sockets_ns, 10300 * MS);
    ticks_sockets_done(&t, 10301 * MS, MS); /* 400 * 1 */
    assert_int_equal(t.sockets_ns, 10700 * MS);
    ticks_sockets_done(&t, 10700 * MS, 3 * MS); /* beyond the interval */
    assert_int_equal(t.sockets_ns, UINT64_MAX);
    ticks_advance(&t, 11 * S);
    assert_int_equal(t.sockets_ns, 11100 * MS); /* each has one */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_sample_at_each_boundary_of_warm_up_and_window),
        cmocka_unit_test(ticks_look_at_the_sockets_five_times_a_second),
        cmocka_unit_test(ticks_cut_the_first_and_the_last_interval),
        cmocka_unit_test(
            ticks_label_what_follows_the_window_with_the_next_number),
        cmocka_unit_test(ticks_skip_what_is_past_and_count_it),
        cmocka_unit_test(ticks_start_where_a_late_start_finds_them),
        cmocka_unit_test(ticks_look_at_no_sockets_beyond_a_short_interval),
        cmocka_unit_test(ticks_sockets_do_not_catch_up),
        cmocka_unit_test(ticks_sockets_are_looked_at_less_where_it_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
