/* One trial by several agents: a target's and two loads' spools in one
 * transaction, their counts and histograms as if one process had made them. */
#include <stdio.h>

#include "common/clock.h"
#include "results/merge.h"
#include "tests/unit/results/lab.h"

struct trial {
    struct lab lab;
    struct spooler target, load[2];
    struct store_part parts[3];
    int64_t attempt;
};

static void begin(struct trial *t)
{
    struct why why = {0};
    uint32_t n = 0;
    *t = (struct trial){.attempt = 0};
    lab_open(&t->lab);
    lab_plan(&t->lab);
    spooler_target(&t->target);
    spooler_load(&t->load[0]);
    spooler_load(&t->load[1]);
    check_ok(store_attempt_add(t->lab.store, t->lab.experiment, 1, &t->attempt,
                               &n, &why),
             why);
    t->parts[0] = (struct store_part){.agent = "srv", .role = "target"};
    t->parts[1] = (struct store_part){.agent = "gen1", .role = "load"};
    t->parts[2] = (struct store_part){.agent = "gen2", .role = "load"};
}

static enum err end(struct trial *t, struct why *why)
{
    const struct spooler *spools[] = {&t->target, &t->load[0], &t->load[1]};
    for (size_t i = 0; i < 3; i++) {
        t->parts[i].spool = spools[i]->spool.data;
        t->parts[i].spool_len = spools[i]->spool.len;
    }
    const struct store_result result = {
        .outcome = OUTCOME_OK, .parts = t->parts, .n_parts = 3};
    return store_attempt_end(t->lab.store, t->attempt, &result, why);
}

static void fini(struct trial *t)
{
    spooler_free(&t->target);
    spooler_free(&t->load[0]);
    spooler_free(&t->load[1]);
    lab_fini(&t->lab);
}

static void is(const struct trial *t, const char *sql, int64_t want)
{
    int64_t got = lab_int(&t->lab, sql);
    if (got != want)
        fail_msg("%s: %lld, not %lld", sql, (long long)got, (long long)want);
}

static void counts_of_two_loads_are_added(void **state)
{
    (void)state;
    struct trial t;
    struct why why = {0};
    begin(&t);
    check_ok(end(&t, &why), why);
    /* Each: 2000 documents in 2 s, 2500 in total, 20 of 21 requests. */
    is(&t, "select docs from task", 4000);
    is(&t, "select clients from task", 4);
    is(&t, "select window_ns from task", 2000000000);
    is(&t, "select docs_acked from driver", 5000);
    is(&t, "select loop_lag_max_ns from driver", 900000);
    is(&t, "select cpu_user_ns from driver", 60000000);
    is(&t, "select count(*) from driver_host where docs_acked = 2500", 2);
    is(&t, "select count(distinct side) from driver_host", 2);
    is(&t, "select docs from sample_load where second = 1", 2200);
    is(&t, "select count(*) from sample_load", 4);
    check_near(lab_real(&t.lab, "select throughput from v_trial"), 2000, 0);
    check_near(lab_real(&t.lab, "select throughput_min from v_trial"), 1600, 0);
    /* The target of this spool counted one load's: that is noticed. */
    is(&t,
       "select evidence like 'acknowledged to the driver 5000, counted by "
       "the target 2500%' from invalid",
       1);
    fini(&t);
}

/* Two agents may break the same rule: one row, with what each has said. */
static void two_unreadable_documents_are_one_broken_rule(void **state)
{
    (void)state;
    struct trial t;
    struct why why = {0};
    begin(&t);
    spooler_text(&t.load[0], SPOOL_CLOSING, "{");
    spooler_text(&t.load[1], SPOOL_CLOSING, "[]");
    check_ok(end(&t, &why), why);
    is(&t, "select count(*) from invalid where rule = 'end unreadable'", 1);
    is(&t,
       "select evidence like 'gen1: %; gen2: %' from invalid where rule = "
       "'end unreadable'",
       1);
    fini(&t);
}

