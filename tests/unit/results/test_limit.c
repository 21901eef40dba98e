#include <math.h>
#include <stdio.h>

#include "results/limit.h"
#include "results/metric.h"
#include "tests/unit/results/lab.h"

#define S 1000000000ull

static struct why why;
static char told[512];

/* A window of 10 s of a target that tells nothing. */
static struct tally *fresh(void)
{
    struct tally *t = NULL;
    check_ok(tally_new(&t, &why), why);
    t->window_ns = 10 * S;
    t->whole_s = 10;
    return t;
}

/* The same of one that tells, and did nothing worth telling. */
static struct tally *telling(void)
{
    struct tally *t = fresh();
    struct final *f = &t->final;
    f->known = true;
    f->window_t0_ns = 0;
    f->window_t1_ns = 10 * S;
    f->window_requests = 1000;
    f->window_queue_full = 0;
    f->window_wait_ns = 0;
    f->window_bulk_ns = 4 * S;
    f->window_disk_ns = 0;
    f->heap_young_pause_ns = f->heap_old_pause_ns = 0;
    return t;
}

static bool holds(struct tally *t, enum limit rule)
{
    struct limits l;
    limit_look(t, &l);
    (void)limit_tell(&l, rule, told, sizeof told);
    tally_free(t);
    return l.holds[rule];
}

static void sample(struct tally *t, const struct record *r)
{
    check_ok(tally_sample(t, r, &why), why);
}

static void proc(struct tally *t, int64_t second, const char *name,
                 const char *top, uint64_t top_ns, uint64_t top_wait_ns)
{
    struct record r = {.kind = RECORD_IS_sample_proc,
                       .as.sample_proc = {.second = second,
                                          .side = "target",
                                          .user_ns = top_ns,
                                          .top_ns = top_ns,
                                          .top_wait_ns = top_wait_ns}};
    (void)snprintf(r.as.sample_proc.name, sizeof r.as.sample_proc.name, "%s",
                   name);
    (void)snprintf(r.as.sample_proc.top, sizeof r.as.sample_proc.top, "%s",
                   top);
    sample(t, &r);
}

static void cpu(struct tally *t, uint64_t busy_ns, uint64_t idle_ns)
{
    struct record r = {.kind = RECORD_IS_sample_cpu,
                       .as.sample_cpu = {.side = "target",
                                         .user_ns = busy_ns,
                                         .idle_ns = idle_ns}};
    sample(t, &r);
}

static void nothing_holds_of_what_is_not_known(void **state)
{
    (void)state;
    for (unsigned i = 0; i < LIMITS; i++) {
        assert_false(holds(fresh(), (enum limit)i));
        assert_string_equal(told, "");
    }
    for (unsigned i = 0; i < LIMITS; i++)
        assert_false(holds(telling(), (enum limit)i));
}

static void refused_requests_are_counted_of_all_answers(void **state)
{
    (void)state;
    struct tally *t = telling();
    t->final.window_queue_full = 9;
    assert_false(holds(t, LIMIT_REFUSED));
    t = telling();
    t->final.window_queue_full = 10; /* of 1000 */
    assert_true(holds(t, LIMIT_REFUSED));
    assert_string_equal(told, "its full queue refusing requests with 429: 1 % "
                              "(limit 1 %)");
    t = fresh(); /* a stranger, polled */
    t->polls = 10;
    t->polled.requests = 200;
    t->polled.rejected = 20;
    assert_true(holds(t, LIMIT_REFUSED));
    t = fresh(); /* one that does not count its answers: the load had 1000 */
    t->polls = 10;
    t->untold.requests = 1;
    t->all.ops = 980;
    t->all.errors = 20;
    t->polled.rejected = 20;
    assert_true(holds(t, LIMIT_REFUSED));
    assert_string_equal(told, "its full queue refusing requests with 429: 2 % "
                              "(limit 1 %)");
}

static void collections_stop_the_target(void **state)
{
    (void)state;
    struct tally *t = telling();
    t->final.heap_young_pause_ns = 1.0 * S;
    t->final.heap_old_pause_ns = 0.99 * S; /* 1.99 of 10 s */
    assert_false(holds(t, LIMIT_GC));
    t = telling();
    t->final.heap_young_pause_ns = 1.0 * S;
    t->final.heap_old_pause_ns = 1.0 * S;
    assert_true(holds(t, LIMIT_GC));
    assert_string_equal(told,
                        "stopped by its collections for 20 % (limit 20 %)");
    t = fresh();
    t->polls = 4; /* of 4 seconds that were asked for, 1 */
    t->polled.young_ns = S;
    assert_true(holds(t, LIMIT_GC));
    assert_string_equal(told,
                        "stopped by its collections for 25 % (limit 20 %)");
}

