/* The worker in a world of its own: a clock that moves only when the engine
 * waits, and an engine whose requests take as long as the test says. */
#include <stdlib.h>

#include "load/worker.h"
#include "tests/lib/check.h"

#define MS 1000000ull
#define S  1000000000ull

#define LANES_MAX 16

/* How request n of a lane ends, and after how long. */
struct fate {
    enum engine_outcome outcome;
    unsigned status;
    uint64_t service_ns;
    const char *body;
};

struct world {
    uint64_t now_ns;
    struct fate (*fate)(uint32_t lane, uint32_t n);
    struct engine *engine;
};

struct engine {
    struct engine_config config;
    struct world *world;
    struct {
        bool busy;
        uint64_t sent_ns, done_ns;
        struct fate fate;
        const struct engine_request *request;
        uint32_t n;
    } lanes[LANES_MAX];
    uint64_t blocked_ns;
};

static struct world *the_world;

static uint64_t world_now(void *ctx)
{
    return ((struct world *)ctx)->now_ns;
}

static enum err fake_open(struct engine **out,
                          const struct engine_config *config, struct why *why)
{
    (void)why;
    assert_true(config->n_lanes <= LANES_MAX);
    *out = calloc(1, sizeof **out);
    (*out)->config = *config;
    (*out)->world = the_world;
    the_world->engine = *out;
    return ERR_OK;
}

static void fake_close(struct engine *engine)
{
    free(engine);
}

static enum err fake_connect(struct engine *engine, uint32_t lane,
                             struct why *why)
{
    (void)engine;
    (void)lane;
    (void)why;
    return ERR_OK;
}

static void fake_submit(struct engine *engine, uint32_t lane,
                        const struct engine_request *request)
{
    assert_false(engine->lanes[lane].busy);
    uint32_t n = engine->lanes[lane].n++;
    struct fate fate = engine->world->fate(lane, n);
    engine->lanes[lane].busy = true;
    engine->lanes[lane].fate = fate;
    engine->lanes[lane].request = request;
    engine->lanes[lane].sent_ns = engine->world->now_ns;
    engine->lanes[lane].done_ns = engine->world->now_ns + fate.service_ns;
}

static void finish(struct engine *engine, uint32_t lane,
                   enum engine_outcome outcome, const char *text)
{
    const struct engine_config *c = &engine->config;
    struct fate fate = engine->lanes[lane].fate;
    const struct engine_request *r = engine->lanes[lane].request;
    struct engine_answer a = {.outcome = outcome,
                              .status = fate.status,
                              .sent_ns = engine->lanes[lane].sent_ns,
                              .done_ns = engine->world->now_ns,
                              .text = text};
    if (outcome != ENGINE_UNSENT)
        a.sent_bytes = r->head_bytes + r->body_bytes;
    engine->lanes[lane].busy = false;
    if (outcome == ENGINE_ANSWERED) {
        c->events->head(c->ctx, lane, fate.status);
        if (fate.body) {
            a.received_bytes = strlen(fate.body);
            c->events->body(c->ctx, lane, fate.body, strlen(fate.body));
        }
    }
    c->events->answer(c->ctx, lane, &a);
}

/* Move the clock to the next end, or until until_ns; all ends of that moment.
 */
static uint64_t fake_wait(struct engine *engine, uint64_t now_ns,
                          uint64_t until_ns)
{
    uint64_t next_ns = until_ns;
    assert_int_equal(now_ns, engine->world->now_ns);
    for (uint32_t i = 0; i < engine->config.n_lanes; i++)
        if (engine->lanes[i].busy && engine->lanes[i].done_ns < next_ns)
            next_ns = engine->lanes[i].done_ns;
    if (next_ns > engine->world->now_ns)
        engine->world->now_ns = next_ns;
    uint64_t woke_ns = engine->world->now_ns;
    for (uint32_t i = 0; i < engine->config.n_lanes; i++)
        if (engine->lanes[i].busy && engine->lanes[i].done_ns <= woke_ns)
            finish(engine, i, engine->lanes[i].fate.outcome, "lost it");
    return woke_ns;
}

