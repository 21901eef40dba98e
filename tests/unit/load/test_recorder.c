#include <stdlib.h>

#include "common/rand.h"
#include "load/recorder.h"
#include "tests/lib/check.h"

#define S 1000000000ull

/* Load from 10 s on, the window from 12 s until before 15 s. */
static const struct measure_window window = {
    .t0_ns = 10 * S, .begin_ns = 12 * S, .end_ns = 15 * S};

static struct recorder_event ok(uint64_t intended_ns, uint64_t sent_ns,
                                uint64_t done_ns)
{
    return (struct recorder_event){.outcome = RECORDER_OK,
                                   .intended_ns = intended_ns,
                                   .sent_ns = sent_ns,
                                   .done_ns = done_ns,
                                   .requests = 1,
                                   .docs = 10,
                                   .docs_taken = 10,
                                   .body_bytes = 100,
                                   .received_bytes = 5};
}

static void add(struct recorder *r, struct recorder_event e)
{
    recorder_start(r);
    recorder_add(r, &e);
}

static void recorder_takes_operations_by_their_intended_start(void **state)
{
    (void)state;
    struct recorder *r = recorder_new(&window);
    /* warm-up, though it ends in the window */
    add(r, ok(12 * S - 1, 12 * S - 1, 12 * S + 500));
    add(r, ok(12 * S, 12 * S + 100, 12 * S + 600));
    /* in the window, though it ends after it */
    add(r, ok(15 * S - 1, 15 * S, 15 * S + 999));
    add(r, ok(15 * S, 15 * S, 15 * S + 2000));
    assert_int_equal(r->counts.ops, 2);
    assert_int_equal(r->counts.docs, 20);
    assert_int_equal(r->counts.bytes, 200);
    assert_int_equal(r->counts.received, 10);
    /* throughput: the two that end in it, whichever way */
    assert_int_equal(r->flow.ops, 2);
    assert_int_equal(r->flow.docs, 20);
    assert_int_equal(r->flow.bytes, 200);
    assert_int_equal(r->flow.received, 10);
    assert_int_equal(r->latency.total, 2);
    assert_int_equal(r->latency.min, 600);  /* 12 s + 600 - 12 s */
    assert_int_equal(r->latency.max, 1000); /* 15 s + 999 - (15 s - 1) */
    assert_int_equal(r->service.min, 500);
    assert_int_equal(r->service.max, 999);
    /* the totals know all four */
    assert_int_equal(r->totals.requests, 4);
    assert_int_equal(r->totals.docs_acked, 40);
    assert_int_equal(atomic_load(&r->docs), 40);
    assert_int_equal(atomic_load(&r->bytes), 400);
    recorder_free(r);
}

static void recorder_counts_every_document_once(void **state)
{
    (void)state;
    struct recorder *r = recorder_new(&window);
    struct recorder_event e = ok(13 * S, 13 * S, 13 * S + 1);
    e.docs_taken = 7; /* three refused one by one */
    add(r, e);
    e.docs_taken = 0;
    e.outcome = RECORDER_FAILED; /* ten refused together */
    add(r, e);
    e.outcome = RECORDER_LOST; /* ten nobody knows of */
    add(r, e);
    e.outcome = RECORDER_UNSENT; /* ten that never left */
    e.requests = 0;
    e.body_bytes = 0;
    add(r, e);
    assert_int_equal(r->counts.ops, 1);
    assert_int_equal(r->counts.docs, 7);
    assert_int_equal(r->counts.docs_failed, 13);
    assert_int_equal(r->counts.errors, 3);
    assert_int_equal(r->counts.bytes, 100);
    assert_int_equal(r->totals.docs_acked, 7);
    assert_int_equal(r->totals.docs_refused, 13);
    assert_int_equal(r->totals.docs_unknown, 10);
    assert_int_equal(r->totals.requests, 3); /* sent */
    assert_int_equal(r->totals.body_bytes, 300);
    assert_int_equal(r->totals.errors, 3);
    assert_int_equal(atomic_load(&r->errors), 3);
    /* failures have no latency */
    assert_int_equal(r->latency.total, 1);
    recorder_free(r);
}

static void recorder_calls_late_what_starts_a_millisecond_late(void **state)
{
    (void)state;
    struct recorder *r = recorder_new(&window);
    add(r, ok(13 * S, 13 * S + 1000000, 13 * S + 1000002)); /* not over 1 ms */
    assert_int_equal(r->counts.late, 0);
    add(r, ok(13 * S, 13 * S + 1000001, 13 * S + 1000002));
    assert_int_equal(r->counts.late, 1);
    recorder_free(r);
}

