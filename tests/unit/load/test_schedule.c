/* The rules of a step's schedule, one by one, in a world whose clock moves only
 * when the engine waits: literal times, and what must follow from them. */
#include <stdlib.h>

#include "load/worker.h"
#include "tests/lib/check.h"
#include "tests/unit/load/world.h"

#define MS 1000000ull
#define S  1000000000ull

#define WORKS_MAX 4

struct rig {
    struct world world;
    struct work works[WORKS_MAX];
    struct step step;
    struct stage stage;
    struct stage_task tasks[WORKS_MAX];
    struct worker *worker;
    uint64_t abort_ns; /* 0: none */
};

/* A closed-loop task of requests that goes on for ever. */
static struct work *add(struct rig *r, uint32_t clients, uint64_t service_ns)
{
    size_t i = r->step.n_works++;
    struct work *w = &r->works[i];
    *w = world_work(clients, 1);
    r->world.service_ns[i] = service_ns;
    return w;
}

static void run_for(struct rig *r, const struct stage_run *run)
{
    struct why why = {0};
    r->step.works = r->works;
    r->step.completed_by =
        r->step.completed_by ? r->step.completed_by - 1 : STEP_BY_NONE;
    uint32_t slots = 0;
    for (size_t i = 0; i < r->step.n_works; i++) {
        r->works[i].slot = slots;
        slots += r->works[i].clients;
        r->works[i].own = r->works[i].clients;
    }
    if (!r->step.slots)
        r->step.slots = slots;
    r->world.now_ns = 10 * S;
    r->world.step = &r->step;
    const struct worker_config config = {.step = &r->step,
                                         .n_threads = 1,
                                         .ops = &world_engine,
                                         .now_ns = world_now,
                                         .ctx = &r->world};
    world_begin(&r->world);
    check_ok(worker_open(&r->worker, &config, &why), why);
    stage_init(&r->stage, &r->step, r->tasks, run);
    if (r->abort_ns)
        stage_abort(&r->stage, r->abort_ns);
    worker_prepare(r->worker, &r->stage);
    worker_drive(r->worker);
}

/* From 10 s on, by the tasks' own times. */
static void run(struct rig *r)
{
    const struct stage_run own = {.t0_ns = 10 * S, .drain_ns = 5 * S};
    run_for(r, &own);
}

static const struct recorder *of(const struct rig *r, size_t i)
{
    return worker_recorder(r->worker, i);
}

static void window_is(const struct rig *r, size_t i, uint64_t begin_ns,
                      uint64_t end_ns)
{
    assert_int_equal(span_begin(&r->tasks[i].span), begin_ns);
    assert_int_equal(span_end(&r->tasks[i].span), end_ns);
}

static void rig_fini(struct rig *r)
{
    worker_close(r->worker);
    for (size_t i = 0; i < r->step.n_works; i++)
        body_free(r->works[i].bodies);
}

static void iterations_are_of_each_client(void **state)
{
    (void)state;
    struct rig r = {0};
    struct work *w = add(&r, 2, 100 * MS);
    w->warm_ops = 3;
    w->ops = 5;
    run(&r);
    /* client 0 from 10.000, client 1 from 10.005: 8 of 100 ms each */
    assert_int_equal(of(&r, 0)->totals.requests, 16);
    /* both are warm when client 1 has done its third: 10.305; client 0 has done
     * all at 10.8. In between client 0 starts at .4 .5 .6 .7, and client 1 at
     * .305 .405 .505 .605 .705 */
    window_is(&r, 0, 10 * S + 305 * MS, 10 * S + 800 * MS);
    assert_int_equal(of(&r, 0)->counts.ops, 9);
    assert_int_equal(of(&r, 0)->latency.total, 9);
    /* after .305 until .8 client 0 ends .4 .5 .6 .7 .8, client 1 .405 .505 .605
     * .705 */
    assert_int_equal(of(&r, 0)->flow.ops, 9);
    rig_fini(&r);
}