static void fake_cancel(struct engine *engine, uint32_t lane, const char *text)
{
    if (engine->lanes[lane].busy)
        finish(engine, lane, ENGINE_LOST, text);
}

/* Bodies wait for their socket half of the time. */
static struct engine_stats fake_stats(const struct engine *engine,
                                      uint64_t now_ns)
{
    (void)engine;
    return (struct engine_stats){.send_blocked_ns = now_ns / 2};
}

static const struct engine_ops fake = {.name = "fake",
                                       .open = fake_open,
                                       .close = fake_close,
                                       .connect = fake_connect,
                                       .submit = fake_submit,
                                       .wait = fake_wait,
                                       .cancel = fake_cancel,
                                       .stats = fake_stats};

/* A work of bodies with 10 documents each. */
static struct work work_of(uint32_t clients, bool bulk, uint32_t n_bodies)
{
    static struct plan_request requests[PLAN_REQUESTS_MAX];
    struct plan_task task = {
        .kind = PLAN_REQUESTS, .requests = requests, .n_requests = n_bodies};
    const struct body_config config = {
        .host = "h", .headers = "", .n_clients = clients, .docs = 10};
    struct work w = {.name = "w",
                     .operation = bulk ? "bulk" : "raw-request",
                     .bulk = bulk,
                     .looped = true,
                     .clients = clients,
                     .own = clients,
                     .timeout_ns = 60 * S,
                     .conns = 1};
    struct why why = {0};
    for (uint32_t i = 0; i < n_bodies; i++)
        requests[i] = (struct plan_request){
            .method = "POST", .path = "/", .body = "0123456789"};
    check_ok(body_make(&w.bodies, NULL, &task, &config, &why), why);
    return w;
}

static struct step the_step;
static struct stage the_stage;
static struct stage_task stage_tasks[8];

/* One thread for all of these works, each client in a slot of its own. */
static struct worker *worker_of(struct world *world, struct work *works,
                                size_t n_works)
{
    struct worker *w;
    struct why why = {0};
    the_step = (struct step){
        .works = works, .n_works = n_works, .completed_by = STEP_BY_NONE};
    for (size_t i = 0; i < n_works; i++) {
        works[i].slot = the_step.slots;
        the_step.slots += works[i].clients;
    }
    const struct worker_config config = {.step = &the_step,
                                         .n_threads = 1,
                                         .ops = &fake,
                                         .now_ns = world_now,
                                         .ctx = world};
    the_world = world;
    check_ok(worker_open(&w, &config, &why), why);
    return w;
}

static void drive(struct worker *w, const struct stage_run *run)
{
    stage_init(&the_stage, &the_step, stage_tasks, run);
    worker_prepare(w, &the_stage);
    worker_drive(w);
}

/* Drive from t0 = 10 s with 2 s of warm-up and 3 s of window. */
static const struct stage_run usual = {.t0_ns = 10 * S,
                                       .warmup_ns = 2 * S,
                                       .measure_ns = 3 * S,
                                       .drain_ns = 5 * S};

static struct fate quick(uint32_t lane, uint32_t n)
{
    (void)lane;
    (void)n;
    return (struct fate){ENGINE_ANSWERED, 200, 100 * MS, NULL};
}