/* A third task, whose documents run out at 1 s here and at 2 s there: 1000/s
 * and 500/s are 1500/s, that is 2000 documents in 4/3 s. */
static void windows_that_differ_add_up_by_their_rates(void **state)
{
    (void)state;
    struct trial t;
    struct why why = {0};
    begin(&t);
    for (unsigned i = 0; i < 2; i++) {
        const struct record_task task = {.task = "fill",
                                         .operation = "bulk",
                                         .unit = "docs",
                                         .step = 1,
                                         .ops = 10,
                                         .docs = 1000,
                                         .window_ns = (i + 1) * NS_PER_S};
        spooler_record(&t.load[i], SPOOL_LOAD, RECORD_IS_task, &task);
    }
    check_ok(end(&t, &why), why);
    is(&t, "select docs from task where task = 'fill'", 2000);
    is(&t, "select window_ns from task where task = 'fill'", 1333333333);
    check_near(lab_real(&t.lab, "select value from metric where name = "
                                "'throughput' and task = 'fill'"),
               1500, 1);
    is(&t, "select window_ns from task where task = 'index'", 2000000000);
    fini(&t);
}

static void histograms_of_two_loads_are_merged_exactly(void **state)
{
    (void)state;
    struct trial t;
    struct why why = {0};
    begin(&t);
    /* 1 ms beside 1 to 21 us: the 43rd value of all. */
    const uint64_t slow = 1000000;
    spooler_hist(&t.load[1], "other", "latency", RECORD_WHOLE_WINDOW, &slow, 1);
    check_ok(end(&t, &why), why);
    is(&t,
       "select count(*) from histogram where task = 'index' and kind = "
       "'latency'",
       3); /* the window and two seconds */
    /* 42 values: the 21st is 11000 again, as twice the same are; the mean too
     */
    check_near(lab_real(&t.lab, "select value from metric where name = "
                                "'latency_p50' and task = 'index'"),
               11007, 0);
    check_near(lab_real(&t.lab, "select value from metric where name = "
                                "'latency_mean' and task = 'index'"),
               11000, 0);
    is(&t, "select count(*) from histogram where task = 'other'", 1);
    fini(&t);
}

/* A driver at its limit, of agents under one kernel or two. */
static void agents_of_one_machine_share_a_host(void **state)
{
    (void)state;
    static const struct record_driver busy = {
        .engine = "raw", .window_ns = 2000000000, .cpu_max_ns = 2000000000};
    for (int shared = 0; shared < 2; shared++) {
        struct trial t;
        struct why why = {0};
        begin(&t);
        check_ok(store_facts_add(t.lab.store, t.lab.experiment, "srv",
                                 "boot_id=a\n", &why),
                 why);
        check_ok(store_facts_add(t.lab.store, t.lab.experiment, "gen2",
                                 shared ? "boot_id=a\n" : "boot_id=b\n", &why),
                 why);
        spooler_free(&t.load[0]);
        spooler_free(&t.load[1]);
        spooler_record(&t.load[1], SPOOL_LOAD, RECORD_IS_driver, &busy);
        check_ok(end(&t, &why), why);
        is(&t, "select bound = 'driver' from v_trial", 1);
        is(&t, "select bound_shared from v_trial", shared);
        fini(&t);
    }
}

