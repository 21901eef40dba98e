#include "load/pacer.h"
#include "tests/lib/check.h"

#define T0 1000000000ull

static void
pacer_closed_staggers_the_first_and_follows_the_answers(void **state)
{
    (void)state;
    struct pacer p;
    struct pacer_config c = {
        .kind = PACER_CLOSED, .n_clients = 4, .units = 1, .t0_ns = T0};
    /* 10 ms spread over four clients: 2.5 ms apart */
    assert_int_equal(pacer_start(&p, &c), T0);
    c.client = 1;
    assert_int_equal(pacer_start(&p, &c), T0 + 2500000);
    c.client = 3;
    assert_int_equal(pacer_start(&p, &c), T0 + 7500000);
    assert_int_equal(pacer_next(&p, 1, 42), 42);
    assert_int_equal(pacer_next(&p, 500, 43), 43);
    assert_int_equal(pacer_left(&p, T0, 1, T0, T0 + 1000000000), 0);
}

static void pacer_fixed_deals_the_slots_of_one_rate_to_its_clients(void **state)
{
    (void)state;
    struct pacer p;
    struct pacer_config c = {.kind = PACER_FIXED,
                             .rate_s = 100,
                             .units = 1,
                             .n_clients = 2,
                             .t0_ns = T0};
    /* 100/s: a slot each 10 ms; client 0 takes 0, 20, 40, client 1 the rest */
    assert_int_equal(pacer_start(&p, &c), T0);
    assert_int_equal(pacer_next(&p, 1, 0), T0 + 20000000);
    assert_int_equal(pacer_next(&p, 1, T0 + 999999999), T0 + 40000000);
    c.client = 1;
    assert_int_equal(pacer_start(&p, &c), T0 + 10000000);
    assert_int_equal(pacer_next(&p, 1, 0), T0 + 30000000);
}

static void pacer_fixed_does_not_drift(void **state)
{
    (void)state;
    struct pacer p;
    const struct pacer_config c = {
        .kind = PACER_FIXED, .rate_s = 3, .units = 1, .n_clients = 1};
    uint64_t at = pacer_start(&p, &c);
    for (int i = 0; i < 3000000; i++) /* a million seconds */
        at = pacer_next(&p, 1, 0);
    assert_int_equal(at, 1000000000000000);
}

static void pacer_fixed_by_documents_follows_their_number(void **state)
{
    (void)state;
    struct pacer p;
    const struct pacer_config c = {.kind = PACER_FIXED,
                                   .rate_s = 5000,
                                   .units = 500,
                                   .n_clients = 2,
                                   .client = 1,
                                   .t0_ns = T0};
    /* 5000 docs/s in bulks of 500: one each 100 ms, each client one each 200 */
    assert_int_equal(pacer_start(&p, &c), T0 + 100000000);
    assert_int_equal(pacer_next(&p, 500, 0), T0 + 300000000);
    /* after a short bulk of 100 documents the next is due 40 ms later */
    assert_int_equal(pacer_next(&p, 100, 0), T0 + 340000000);
}

static void pacer_left_counts_what_was_due_and_never_started(void **state)
{
    (void)state;
    struct pacer p;
    const struct pacer_config c = {.kind = PACER_FIXED,
                                   .rate_s = 100,
                                   .units = 1,
                                   .n_clients = 1,
                                   .t0_ns = T0};
    /* due at 0, 10, 20, 30, 40 ms ... */
    uint64_t next = pacer_start(&p, &c);
    assert_int_equal(pacer_left(&p, next, 1, T0, T0 + 30000001), 4);
    next = pacer_start(&p, &c);
    assert_int_equal(pacer_left(&p, next, 1, T0, T0 + 30000000), 3);
    /* those before the window are no loss: 20 and 30 are left */
    next = pacer_start(&p, &c);
    assert_int_equal(pacer_left(&p, next, 1, T0 + 15000000, T0 + 30000001), 2);
    next = pacer_start(&p, &c);
    assert_int_equal(pacer_left(&p, next, 1, T0, T0), 0);
}

/* 5480/s of 8 clients: one each 1459854.0146 ns, 274 of them in 0.4 s, whose
 * product is short of it by less than a ns. */
static void pacer_fixed_counts_no_slot_on_the_windows_end(void **state)
{
    (void)state;
    struct pacer p;
    uint64_t next = pacer_start(&p, &(struct pacer_config){.kind = PACER_FIXED,
                                                           .rate_s = 5480,
                                                           .units = 1,
                                                           .n_clients = 8,
                                                           .t0_ns = T0});
    assert_int_equal(pacer_left(&p, next, 1, T0, T0 + 400000000), 274);
}

static void pacer_left_takes_a_long_schedule_at_its_mean(void **state)
{
    (void)state;
    struct pacer p;
    struct pacer_config c = {.kind = PACER_FIXED,
                             .rate_s = 1e9,
                             .units = 1,
                             .n_clients = 1,
                             .t0_ns = T0};
    uint64_t next = pacer_start(&p, &c);
    /* one each ns for 5 s, which is not counted one by one */
    check_near((double)pacer_left(&p, next, 1, T0, T0 + 5000000000), 5e9, 2);
    /* and half of it within the window */
    next = pacer_start(&p, &c);
    check_near(
        (double)pacer_left(&p, next, 1, T0 + 2500000000, T0 + 5000000000),
        2.5e9, 2);
}

static void pacer_poisson_keeps_the_rate_and_repeats_by_its_seed(void **state)
{
    (void)state;
    struct pacer p, again;
    struct pacer_config c = {.kind = PACER_POISSON,
                             .rate_s = 1000,
                             .units = 1,
                             .n_clients = 2,
                             .t0_ns = T0,
                             .seed = 7};
    uint64_t at = pacer_start(&p, &c), before = T0;
    uint64_t other = pacer_start(&again, &c);
    double squares = 0, mean_ns = 2e6; /* 1000/s by two clients */
    for (int i = 0; i < 100000; i++) {
        assert_int_equal(at, other);
        assert_true(at >= before);
        double gap = ((double)(at - before) - mean_ns) / mean_ns;
        squares += gap * gap;
        before = at;
        at = pacer_next(&p, 1, 0);
        other = pacer_next(&again, 1, 0);
    }
    /* mean 2 ms and deviation 2 ms, each within 1 % (3 sigma) */
    check_near((double)(before - T0) / 100000, mean_ns, mean_ns * 0.01);
    check_near(squares / 100000, 1, 0.03);
    struct pacer_config c1 = c;
    c1.client = 1;
    assert_int_not_equal(pacer_start(&p, &c1), pacer_start(&again, &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            pacer_closed_staggers_the_first_and_follows_the_answers),
        cmocka_unit_test(
            pacer_fixed_deals_the_slots_of_one_rate_to_its_clients),
        cmocka_unit_test(pacer_fixed_does_not_drift),
        cmocka_unit_test(pacer_fixed_by_documents_follows_their_number),
        cmocka_unit_test(pacer_left_counts_what_was_due_and_never_started),
        cmocka_unit_test(pacer_fixed_counts_no_slot_on_the_windows_end),
        cmocka_unit_test(pacer_left_takes_a_long_schedule_at_its_mean),
        cmocka_unit_test(pacer_poisson_keeps_the_rate_and_repeats_by_its_seed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