static void one_clients_iterations_are_all_measured(void **state)
{
    (void)state;
    struct rig r = {0};
    struct work *w = add(&r, 1, 100 * MS);
    w->warm_ops = 2;
    w->ops = 7;
    run(&r);
    assert_int_equal(of(&r, 0)->totals.requests, 9);
    assert_int_equal(of(&r, 0)->counts.ops, 7);
    window_is(&r, 0, 10 * S + 200 * MS, 10 * S + 900 * MS);
    rig_fini(&r);
}

static void
late_iterations_are_measured_from_where_they_were_meant(void **state)
{
    (void)state;
    struct rig r = {0};
    struct work *w = add(&r, 1, 150 * MS);
    w->warm_ops = 2;
    w->ops = 3;
    w->pacing = PACER_FIXED;
    w->rate_s = 10; /* 10.0 .1 .2 .3 .4, but one takes 150 ms */
    run(&r);
    /* warm at 10.3, when the third, meant for 10.2, begins: it counts */
    window_is(&r, 0, 10 * S + 200 * MS, 10 * S + 750 * MS);
    assert_int_equal(of(&r, 0)->counts.ops, 3);
    assert_int_equal(of(&r, 0)->latency.min, 250 * MS); /* .2 to .45 */
    assert_int_equal(of(&r, 0)->latency.max, 350 * MS); /* .4 to .75 */
    assert_int_equal(of(&r, 0)->service.max, 150 * MS);
    rig_fini(&r);
}

static void the_tail_after_the_first_finished_client_is_left_out(void **state)
{
    (void)state;
    struct rig r = {0};
    struct work *w = add(&r, 2, 100 * MS);
    body_free(w->bodies);
    *w = world_work(2, 7);
    w->looped = false;
    run(&r);
    assert_int_equal(of(&r, 0)->totals.requests, 14);
    window_is(&r, 0, 10 * S, 10 * S + 700 * MS);
    /* client 0 0 .1 ... .6; client 1 .005 ... .605: all before .7 */
    assert_int_equal(of(&r, 0)->counts.ops, 14);
    rig_fini(&r);
}

static void
one_client_that_is_slower_is_measured_until_the_other_ends(void **state)
{
    (void)state;
    struct rig r = {0};
    struct work *w = add(&r, 2, 100 * MS);
    w->ops = 4;
    r.world.slow_client = 2; /* the second: three times as long */
    run(&r);
    /* client 0: .0 .1 .2 .3, done at .4; client 1: .005 .305, and .605 .905
     * which are the tail */
    window_is(&r, 0, 10 * S, 10 * S + 400 * MS);
    assert_int_equal(of(&r, 0)->counts.ops, 6);
    assert_int_equal(of(&r, 0)->totals.requests, 8);
    assert_int_equal(of(&r, 0)->latency.total, 6);
    rig_fini(&r);
}

static void clients_that_ramp_up_start_evenly_and_book_no_delay(void **state)
{
    (void)state;
    struct rig r = {0};
    struct work *w = add(&r, 4, 10 * MS);
    w->pacing = PACER_FIXED;
    w->rate_s = 40; /* each client 10/s */
    w->ramp_up_ns = 4 * S;
    w->warmup_ns = 4 * S;
    w->measure_ns = 2 * S;
    run(&r);
    /* client i starts i seconds late, in its own slots: 60, 50, 40 and 30 */
    assert_int_equal(of(&r, 0)->totals.requests, 60 + 50 + 40 + 30);
    assert_int_equal(of(&r, 0)->counts.ops, 80);
    assert_int_equal(of(&r, 0)->counts.late, 0);
    assert_int_equal(of(&r, 0)->latency.max, 10 * MS);
    window_is(&r, 0, 14 * S, 16 * S);
    rig_fini(&r);
}