static void worker_closed_loop_measures_the_window_only(void **state)
{
    (void)state;
    struct world world = {.now_ns = 9 * S, .fate = quick};
    struct work work = work_of(2, false, 1);
    struct worker *w = worker_of(&world, &work, 1);
    drive(w, &usual);
    struct recorder *r = worker_recorder(w, 0);
    /* client 0 starts at 10.0, 10.1 ... 14.9: 50 requests, 30 from 12.0 on;
     * client 1 5 ms later each: 50 and 30 as well */
    assert_int_equal(r->totals.requests, 100);
    assert_int_equal(r->counts.ops, 60);
    assert_int_equal(r->counts.docs, 600);
    assert_int_equal(r->counts.bytes, 600);
    assert_int_equal(r->latency.total, 60);
    assert_int_equal(r->latency.min, 100 * MS);
    assert_int_equal(r->latency.max, 100 * MS);
    assert_int_equal(r->counts.late, 0);
    assert_int_equal(r->counts.dropped, 0);
    /* the drain: client 1's last ends 5 ms after it */
    assert_int_equal(r->last_done_ns, 15 * S + 5 * MS);
    assert_int_equal(worker_self(w)->blocked_ns, 3 * S / 2);
    worker_close(w);
    body_free(work.bodies);
}

static struct fate stalls(uint32_t lane, uint32_t n)
{
    (void)lane;
    /* request 21, due at 12.1 s, takes 1 s; the others 10 ms */
    return (struct fate){ENGINE_ANSWERED, 200, n == 21 ? S : 10 * MS, NULL};
}

static void worker_open_loop_counts_a_stall_as_latency(void **state)
{
    (void)state;
    struct world world = {.now_ns = 9 * S, .fate = stalls};
    struct work work = work_of(1, false, 1);
    work.pacing = PACER_FIXED;
    work.rate_s = 10; /* 10.0, 10.1, ... */
    struct worker *w = worker_of(&world, &work, 1);
    drive(w, &usual);
    struct recorder *r = worker_recorder(w, 0);
    assert_int_equal(r->counts.ops, 30);
    assert_int_equal(r->counts.dropped, 0);
    /* 12.1 is answered at 13.1; 12.2 then starts at 13.1, 12.3 at 13.11, ...
     * intended at 12.1 + 0.1 k they start at 13.1 + 0.01 (k - 1), so they are
     * late by 1.0 - 0.09 k - 0.01: over 1 ms for k = 1 .. 10; for k = 11 it is
     * 0 (13.2 against 13.2) */
    assert_int_equal(r->counts.late, 10);
    assert_int_equal(r->latency.max, S);
    assert_int_equal(r->service.max, S);
    /* k = 1: 12.2 -> 13.11: 910 ms of latency, 10 ms of service */
    assert_in_range(hist_percentile(&r->service, 0.9), 10 * MS, 10010000);
    check_near((double)r->latency.sum,
               /* k = 0: 1000; k = 1 .. 10: 1000 - 90 k; the other 19: 10 */
               (1000.0 + 10 * 1000 - 90 * 55 + 19 * 10) * MS, 1);
    worker_close(w);
    body_free(work.bodies);
}

static struct fate slow(uint32_t lane, uint32_t n)
{
    (void)lane;
    (void)n;
    return (struct fate){ENGINE_ANSWERED, 200, 250 * MS, NULL};
}

static void worker_open_loop_counts_what_never_started(void **state)
{
    (void)state;
    struct world world = {.now_ns = 9 * S, .fate = slow};
    struct work work = work_of(1, false, 1);
    work.pacing = PACER_FIXED;
    work.rate_s = 10; /* but one takes 250 ms: 4 a second at most */
    struct worker *w = worker_of(&world, &work, 1);
    drive(w, &usual);
    struct recorder *r = worker_recorder(w, 0);
    /* 5 s x 4 = 20 started, intended at 10.0 .. 11.9: all in the warm-up; the
     * 30 of the window never started */
    assert_int_equal(r->totals.requests, 20);
    assert_int_equal(r->counts.ops, 0);
    assert_int_equal(r->counts.dropped, 30);
    worker_close(w);
    body_free(work.bodies);
}