/* In each second the busiest of all processes but the watch. */
static void one_thread_can_be_the_limit(void **state)
{
    (void)state;
    struct tally *t = telling();
    for (int64_t second = -1; second < 11; second++) {
        proc(t, second, "watch", "pitwall-watch", 9 * S / 10, 0);
        proc(t, second, "target", "bulk-0", 6 * S / 10, 31 * S / 100);
        proc(t, second, "helper.7", "helper", 2 * S / 10, 7 * S / 10);
    }
    assert_true(holds(t, LIMIT_CPU));
    assert_string_equal(told, "its thread bulk-0 on a CPU for 60 % of the "
                              "window and waiting for one for 31 % (limit 90 % "
                              "together)");
    t = telling();
    for (int64_t second = 0; second < 10; second++)
        proc(t, second, "target", "bulk-0", 6 * S / 10, 29 * S / 100);
    assert_false(holds(t, LIMIT_CPU));
    t = telling(); /* a sample after a gap holds the gap: 4 s of 10 s */
    proc(t, 0, "target", "loop", S / 2, 0);
    proc(t, 9, "target", "loop", 7 * S / 2, 0);
    assert_false(holds(t, LIMIT_CPU));
    assert_string_equal(told, "its thread loop on a CPU for 40 % of the window "
                              "and waiting for one for 0 % (limit 90 % "
                              "together)");
}

static void a_nap_that_waits_to_wake_is_no_demand(void **state)
{
    (void)state;
    struct tally *t = telling();
    for (int64_t second = 0; second < 10; second++)
        proc(t, second, "target", "hiccup", 4 * S / 100, 95 * S / 100);
    assert_false(holds(t, LIMIT_CPU));
    t = telling();
    for (int64_t second = 0; second < 10; second++)
        proc(t, second, "target", "bulk-0", 5 * S / 100, 95 * S / 100);
    assert_true(holds(t, LIMIT_CPU));
}

static void a_window_below_a_second_is_its_only_sample(void **state)
{
    (void)state;
    struct tally *t = telling();
    t->window_ns = S / 2;
    t->whole_s = 1;
    proc(t, 0, "target", "bulk-0", 46 * S / 100, 0); /* of 0.5 s: 92 % */
    assert_true(holds(t, LIMIT_CPU));
}

/* Two CPUs for 10 s; no thread alone is at its limit. */
static void all_cpus_can_be_the_limit(void **state)
{
    (void)state;
    for (int own = 0; own < 2; own++) {
        struct tally *t = telling();
        for (int64_t second = 0; second < 10; second++) {
            proc(t, second, "target", "pool", S / 2, 0);
            proc(t, second, "other", "pool", own ? S / 2 : S / 4, 0);
        }
        cpu(t, 18 * S, 2 * S); /* of 18 s: 10 or 7.5 */
        assert_true(holds(t, LIMIT_CPU) == own);
    }
    assert_string_equal(told, "its machine's CPUs idle for 10 % of the window "
                              "(limit 10 %), 56 % of what they did its own");
}

/* Half a CPU for 10 s is 5 s; no thread alone is at its limit, and the watch
 * is in another group. */
static void a_control_group_can_be_the_limit(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct tally *t = telling();
        t->effective.target_cpus_milli = i == 1 ? 0 : 500;
        t->closing.limited_ns = i == 2 ? 0 : 7 * S / 2;
        for (int64_t second = 0; second < 10; second++) {
            proc(t, second, "target", "pool", S / 4, 0);
            proc(t, second, "helper.7", "helper", i == 3 ? 19 * S / 100 : S / 5,
                 0); /* 4.5 s; 4.4 s */
            proc(t, second, "watch", "pitwall-watch", S / 5, 0);
        }
        assert_true(holds(t, LIMIT_CPU) == (i == 0));
        if (!i)
            assert_string_equal(
                told, "its control group at 90 % of its limit of 0.5 CPUs "
                      "(limit 90 %), held back by it for 3.50 s of the trial");
    }
}

static void the_index_can_wait_for_its_files(void **state)
{
    (void)state;
    struct tally *t = telling();
    t->final.window_disk_ns = 4.99 * S;
    assert_false(holds(t, LIMIT_DISK));
    t = telling();
    t->final.window_disk_ns = 5.0 * S;
    assert_true(holds(t, LIMIT_DISK));
    assert_string_equal(told, "its index waiting for its files for 50 % of the "
                              "window (limit 50 %)");
}

static void disk(struct tally *t, const char *device, uint64_t busy_ns)
{
    struct record r = {
        .kind = RECORD_IS_sample_disk,
        .as.sample_disk = {.side = "target", .busy_ns = busy_ns}};
    (void)snprintf(r.as.sample_disk.device, sizeof r.as.sample_disk.device,
                   "%s", device);
    sample(t, &r);
}