static void completed_by_a_task_waits_for_all_its_clients(void **state)
{
    (void)state;
    struct rig r = {0};
    struct work *fill = add(&r, 2, 100 * MS);
    fill->ops = 3;
    r.world.slow_client = 2;
    struct work *find = add(&r, 1, 30 * MS);
    find->pacing = PACER_FIXED;
    find->rate_s = 10;
    r.step.completed_by = 1 + 0;
    run(&r);
    /* fill: client 0 ends at 10.3, client 1 (300 ms each) at 10.905; find
     * starts at 10.0, .1, ... .9, and no more */
    assert_int_equal(stage_stopped(&r.stage), 10 * S + 905 * MS);
    assert_int_equal(of(&r, 1)->totals.requests, 10);
    assert_int_equal(of(&r, 1)->counts.ops, 10);
    assert_int_equal(of(&r, 1)->counts.dropped, 0);
    window_is(&r, 0, 10 * S, 10 * S + 300 * MS);
    window_is(&r, 1, 10 * S, 10 * S + 905 * MS);
    rig_fini(&r);
}

static void completed_by_any_ends_with_the_first_client(void **state)
{
    (void)state;
    struct rig r = {0};
    struct work *fill = add(&r, 2, 100 * MS);
    fill->ops = 3;
    r.world.slow_client = 2;
    (void)add(&r, 1, 40 * MS);
    r.step.completed_by = STEP_BY_ANY + 1;
    run(&r);
    /* client 0 ends at 10.3; client 1's first is under way until 10.305 and is
     * answered; the other task did .0 .04 ... .28 */
    assert_int_equal(stage_stopped(&r.stage), 10 * S + 300 * MS);
    assert_int_equal(of(&r, 0)->totals.requests, 4);
    assert_int_equal(of(&r, 0)->totals.docs_unknown, 0);
    assert_int_equal(of(&r, 1)->totals.requests, 8);
    window_is(&r, 1, 10 * S, 10 * S + 300 * MS);
    rig_fini(&r);
}

static void fewer_slots_make_tasks_queue(void **state)
{
    (void)state;
    struct rig r = {0};
    add(&r, 1, 100 * MS)->ops = 3;
    add(&r, 1, 100 * MS)->ops = 5;
    add(&r, 1, 100 * MS)->ops = 2;
    r.step.slots = 2;
    run(&r);
    /* slots 0: first, then third; 1: second */
    window_is(&r, 0, 10 * S, 10 * S + 300 * MS);
    window_is(&r, 1, 10 * S, 10 * S + 500 * MS);
    window_is(&r, 2, 10 * S + 300 * MS, 10 * S + 500 * MS);
    assert_int_equal(of(&r, 2)->counts.ops, 2);
    assert_int_equal(world_conns(&r.world), 2);
    /* it waited, and that is nobody's latency */
    assert_int_equal(of(&r, 2)->latency.max, 100 * MS);
    rig_fini(&r);
}

static void queued_times_are_counted_from_the_own_start(void **state)
{
    (void)state;
    struct rig r = {0};
    for (int i = 0; i < 2; i++) {
        struct work *w = add(&r, 1, 100 * MS);
        w->warmup_ns = S;
        w->measure_ns = 2 * S;
    }
    r.step.slots = 1;
    run(&r);
    window_is(&r, 0, 11 * S, 13 * S);
    window_is(&r, 1, 14 * S, 16 * S);
    assert_int_equal(of(&r, 0)->counts.ops, 20);
    assert_int_equal(of(&r, 1)->counts.ops, 20);
    assert_int_equal(of(&r, 1)->totals.requests, 30);
    rig_fini(&r);
}

static void more_slots_than_clients_are_idle(void **state)
{
    (void)state;
    struct rig r = {0};
    add(&r, 2, 100 * MS)->ops = 2;
    r.step.slots = 5;
    run(&r);
    assert_int_equal(of(&r, 0)->totals.requests, 4);
    assert_int_equal(world_conns(&r.world), 2);
    rig_fini(&r);
}

