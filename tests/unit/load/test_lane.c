#include "load/lane.h"
#include "tests/lib/check.h"

#define MS 1000000ull
#define S  1000000000ull

/* A lane of a client whose bodies have 10, 20 and 5 documents. */
struct rig {
    struct span span;
    struct body bodies[3];
    struct work work;
    struct lane lane;
};

static const struct measure_window window = {.end_ns = 100 * S};

static void rig_init(struct rig *r, enum pacer_kind pacing, double rate_s)
{
    *r = (struct rig){.bodies = {{.docs = 10}, {.docs = 20}, {.docs = 5}}};
    for (size_t i = 0; i < 3; i++) {
        r->bodies[i].request.head_bytes = 7;
        r->bodies[i].request.body_bytes = 100;
    }
    r->work = (struct work){.name = "w",
                            .bulk = true,
                            .looped = true,
                            .clients = 1,
                            .own = 1,
                            .conns = 1,
                            .pacing = pacing,
                            .rate_s = rate_s,
                            .rate_docs = rate_s > 0};
    span_init(&r->span, 0, 100 * S, 0);
    r->lane = (struct lane){
        .work = &r->work,
        .span = &r->span,
        .recorder = recorder_new(&window),
        .bodies = {.items = r->bodies, .n = 3, .first = 1, .own = 2}};
}

static void rig_fini(struct rig *r)
{
    recorder_free(r->lane.recorder);
}

/* Without an end by time or operations. */
static const struct stage_term endless = {0};

/* Start at now, answer with status and body after 1 ms. */
static uint64_t ask(struct lane *l, uint64_t now_ns, unsigned status,
                    const char *body)
{
    const struct engine_answer a = {.outcome = ENGINE_ANSWERED,
                                    .status = status,
                                    .sent_ns = now_ns,
                                    .done_ns = now_ns + MS,
                                    .sent_bytes = 107};
    (void)lane_start(l, now_ns);
    lane_head(l, 0, status);
    lane_body(l, 0, body, strlen(body));
    return lane_finish(l, &a, 100 * S);
}

static void lane_goes_round_its_bodies(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, PACER_CLOSED, 0);
    assert_int_equal(lane_begin(&r.lane, &endless, S, 1), S);
    uint64_t now_ns = S;
    static const uint32_t docs[] = {20, 5, 10, 20, 5};
    for (size_t i = 0; i < 5; i++) {
        (void)lane_start(&r.lane, now_ns);
        assert_int_equal(r.lane.body->docs, docs[i]);
        const struct engine_answer a = {.status = 200,
                                        .sent_ns = now_ns,
                                        .done_ns = now_ns + MS,
                                        .sent_bytes = 107};
        now_ns = lane_finish(&r.lane, &a, 100 * S);
        assert_int_equal(now_ns, S + (i + 1) * MS);
    }
    assert_int_equal(r.lane.recorder->totals.docs_acked, 60);
    assert_int_equal(r.lane.recorder->totals.body_bytes, 500);
    rig_fini(&r);
}

static void lane_once_ends_after_its_own_bodies(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, PACER_CLOSED, 0);
    r.work.looped = false;
    (void)lane_begin(&r.lane, &endless, S, 1);
    assert_int_equal(ask(&r.lane, S, 200, ""), S + MS);
    assert_false(r.lane.over);
    assert_int_equal(ask(&r.lane, S + MS, 200, ""), UINT64_MAX);
    assert_true(r.lane.over);
    rig_fini(&r);
    rig_init(&r, PACER_CLOSED, 0);
    r.lane.bodies.own = 0; /* there was nothing for this one */
    r.work.looped = false;
    assert_int_equal(lane_begin(&r.lane, &endless, S, 1), UINT64_MAX);
    assert_true(r.lane.over && r.lane.idle);
    rig_fini(&r);
}