static struct fate breaks(uint32_t lane, uint32_t n)
{
    static const struct fate fates[] = {
        {ENGINE_ANSWERED, 200, MS, "{\"errors\":false}"},
        {ENGINE_ANSWERED, 200, MS,
         "{\"errors\":true,\"items\":[{\"index\":{\"status\":201}},{\"index\":"
         "{\"status\":429,\"error\":{\"type\":\"full\"}}}]}"},
        {ENGINE_ANSWERED, 429, MS, "{\"error\":\"busy\"}"},
        {ENGINE_LOST, 0, MS, NULL},
        {ENGINE_UNSENT, 0, 0, NULL},
        {ENGINE_ANSWERED, 503, MS, NULL},
        {ENGINE_ANSWERED, 201, MS, "ok"}};
    (void)lane;
    return n < 7 ? fates[n] : (struct fate){ENGINE_ANSWERED, 200, 4 * S, NULL};
}

static void worker_counts_every_document_of_every_fate(void **state)
{
    (void)state;
    struct world world = {.now_ns = 10 * S, .fate = breaks};
    struct work work = work_of(1, true, 1);
    work.timeout_ns = 3 * S;
    struct worker *w = worker_of(&world, &work, 1);
    const struct stage_run run = {
        .t0_ns = 10 * S, .measure_ns = 2 * S, .drain_ns = 5 * S};
    drive(w, &run);
    struct recorder *r = worker_recorder(w, 0);
    /* 10 + 1 + 10 taken; 9 + 10 + 10 refused; the lost one and the one that
     * took too long are unknown; one was not sent */
    assert_int_equal(r->totals.docs_acked, 21);
    assert_int_equal(r->totals.docs_refused, 29);
    assert_int_equal(r->totals.docs_unknown, 20);
    assert_int_equal(r->totals.requests, 7);
    assert_int_equal(r->counts.ops, 3);
    assert_int_equal(r->counts.errors, 5);
    assert_string_equal(r->error_text, "bulk item answered 429 full");
    /* the last began after 5 x 1 ms, and the waits of 1 ms for the lost one and
     * 2 ms for the other; 3 s later it was given up, within 20 ms */
    assert_in_range(r->last_done_ns, 13 * S + 8 * MS, 13 * S + 28 * MS);
    worker_close(w);
    body_free(work.bodies);
}

static struct fate refused(uint32_t lane, uint32_t n)
{
    (void)lane;
    (void)n;
    return (struct fate){ENGINE_UNSENT, 0, 0, NULL};
}

static void worker_waits_longer_each_time_nobody_listens(void **state)
{
    (void)state;
    struct world world = {.now_ns = 10 * S, .fate = refused};
    struct work work = work_of(1, false, 1);
    struct worker *w = worker_of(&world, &work, 1);
    const struct stage_run run = {
        .t0_ns = 10 * S, .measure_ns = 3 * S, .drain_ns = 5 * S};
    drive(w, &run);
    struct recorder *r = worker_recorder(w, 0);
    /* 1 + 2 + 4 + ... + 512 ms = 1.023 s after the tenth, then 1 s each: tries
     * at 0, 1, 3, ..., 1023, 2023 ms: 12 of them */
    assert_int_equal(r->counts.errors, 12);
    assert_int_equal(r->totals.requests, 0);
    assert_string_equal(r->error_text, "lost it");
    worker_close(w);
    body_free(work.bodies);
}

static void worker_once_sends_each_body_a_single_time(void **state)
{
    (void)state;
    struct world world = {.now_ns = 10 * S, .fate = quick};
    struct work work = work_of(2, false, 7);
    work.looped = false;
    struct worker *w = worker_of(&world, &work, 1);
    const struct stage_run run = {.t0_ns = 10 * S, .drain_ns = 5 * S};
    drive(w, &run); /* neither the run nor the work has a length */
    struct recorder *r = worker_recorder(w, 0);
    assert_int_equal(r->counts.ops, 14);
    assert_int_equal(r->counts.dropped, 0);
    assert_int_equal(r->last_done_ns, 10 * S + 705 * MS);
    worker_close(w);
    body_free(work.bodies);
}