static void pressure(struct tally *t, uint64_t io_some_ns)
{
    for (int64_t second = 0; second < 10; second++)
        sample(t, &(struct record){
                      .kind = RECORD_IS_sample_pressure,
                      .as.sample_pressure = {.second = second,
                                             .side = "target",
                                             .io_some_ns = io_some_ns}});
}

/* What others do to a disk is not for a target that tells of its own. */
static void the_disk_of_a_target_that_tells_nothing_is_looked_at(void **state)
{
    (void)state;
    for (int told_itself = 0; told_itself < 2; told_itself++) {
        struct tally *t = told_itself ? telling() : fresh();
        disk(t, "vda", 5 * S);
        disk(t, "vdb", 9 * S);
        disk(t, "vda", 3 * S); /* 8 in all */
        pressure(t, S / 2);
        assert_true(holds(t, LIMIT_DISK) == !told_itself);
        if (!told_itself)
            assert_string_equal(told, "a disk busy for 90 % of the window "
                                      "(limit 90 %) and waited for during 50 % "
                                      "(limit 50 %)");
    }
    struct tally *t = fresh();
    disk(t, "vdb", 9 * S);
    pressure(t, S / 3);
    assert_false(holds(t, LIMIT_DISK));
}

static void requests_can_wait_for_threads(void **state)
{
    (void)state;
    struct tally *t = telling();
    t->final.window_wait_ns = 9.9 * S; /* 0.99 at a time */
    assert_false(holds(t, LIMIT_WAITING));
    t = telling();
    t->final.window_wait_ns = 10.0 * S;
    t->final.window_bulk_ns = 10.1 * S;
    assert_false(holds(t, LIMIT_WAITING));
    t = telling();
    t->final.window_wait_ns = 20.0 * S;
    t->final.window_bulk_ns = 5.0 * S;
    assert_true(holds(t, LIMIT_WAITING));
    assert_string_equal(told, "2.0 requests waiting for its threads on average "
                              "(limit 1), 80 % of the time that they spent in "
                              "it (limit 50 %)");
    t = fresh();
    t->polls = 4;
    t->polled.queued = 6;
    assert_true(holds(t, LIMIT_WAITING));
    assert_string_equal(told, "1.5 requests waiting for its threads on average "
                              "(limit 1)");
}

/* 4 connections for 10 s. */
static struct tally *limited(uint64_t rwnd_limited_ns, uint64_t rcvq_bytes,
                             uint64_t top_ns)
{
    struct tally *t = telling();
    for (int64_t second = 0; second < 10; second++) {
        sample(t, &(struct record){
                      .kind = RECORD_IS_sample_tcp,
                      .as.sample_tcp = {.second = second,
                                        .side = "load",
                                        .sockets = 4,
                                        .rwnd_limited_ns = rwnd_limited_ns}});
        sample(t, &(struct record){
                      .kind = RECORD_IS_sample_tcp,
                      .as.sample_tcp = {.second = second,
                                        .side = "target",
                                        .sockets = 4,
                                        .rcvbuf_min = 10000,
                                        .rcvbuf_max = 10000,
                                        .rcvq_mean_bytes = rcvq_bytes}});
        proc(t, second, "target", "loop", top_ns, 0);
    }
    return t;
}

static void an_idle_targets_window_can_be_the_limit(void **state)
{
    (void)state;
    assert_true(holds(limited(2 * S, 10000, S / 2), LIMIT_RWND));
    assert_string_equal(told,
                        "the receive window holding connections back for "
                        "50 % of their time (limit 50 %) with its receive "
                        "buffers filled to 25 % (empty: 25 %)");
    assert_false(holds(limited(2 * S - 40000000, 10000, S / 2), LIMIT_RWND));
    assert_false(holds(limited(2 * S, 10400, S / 2), LIMIT_RWND)); /* unread */
    assert_false(holds(limited(2 * S, 10000, S / 2 + 10000000), LIMIT_RWND));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_holds_of_what_is_not_known),
        cmocka_unit_test(refused_requests_are_counted_of_all_answers),
        cmocka_unit_test(collections_stop_the_target),
        cmocka_unit_test(one_thread_can_be_the_limit),
        cmocka_unit_test(a_nap_that_waits_to_wake_is_no_demand),
        cmocka_unit_test(a_window_below_a_second_is_its_only_sample),
        cmocka_unit_test(all_cpus_can_be_the_limit),
        cmocka_unit_test(a_control_group_can_be_the_limit),
        cmocka_unit_test(the_index_can_wait_for_its_files),
        cmocka_unit_test(the_disk_of_a_target_that_tells_nothing_is_looked_at),
        cmocka_unit_test(requests_can_wait_for_threads),
        cmocka_unit_test(an_idle_targets_window_can_be_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
