#include "common/clock.h"
#include "target/gauge.h"
#include "target/tally.h"
#include "tests/lib/check.h"
#include "tests/unit/target/world.h"

#define MB (1u << 20)

struct gauged {
    struct world w;
    struct window window;
    struct gauge *g;
};

/* A gauge that counts from 1,000. */
static struct gauged *begin(struct gauged *s)
{
    s->w = world_open(2 * MB);
    s->g = gauge_new(s->w.heap, &s->window, 1000);
    assert_non_null(s->g);
    return s;
}

static void end(struct gauged *s)
{
    gauge_free(s->g);
    world_close(&s->w);
}

static void set(struct gauged *s, uint64_t t0, uint64_t t1, uint64_t now)
{
    struct why why = {0};
    check_ok(gauge_set(s->g, t0, t1, now, &why), why);
}

static void garbage(struct gauged *s, size_t n)
{
    assert_true(heap_garbage(s->w.m, n));
}

static void without_a_window_the_whole_life_is_measured(void **state)
{
    (void)state;
    struct gauged s;
    struct gauge_window out;
    (void)begin(&s);
    assert_true(gauge_due_ns(s.g) == UINT64_MAX);
    garbage(&s, 80);
    gauge_end(s.g, 5000, &out);
    assert_int_equal(out.t0_ns, 1000);
    assert_int_equal(out.t1_ns, 5000);
    assert_true(out.whole);
    assert_int_equal(out.heap.all.alloc_bytes, 80);
    end(&s);
}

/* 80 bytes before t0, 160 in the window, 320 after it. */
static void heap_figures_start_at_t0_and_freeze_at_t1(void **state)
{
    (void)state;
    struct gauged s;
    struct gauge_window out;
    struct heap_stats totals;
    (void)begin(&s);
    set(&s, 2000, 3000, 1500);
    assert_int_equal(gauge_due_ns(s.g), 2000);
    garbage(&s, 80);
    gauge_tick(s.g, 1999);
    assert_int_equal(gauge_due_ns(s.g), 2000);
    gauge_tick(s.g, 2000);
    assert_int_equal(gauge_due_ns(s.g), 3000);
    garbage(&s, 160);
    gauge_tick(s.g, 3000);
    assert_true(gauge_due_ns(s.g) == UINT64_MAX);
    garbage(&s, 320);
    gauge_end(s.g, 9000, &out);
    assert_int_equal(out.t0_ns, 2000);
    assert_int_equal(out.t1_ns, 3000);
    assert_true(out.whole);
    assert_int_equal(out.heap.all.alloc_bytes, 160);
    assert_int_equal(out.heap.worker.alloc_bytes, 160);
    assert_int_equal(out.heap.bulk.alloc_bytes, 0);
    /* The totals since the start do not know about the reset. */
    gauge_totals(s.g, &totals);
    assert_int_equal(totals.alloc_bytes, 560);
    assert_int_equal(totals.alloc_count, 3);
    assert_int_equal(totals.heap_bytes, 2 * MB);
    end(&s);
}

static void a_window_that_was_cut_short_says_so(void **state)
{
    (void)state;
    struct gauged s;
    struct gauge_window out;
    (void)begin(&s);
    set(&s, 2000, 3000, 1500);
    gauge_tick(s.g, 2100);
    gauge_end(s.g, 2500, &out);
    assert_int_equal(out.t0_ns, 2000);
    assert_int_equal(out.t1_ns, 2500);
    assert_false(out.whole);
    end(&s);
    (void)begin(&s);
    set(&s, 2000, 3000, 1500);
    gauge_end(s.g, 1700, &out); /* before it began */
    assert_int_equal(out.t1_ns, 2000);
    assert_false(out.whole);
    end(&s);
}

static void a_begin_that_has_passed_becomes_now(void **state)
{
    (void)state;
    struct gauged s;
    struct gauge_window out;
    (void)begin(&s);
    garbage(&s, 80);
    set(&s, 10, 9000, 1500);
    assert_int_equal(s.window.t0_ns, 1500);
    garbage(&s, 160);
    gauge_end(s.g, 9000, &out);
    assert_int_equal(out.t0_ns, 1500);
    assert_int_equal(out.heap.all.alloc_bytes, 160);
    end(&s);
}

static void a_window_must_have_a_length(void **state)
{
    (void)state;
    struct gauged s;
    struct why why = {0};
    (void)begin(&s);
    check_err(gauge_set(s.g, 2000, 2000, 1500, &why), ERR_RANGE);
    check_err(gauge_set(s.g, 10, 20, 1500, &why), ERR_RANGE);
    check_says(why, "t1_ns 20 is not after");
    assert_int_equal(s.window.generation, 1);
    end(&s);
}

static void tallies_follow_the_window(void **state)
{
    (void)state;
    struct gauged s;
    struct counts total = {0}, window = {0};
    (void)begin(&s);
    struct tally *t = tally_new(&s.window);
    assert_non_null(t);
    tally_add(t, TALLY_reads, 1, 1100); /* in the life before a window */
    hist_record(&t->read_bytes, 5);
    set(&s, 2000, 3000, 1500);
    assert_false(tally_current(t));
    tally_sum_window(t, &window); /* not of this window */
    assert_int_equal(window.of[TALLY_reads], 0);
    tally_add(t, TALLY_reads, 2, 1999);
    assert_int_equal(t->read_bytes.total, 0);
    tally_add(t, TALLY_reads, 4, 2000);
    tally_add(t, TALLY_reads, 8, 2999);
    tally_add(t, TALLY_reads, 16, 3000);
    assert_true(tally_current(t));
    tally_sum_window(t, &window);
    tally_sum(t, &total);
    assert_int_equal(window.of[TALLY_reads], 12);
    assert_int_equal(total.of[TALLY_reads], 31);
    assert_string_equal(tally_name(TALLY_reads), "reads");
    tally_free(t);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_window_the_whole_life_is_measured),
        cmocka_unit_test(heap_figures_start_at_t0_and_freeze_at_t1),
        cmocka_unit_test(a_window_that_was_cut_short_says_so),
        cmocka_unit_test(a_begin_that_has_passed_becomes_now),
        cmocka_unit_test(a_window_must_have_a_length),
        cmocka_unit_test(tallies_follow_the_window)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