static void lane_paces_by_the_documents_of_each_body(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, PACER_FIXED, 1000); /* a document each ms */
    uint64_t next = lane_begin(&r.lane, &endless, S, 1);
    assert_int_equal(next, S);
    next = ask(&r.lane, next, 200, ""); /* 20 documents */
    assert_int_equal(next, S + 20 * MS);
    next = ask(&r.lane, next, 200, ""); /* 5 */
    assert_int_equal(next, S + 25 * MS);
    next = ask(&r.lane, next, 200, ""); /* 10 */
    assert_int_equal(next, S + 35 * MS);
    /* late by 100 ms: the schedule stands, the start is at once */
    next = ask(&r.lane, S + 135 * MS, 200, "");
    assert_int_equal(r.lane.intended_ns, S + 55 * MS);
    assert_int_equal(next, S + 136 * MS);
    assert_int_equal(r.lane.recorder->latency.max, 101 * MS);
    assert_int_equal(r.lane.recorder->service.max, MS);
    rig_fini(&r);
}

static void lane_finish_says_never_at_the_end(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, PACER_FIXED, 1000);
    (void)lane_begin(&r.lane, &endless, S, 1);
    (void)lane_start(&r.lane, S);
    const struct engine_answer a = {
        .status = 200, .sent_ns = S, .done_ns = S + 500 * MS};
    /* due at 20, 25, 35, 55, 60, 70 ms ...: bodies of 20, 5 and 10 documents;
     * the end is at 61 ms; what is left is counted in their mean size, 35 / 3
     * or 12: 20, 32, 44 and 56 are four */
    assert_int_equal(lane_finish(&r.lane, &a, S + 61 * MS), UINT64_MAX);
    assert_true(r.lane.over);
    assert_int_equal(r.lane.recorder->counts.dropped, 4);
    rig_fini(&r);
}

static void explains(unsigned status, const char *body, const char *text)
{
    struct rig r;
    rig_init(&r, PACER_CLOSED, 0);
    (void)lane_begin(&r.lane, &endless, S, 1);
    (void)ask(&r.lane, S, status, body);
    assert_string_equal(r.lane.recorder->error_text, text);
    (void)ask(&r.lane, 2 * S, 418, "another"); /* the first one stays */
    if (*text)
        assert_string_equal(r.lane.recorder->error_text, text);
    rig_fini(&r);
}

static void lane_keeps_the_first_failure_as_it_was_answered(void **state)
{
    (void)state;
    explains(200, "{\"errors\":false}", "");
    explains(503, "busy\n\x01\xff", "answered 503: busy\n??");
    explains(404, "", "answered 404: ");
    explains(200,
             "{\"errors\":true,\"items\":[{\"index\":{\"status\":400,"
             "\"error\":{\"type\":\"bad\"}}}]}",
             "bulk item answered 400 bad");
    static char long_body[1000];
    memset(long_body, 'x', sizeof long_body - 1);
    struct rig r;
    rig_init(&r, PACER_CLOSED, 0);
    (void)lane_begin(&r.lane, &endless, S, 1);
    (void)ask(&r.lane, S, 500, long_body);
    assert_int_equal(strlen(r.lane.recorder->error_text),
                     strlen("answered 500: ") + LANE_EXCERPT_MAX);
    rig_fini(&r);
}

static void lane_waits_after_a_lost_connection_only(void **state)
{
    (void)state;
    struct rig r;
    struct engine_answer a = {
        .outcome = ENGINE_LOST, .sent_ns = S, .done_ns = S, .text = "gone"};
    rig_init(&r, PACER_CLOSED, 0);
    (void)lane_begin(&r.lane, &endless, S, 1);
    for (uint64_t ms = 1; ms <= 8; ms *= 2) { /* 1, 2, 4, 8 */
        (void)lane_start(&r.lane, a.done_ns);
        uint64_t next = lane_finish(&r.lane, &a, 100 * S);
        assert_int_equal(next, a.done_ns + ms * MS);
        a.done_ns = a.sent_ns = next;
    }
    /* an answer, even a bad one, makes it forget */
    assert_int_equal(ask(&r.lane, a.done_ns, 500, ""), a.done_ns + MS);
    a.done_ns += MS;
    (void)lane_start(&r.lane, a.done_ns);
    assert_int_equal(lane_finish(&r.lane, &a, 100 * S), a.done_ns + MS);
    rig_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lane_goes_round_its_bodies),
        cmocka_unit_test(lane_once_ends_after_its_own_bodies),
        cmocka_unit_test(lane_paces_by_the_documents_of_each_body),
        cmocka_unit_test(lane_finish_says_never_at_the_end),
        cmocka_unit_test(lane_keeps_the_first_failure_as_it_was_answered),
        cmocka_unit_test(lane_waits_after_a_lost_connection_only)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