static void a_start_at_gives_the_window_and_iterations_give_way(void **state)
{
    (void)state;
    struct rig r = {0};
    struct work *w = add(&r, 1, 100 * MS);
    w->ops = 5;
    w->warm_ops = 5;
    const struct stage_run start_at = {.t0_ns = 10 * S,
                                       .warmup_ns = S,
                                       .measure_ns = 2 * S,
                                       .drain_ns = 5 * S};
    run_for(&r, &start_at);
    window_is(&r, 0, 11 * S, 13 * S);
    assert_int_equal(of(&r, 0)->counts.ops, 20);
    rig_fini(&r);
}

static void what_a_window_leaves_under_way_is_awaited(void **state)
{
    (void)state;
    struct rig r = {0};
    struct work *w = add(&r, 2, 40 * S);
    r.world.slow_client = 2; /* takes 120 s, more than the timeout of 60 s */
    w->measure_ns = 2 * S;
    run(&r);
    window_is(&r, 0, 10 * S, 12 * S);
    assert_int_equal(of(&r, 0)->counts.ops, 1);
    assert_int_equal(of(&r, 0)->latency.max, 40 * S);
    assert_int_equal(of(&r, 0)->flow.ops, 0); /* it ended long after */
    assert_int_equal(of(&r, 0)->counts.given_up, 1);
    assert_string_equal(of(&r, 0)->error_text, "no answer within the timeout");
    /* from 10.005 on 60 s, as seen in the loop's next turn */
    assert_in_range(of(&r, 0)->last_done_ns, 70 * S + 5 * MS, 70 * S + 25 * MS);
    rig_fini(&r);
}

static void an_abort_gives_up_when_its_drain_ends(void **state)
{
    (void)state;
    struct rig r = {.abort_ns = 11 * S + 500 * MS};
    struct work *w = add(&r, 1, S);
    r.world.slow_client = 1; /* 3 s: 10 to 13; of the other 10 s to 40 s */
    r.world.service_ns[1] = 30 * S;
    w->measure_ns = 20 * S;
    add(&r, 1, 30 * S)->measure_ns = 20 * S;
    run(&r);
    assert_int_equal(of(&r, 0)->counts.ops, 1);
    assert_int_equal(of(&r, 0)->totals.requests, 1);
    assert_int_equal(of(&r, 1)->counts.given_up, 1);
    assert_string_equal(of(&r, 1)->error_text,
                        "no answer in time after a stop");
    /* 11.5 s and a drain of 5 s */
    assert_in_range(of(&r, 1)->last_done_ns, 16 * S + 500 * MS,
                    16 * S + 520 * MS);
    rig_fini(&r);
}

static void seconds_are_counted_from_the_first_step(void **state)
{
    (void)state;
    struct rig r = {0};
    struct work *w = add(&r, 1, 500 * MS);
    w->measure_ns = S;
    const struct stage_run later = {
        .t0_ns = 10 * S, .drain_ns = 5 * S, .origin_ns = 3 * S};
    run_for(&r, &later);
    recorder_end(worker_recorder(r.worker, 0));
    const struct recorder_second *b =
        recorder_full(worker_recorder(r.worker, 0));
    assert_int_equal(b->second, 7);
    assert_int_equal(b->counts.ops, 1);
    assert_int_equal(b->latency.total, 1);
    rig_fini(&r);
}

static void a_composite_is_as_long_as_its_streams_together(void **state)
{
    (void)state;
    static const uint32_t streams[] = {0, 2, 3, 4};
    struct rig r = {0};
    struct work *w = add(&r, 1, 100 * MS);
    body_free(w->bodies);
    *w = world_work(1, 4); /* streams of 2, 1 and 1 requests */
    w->streams = streams;
    w->n_streams = 3;
    w->conns = 3;
    w->ops = 3;
    run(&r);
    /* side by side 200 ms; 4 requests each */
    assert_int_equal(of(&r, 0)->counts.ops, 3);
    assert_int_equal(of(&r, 0)->totals.requests, 12);
    assert_int_equal(of(&r, 0)->service.min, 200 * MS);
    assert_int_equal(of(&r, 0)->service.max, 200 * MS);
    assert_int_equal(world_conns(&r.world), 3);
    window_is(&r, 0, 10 * S, 10 * S + 600 * MS);
    rig_fini(&r);
}