static void machines_keep_their_names(void **state)
{
    (void)state;
    struct trial t;
    struct why why = {0};
    begin(&t);
    spooler_text(&t.load[0], SPOOL_STDERR_LOAD, "first\n");
    spooler_text(&t.load[1], SPOOL_STDERR_LOAD, "second\n");
    spooler_text(&t.load[1], SPOOL_EXECUTOR, "{\"version\":1}");
    t.parts[1].started = t.parts[2].started = true;
    t.parts[1].t0_ns = 5000;
    t.parts[2].t0_ns = 9000;
    t.parts[2].offset_ns = 4000;
    t.parts[2].uncertain_ns = 70000;
    check_ok(end(&t, &why), why);
    is(&t, "select count(*) from sample_cpu where side = 'load'", 4);
    is(&t, "select count(*) from sample_cpu where side = 'load2'", 4);
    is(&t, "select count(*) from sample_cpu where side = 'target'", 4);
    is(&t, "select count(*) from attempt_agent", 3);
    is(&t,
       "select side = 'load2' and clock_offset_ns = 4000 and "
       "clock_uncertain_ns = 70000 and t0_ns = 9000 and role = 'load' from "
       "attempt_agent where agent = 'gen2'",
       1);
    is(&t, "select t0_ns is null from attempt_agent where agent = 'srv'", 1);
    is(&t,
       "select count(*) from artifact where name in ('stderr-load.txt', "
       "'stderr-load2.txt', 'executor-load2.json', 'executor.json', "
       "'target-final.json')",
       5);
    /* Of the target's own machine: 1 of user and system, 0.4 of it the
     * target's. */
    check_near(lab_real(&t.lab, "select foreign_cpu from v_trial"), 0.6, 1e-9);
    uint64_t rows = 0;
    check_ok(store_verify(t.lab.store, &rows, &why), why);
    fini(&t);
}

/* 0.5 % of the planned window, which is 1 s in this lab. */
static void an_uncertain_start_is_invalid(void **state)
{
    (void)state;
    for (uint64_t more = 0; more < 2; more++) {
        struct trial t;
        struct why why = {0};
        begin(&t);
        t.parts[1].started = t.parts[2].started = true;
        int64_t planned = lab_int(&t.lab, "select measure_ns from experiment");
        t.parts[2].uncertain_ns = (uint64_t)planned / 200 + more;
        check_ok(end(&t, &why), why);
        is(&t,
           "select count(*) from invalid where rule = 'start uncertain' "
           "and evidence like 'agent gen2 began%'",
           (int64_t)more);
        fini(&t);
    }
}

static void a_load_that_was_cut_off_is_invalid_by_its_name(void **state)
{
    (void)state;
    struct trial t;
    struct why why = {0};
    struct record_driver driver = {.engine = "raw", .docs_unknown = 1000};
    begin(&t);
    spooler_free(&t.load[1]);
    spooler_record(&t.load[1], SPOOL_LOAD, RECORD_IS_driver, &driver);
    check_ok(end(&t, &why), why);
    is(&t,
       "select evidence like 'agent gen2: 1000 documents were sent and never "
       "answered%' from invalid where rule = 'load cut off'",
       1);
    fini(&t);
}

static void a_damaged_spool_names_its_agent(void **state)
{
    (void)state;
    struct trial t;
    struct why why = {0};
    begin(&t);
    t.load[1].spool.data[20] ^= 1;
    check_err(end(&t, &why), ERR_CORRUPT);
    check_says(why, "agent gen2");
    is(&t, "select count(*) from task", 0);
    fini(&t);
}

static void a_host_is_heard_once_on_each_key(void **state)
{
    (void)state;
    struct trial t;
    struct why why = {0};
    begin(&t);
    spooler_load(&t.load[1]);
    spooler_load(&t.target); /* which has no load */
    check_ok(end(&t, &why), why);
    is(&t, "select docs_acked from driver", 5000);
    is(&t, "select docs from task", 4000);
    is(&t, "select docs from sample_load where second = 0", 1600);
    is(&t, "select records_damaged > 8 from attempt", 1);
    is(&t, "select count(*) from invalid where rule = 'records damaged'", 1);
    fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_two_loads_are_added),
        cmocka_unit_test(two_unreadable_documents_are_one_broken_rule),
        cmocka_unit_test(windows_that_differ_add_up_by_their_rates),
        cmocka_unit_test(histograms_of_two_loads_are_merged_exactly),
        cmocka_unit_test(agents_of_one_machine_share_a_host),
        cmocka_unit_test(machines_keep_their_names),
        cmocka_unit_test(an_uncertain_start_is_invalid),
        cmocka_unit_test(a_load_that_was_cut_off_is_invalid_by_its_name),
        cmocka_unit_test(a_damaged_spool_names_its_agent),
        cmocka_unit_test(a_host_is_heard_once_on_each_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