static void recorder_hands_over_seconds_by_completion(void **state)
{
    (void)state;
    struct recorder *r = recorder_new(&window);
    const struct recorder_second *b;
    assert_null(recorder_full(r));
    add(r, ok(10 * S, 10 * S, 10 * S + 5)); /* second -2 */
    add(r, ok(11 * S, 11 * S, 12 * S - 1)); /* -1 */
    assert_non_null(b = recorder_full(r));
    assert_int_equal(b->second, -2);
    assert_int_equal(b->counts.ops, 1);
    assert_int_equal(b->latency.total, 0); /* warm-up has no histogram */
    recorder_took(r);
    assert_null(recorder_full(r));
    recorder_start(r);
    recorder_start(r); /* two under way when second -1 ends */
    recorder_tick(r, 12 * S);
    b = recorder_full(r);
    assert_int_equal(b->second, -1);
    assert_int_equal(b->in_flight, 2);
    recorder_took(r);
    struct recorder_event e = ok(12 * S, 12 * S, 12 * S + 7);
    recorder_add(r, &e);
    e.done_ns++;
    recorder_add(r, &e);
    recorder_end(r);
    b = recorder_full(r);
    assert_int_equal(b->second, 0);
    assert_int_equal(b->counts.docs, 20);
    assert_int_equal(b->in_flight, 0);
    assert_int_equal(b->latency.total, 2);
    assert_int_equal(b->latency.max, 8);
    recorder_took(r);
    recorder_free(r);
}

static void
recorder_loses_seconds_that_nobody_takes_and_counts_them(void **state)
{
    (void)state;
    struct recorder *r = recorder_new(&window);
    for (uint64_t s = 10; s < 16; s++) /* -2 .. 3 */
        add(r, ok(s * S, s * S, s * S + 5));
    recorder_tick(r, 16 * S);
    /* three blocks are full, the fourth was in use: 1, 2 and 3 are lost */
    assert_int_equal(r->seconds_lost, 3);
    for (int64_t s = -2; s < 1; s++) {
        const struct recorder_second *b = recorder_full(r);
        assert_int_equal(b->second, s);
        assert_int_equal(b->counts.ops, 1);
        recorder_took(r);
    }
    assert_null(recorder_full(r));
    add(r, ok(16 * S, 16 * S, 16 * S + 5));
    recorder_end(r);
    assert_int_equal(recorder_full(r)->second, 4);
    assert_int_equal(recorder_full(r)->counts.ops, 1);
    /* the window's own figures lack nothing */
    assert_int_equal(r->counts.ops, 3);
    assert_int_equal(r->totals.requests, 7);
    recorder_free(r);
}

static void recorder_merge_is_the_same_as_one_recording(void **state)
{
    (void)state;
    struct recorder *one = recorder_new(&window), *sum = recorder_new(&window);
    struct recorder *parts[3];
    struct rand rand = {11};
    uint64_t at = 10 * S;
    for (int i = 0; i < 3; i++)
        parts[i] = recorder_new(&window);
    for (int i = 0; i < 20000; i++) {
        at += rand_bounded(&rand, 500000);
        struct recorder_event e = ok(at - rand_bounded(&rand, 2000000), at,
                                     at + rand_bounded(&rand, 1000000));
        e.outcome = (enum recorder_outcome)rand_bounded(&rand, 4);
        e.docs_taken = (uint32_t)rand_bounded(&rand, 11);
        at = e.done_ns;
        struct recorder *part = parts[rand_bounded(&rand, 3)];
        add(one, e);
        add(part, e);
        while (recorder_full(one))
            recorder_took(one);
    }
    for (int i = 0; i < 3; i++)
        recorder_merge(sum, parts[i]);
    assert_memory_equal(&sum->counts, &one->counts, sizeof one->counts);
    assert_memory_equal(&sum->totals, &one->totals, sizeof one->totals);
    assert_memory_equal(&sum->latency, &one->latency, sizeof one->latency);
    assert_memory_equal(&sum->service, &one->service, sizeof one->service);
    assert_int_equal(sum->last_done_ns, one->last_done_ns);
    assert_true(one->counts.ops > 500);
    for (int i = 0; i < 3; i++)
        recorder_free(parts[i]);
    recorder_free(one);
    recorder_free(sum);
}

static void recorder_explain_keeps_the_first_text(void **state)
{
    (void)state;
    struct recorder *r = recorder_new(&window);
    char text[300];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    recorder_explain(r, "");
    recorder_explain(r, text);
    assert_int_equal(strlen(r->error_text), RECORDER_ERROR_TEXT - 1);
    recorder_explain(r, "later");
    assert_int_equal(r->error_text[0], 'x');
    recorder_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorder_takes_operations_by_their_intended_start),
        cmocka_unit_test(recorder_counts_every_document_once),
        cmocka_unit_test(recorder_calls_late_what_starts_a_millisecond_late),
        cmocka_unit_test(recorder_hands_over_seconds_by_completion),
        cmocka_unit_test(
            recorder_loses_seconds_that_nobody_takes_and_counts_them),
        cmocka_unit_test(recorder_merge_is_the_same_as_one_recording),
        cmocka_unit_test(recorder_explain_keeps_the_first_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