static void a_composite_of_few_connections_takes_streams_in_turn(void **state)
{
    (void)state;
    static const uint32_t streams[] = {0, 2, 3, 4};
    struct rig r = {0};
    struct work *w = add(&r, 1, 100 * MS);
    body_free(w->bodies);
    *w = world_work(1, 4);
    w->streams = streams;
    w->n_streams = 3;
    w->conns = 1;
    w->ops = 1;
    run(&r);
    assert_int_equal(of(&r, 0)->service.max, 400 * MS);
    assert_int_equal(of(&r, 0)->totals.requests, 4);
    rig_fini(&r);
}

static void a_composite_fails_with_its_worst_request(void **state)
{
    (void)state;
    static const uint32_t streams[] = {0, 2, 3};
    struct rig r = {0};
    struct work *w = add(&r, 1, 100 * MS);
    body_free(w->bodies);
    *w = world_work(1, 3);
    w->streams = streams;
    w->n_streams = 2;
    w->conns = 2;
    w->ops = 2;
    r.world.fail_request = 1; /* the first stream's first */
    run(&r);
    /* its second was not sent then: 2 requests, and 3 of the next one */
    assert_int_equal(of(&r, 0)->totals.requests, 5);
    assert_int_equal(of(&r, 0)->counts.errors, 1);
    assert_int_equal(of(&r, 0)->counts.ops, 1);
    assert_string_equal(of(&r, 0)->error_text, "answered 503: ");
    rig_fini(&r);
}

static void the_driver_knows_how_late_it_starts(void **state)
{
    (void)state;
    struct rig r = {0};
    struct work *w = add(&r, 1, 10 * MS);
    w->pacing = PACER_FIXED;
    w->rate_s = 10;
    w->measure_ns = 2 * S;
    r.world.sleep_over_ns = 3 * MS; /* each wait ends so much too late */
    run(&r);
    const struct self *self = worker_self(r.worker);
    assert_int_equal(self->late.max, 3 * MS);
    assert_true(self->lag_max_ns >= 3 * MS);
    /* but where a tick came just before */
    assert_in_range(of(&r, 0)->counts.late, 15, 20);
    rig_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_are_of_each_client),
        cmocka_unit_test(one_clients_iterations_are_all_measured),
        cmocka_unit_test(
            late_iterations_are_measured_from_where_they_were_meant),
        cmocka_unit_test(the_tail_after_the_first_finished_client_is_left_out),
        cmocka_unit_test(
            one_client_that_is_slower_is_measured_until_the_other_ends),
        cmocka_unit_test(clients_that_ramp_up_start_evenly_and_book_no_delay),
        cmocka_unit_test(completed_by_a_task_waits_for_all_its_clients),
        cmocka_unit_test(completed_by_any_ends_with_the_first_client),
        cmocka_unit_test(fewer_slots_make_tasks_queue),
        cmocka_unit_test(queued_times_are_counted_from_the_own_start),
        cmocka_unit_test(more_slots_than_clients_are_idle),
        cmocka_unit_test(a_start_at_gives_the_window_and_iterations_give_way),
        cmocka_unit_test(what_a_window_leaves_under_way_is_awaited),
        cmocka_unit_test(an_abort_gives_up_when_its_drain_ends),
        cmocka_unit_test(seconds_are_counted_from_the_first_step),
        cmocka_unit_test(a_composite_is_as_long_as_its_streams_together),
        cmocka_unit_test(a_composite_of_few_connections_takes_streams_in_turn),
        cmocka_unit_test(a_composite_fails_with_its_worst_request),
        cmocka_unit_test(the_driver_knows_how_late_it_starts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