static void worker_gives_tasks_their_own_times(void **state)
{
    (void)state;
    struct world world = {.now_ns = 10 * S, .fate = quick};
    struct work works[] = {work_of(1, false, 1), work_of(1, false, 1)};
    works[0].warmup_ns = S;
    works[0].measure_ns = 2 * S;
    works[1].measure_ns = S;
    struct worker *w = worker_of(&world, works, 2);
    const struct stage_run run = {.t0_ns = 10 * S, .drain_ns = 5 * S};
    drive(w, &run);
    assert_int_equal(worker_recorder(w, 0)->counts.ops, 20);
    assert_int_equal(worker_recorder(w, 0)->totals.requests, 30);
    assert_int_equal(worker_recorder(w, 1)->counts.ops, 10);
    assert_int_equal(worker_recorder(w, 1)->totals.requests, 10);
    worker_close(w);
    body_free(works[0].bodies);
    body_free(works[1].bodies);
}

static void worker_stop_ends_the_window_where_it_came(void **state)
{
    (void)state;
    struct world world = {.now_ns = 10 * S, .fate = quick};
    struct work work = work_of(1, false, 1);
    work.pacing = PACER_FIXED;
    work.rate_s = 5; /* 10.0, 10.2, ... each takes 100 ms */
    struct worker *w = worker_of(&world, &work, 1);
    stage_init(&the_stage, &the_step, stage_tasks, &usual);
    worker_prepare(w, &the_stage);
    stage_stop(&the_stage, 12 * S + 500 * MS);
    worker_drive(w);
    struct recorder *r = worker_recorder(w, 0);
    assert_int_equal(span_end(r->span), 12 * S + 500 * MS);
    assert_int_equal(r->counts.ops, 3); /* 12.0, 12.2, 12.4 */
    assert_int_equal(r->counts.dropped, 0);
    assert_int_equal(r->totals.requests, 13);
    worker_close(w);
    body_free(work.bodies);
}

static struct fate never(uint32_t lane, uint32_t n)
{
    return (struct fate){ENGINE_ANSWERED, 200,
                         lane == 1 && n == 0 ? 3600 * S : 100 * MS, NULL};
}

static void worker_gives_up_a_request_after_its_timeout(void **state)
{
    (void)state;
    struct world world = {.now_ns = 10 * S, .fate = never};
    struct work work = work_of(2, false, 1);
    work.timeout_ns = S;
    struct worker *w = worker_of(&world, &work, 1);
    const struct stage_run run = {
        .t0_ns = 10 * S, .measure_ns = 3 * S, .drain_ns = 5 * S};
    drive(w, &run);
    struct recorder *r = worker_recorder(w, 0);
    assert_int_equal(r->counts.errors, 1);
    assert_string_equal(r->error_text, "no answer within the timeout");
    /* client 0: 30; client 1 lost the first second (20 ms of tick at most and
     * 1 ms of waiting beside it) and went on */
    assert_in_range(r->counts.ops, 30 + 19, 30 + 20);
    worker_close(w);
    body_free(work.bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worker_closed_loop_measures_the_window_only),
        cmocka_unit_test(worker_open_loop_counts_a_stall_as_latency),
        cmocka_unit_test(worker_open_loop_counts_what_never_started),
        cmocka_unit_test(worker_counts_every_document_of_every_fate),
        cmocka_unit_test(worker_waits_longer_each_time_nobody_listens),
        cmocka_unit_test(worker_once_sends_each_body_a_single_time),
        cmocka_unit_test(worker_gives_tasks_their_own_times),
        cmocka_unit_test(worker_stop_ends_the_window_where_it_came),
        cmocka_unit_test(worker_gives_up_a_request_after_its_timeout)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
