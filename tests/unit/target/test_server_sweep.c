/* Out of memory at every allocation of a running server, one run for each: the
 * n-th is refused, for n = 1, 2, ... until none is left. Each time the server
 * ends by itself with its statistics, marked as partial; the address sanitizer
 * sees what would be lost. */
#include <stdio.h>

#include "tests/lib/check.h"
#include "tests/unit/target/visit.h"

#define RUNS_MAX 2000

/* The record is as complete as any, and says what happened. */
static void check_record(const struct running *r)
{
    static const char *const members[] = {
        "total",     "window",     "heap",           "heap_worker",
        "heap_bulk", "read_bytes", "reads_per_loop", "service_ns",
        "hiccup_ns", "settings"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        assert_non_null(jv_get(r->record, members[i]));
    assert_string_equal(jv_text(jv_get(r->record, "outcome"), ""), "oom");
    assert_true(jv_bool(jv_get(r->record, "partial"), false));
    assert_int_equal(running_number(r, "heap", "oom_count"), 1);
}

/* step: 1, or 3 where a run takes long and others see the same allocations. */
static void sweep(void (*set)(struct settings *s), bool at_once, unsigned step)
{
    enum err outcome = ERR_OOM;
    unsigned n = 1;
    for (; outcome == ERR_OOM && n < RUNS_MAX; n += step) {
        struct running r;
        running_defaults(&r);
        r.calm = true;
        r.refuse_at = n;
        r.settings.heap_bytes = 2u << 20;
        r.settings.threads = r.settings.bulk_threads = 1;
        r.settings.initial_buffer = 8;
        r.settings.parse_work = 1;
        set(&r.settings);
        running_start(&r);
        if (at_once)
            visit_at_once(&r);
        else
            visit_in_turn(&r);
        running_stop(&r);
        outcome = r.outcome;
        if (outcome == ERR_OOM)
            check_record(&r);
        else
            assert_int_equal(running_number(&r, "heap", "oom_count"), 0);
        running_close(&r);
    }
    assert_int_equal(outcome, ERR_OK);
    assert_true(n > 100);
}

static void plainly(struct settings *s)
{
    s->index = false;
}

/* Many components: consolidated, and copied at the end. */
static void with_copies(struct settings *s)
{
    s->index = false;
    s->predictor.min = s->predictor.initial = s->predictor.max = 64;
    s->max_components = 2;
    s->body_copy = true;
}

static void with_an_index(struct settings *s)
{
    s->index = true;
    s->shards = 1;
}

static void with_threads(struct settings *s)
{
    s->threads = s->bulk_threads = 2;
    s->body_copy = true;
}

static void oom_may_strike_at_every_allocation(void **state)
{
    (void)state;
    sweep(plainly, false, 1);
}

static void oom_may_strike_at_every_allocation_of_copies(void **state)
{
    (void)state;
    sweep(with_copies, false, 1);
}

static void oom_may_strike_at_every_allocation_with_an_index(void **state)
{
    (void)state;
    sweep(with_an_index, false, 3);
}

static void oom_may_strike_at_every_allocation_of_many(void **state)
{
    (void)state;
    sweep(with_threads, true, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oom_may_strike_at_every_allocation),
        cmocka_unit_test(oom_may_strike_at_every_allocation_of_copies),
        cmocka_unit_test(oom_may_strike_at_every_allocation_of_many),
        cmocka_unit_test(oom_may_strike_at_every_allocation_with_an_index)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
