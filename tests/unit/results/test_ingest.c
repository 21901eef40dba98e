#include <math.h>
#include <stdio.h>

#include "tests/unit/results/lab.h"

/* Every expected number follows from the trial of spooler.c. */
static const struct {
    const char *name;
    double value;
} want[] = {
    {"throughput", 1000},       /* 2000 docs / 2 s */
    {"throughput_min", 800},    /* seconds 0 and 1: 800, 1100 */
    {"throughput_median", 950}, /* (800 + 1100) / 2 */
    {"throughput_max", 1100},
    {"ops_s", 10},           /* 20 / 2 s */
    {"body_mb_s", 0.3},      /* 600,000 bytes / 2 s / 10^6 */
    {"latency_p50", 11007},  /* 11th of 21 = ceil(10.5): 11000; from 8192 on
                                buckets are 8 wide: 11000..11007 */
    {"latency_mean", 11000}, /* 1000 * (1 + ... + 21) / 21 */
    {"latency_max", 21000},
    {"service_p50", 10007}, /* 10th of 20, likewise */
    {"error_rate", 1.0 / 21},
    {"docs_failed", 100},
    {"late", 3},
    {"dropped", 0},
    {"docs_acked", 2500},
    {"docs_refused", 100},
    {"docs_unknown", 0},
    {"connects", 2},
    {"driver_lag_max_ns", 900000},
    {"driver_cpu_per_request", 2000000}, /* 42 ms / 21 */
    {"docs_counted", 2500},
    {"bytes_per_read", 16000}, /* 640,000 / 40 */
    {"reads", 40},
    {"reads_full_share", 0.25},       /* 10 of 40 had 64k */
    {"waste", 4},                     /* 2,560,000 / 640,000 */
    {"target_cpu_per_mb", 150000000}, /* 96 ms / 0.64 */
    {"outside_bytes_per_byte", 0.5},  /* 320,000 / 640,000 */
    {"outside_count", 5},
    {"outside_bytes_s", 160000}, /* 320,000 / 2 s */
    {"outside_avg_bytes", 64000},
    {"outside_max_bytes", 65552},
    {"tlab_bytes_per_byte", 3.75}, /* 2,400,000 / 640,000 */
    {"tlab_avg_bytes", 300000},
    {"young_count", 6},
    {"young_pause_ns", 12000000},
    {"young_pause_per_mb", 18750000}, /* 12 ms / 0.64 */
    {"old_count", 0},
    {"heap_used_max_bytes", 90000000},
    {"link_rx_bit_s", 4000000}, /* 500,000 * 8 per second */
    {"link_tx_bit_s", 160000},
    {"link_rx_share", 0.02}, /* of 200 Mbit/s */
    {"retransmits", 4},      /* 2 + 2, the load's side */
    {"rcvq_pruned", 6},      /* 3 + 3, the target's side */
    {"rcvbuf_min", 131072},
    {"rcvbuf_max", 262144},
    {"outside_min_bytes", 60000},
    {"tlab_count", 8},
    {"tlab_bytes", 2400000},
    {"outside_bytes", 320000},
    {"tlab_bytes_s", 1200000}, /* 2,400,000 / 2 s */
    {"tlab_min_bytes", 200000},
    {"tlab_max_bytes", 400000},
    {"old_pause_ns", 0},
    {"old_pause_per_mb", 0},
    {"pause_max_ns", 4000000},
    {"service_mean", 10500}, /* 1000 * (1 + ... + 20) / 20 */
    {"service_max", 20000},
    {"retried", 0},
    {"connects_lost", 0},
    {"driver_blocked_ns", 0},
    {"records_blocked", 0},
    {"foreign_cpu", 0.2}, /* 1 user and system - 2 x 0.4 of ours */
    {"steal_cpu", 0.02},
};

static void every_metric_of_a_trial_has_its_literal_value(void **state)
{
    (void)state;
    struct lab lab;
    struct spooler spool = {0};
    lab_open(&lab);
    lab_plan(&lab);
    spooler_trial(&spool);
    (void)lab_end(&lab, 1, OUTCOME_OK, &spool);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        char sql[200];
        (void)snprintf(sql, sizeof sql,
                       "select value from metric where name = '%s' and "
                       "task = ''",
                       want[i].name);
        double got = lab_real(&lab, sql);
        if (fabs(got - want[i].value) > want[i].value * 1e-12)
            fail_msg("%s is %.17g, not %.17g", want[i].name, got,
                     want[i].value);
    }
    spooler_free(&spool);
    lab_fini(&lab);
}

/* One stored trial made by `make`. */
static void stored(struct lab *lab, void (*make)(struct spooler *))
{
    struct spooler spool = {0};
    lab_open(lab);
    lab_plan(lab);
    make(&spool);
    (void)lab_end(lab, 1, OUTCOME_OK, &spool);
    spooler_free(&spool);
}

static void everything_of_a_spool_has_its_rows(void **state)
{
    (void)state;
    static const struct {
        const char *table;
        int64_t rows;
    } expected[] = {
        {"sample_load", 4}, /* seconds -1 to 2 */
        {"sample_link", 8}, /* of two sides */
        {"sample_tcp", 8},  {"sample_cpu", 8},    {"sample_proc", 8},
        {"sample_disk", 0}, {"sample_target", 4}, {"task", 1},
        {"driver", 1},      {"fact", 7}, /* 5 and a task's tags and meta */
        {"histogram", 6},                /* 4 of the driver, 2 of the target */
        {"artifact", 3},                 /* last word, settings, stderr */
        {"invalid", 0}};
    struct lab lab;
    char sql[100];
    stored(&lab, spooler_trial);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        (void)snprintf(sql, sizeof sql, "select count(*) from %s",
                       expected[i].table);
        if (lab_int(&lab, sql) != expected[i].rows)
            fail_msg("%s has not %lld rows", expected[i].table,
                     (long long)expected[i].rows);
    }
    assert_int_equal(
        lab_int(&lab, "select count(*) from histogram where kind = 'latency' "
                      "and second is null and task = 'index'"),
        1);
    assert_int_equal(
        lab_int(&lab, "select count(*) from histogram where kind = "
                      "'reads_per_loop' and second is null and task = ''"),
        1);
    assert_int_equal(
        lab_int(&lab, "select count(*) from fact where (side, name, value) in "
                      "(('target', 'interface.rings', 'not supported'), "
                      "('load', 'interface.mtu', '1500'))"),
        2);
    assert_int_equal(
        lab_int(&lab, "select count(*) from artifact where name = "
                      "'stderr-target.txt' and bytes = 10 and cast(content as "
                      "text) = 'listening' || char(10)"),
        1);
    assert_int_equal(
        lab_int(&lab, "select count(*) from attempt where records_unknown = 0 "
                      "and records_damaged = 0 and state = 'stored' and "
                      "not partial and spool_bytes > 5000"),
        1);
    lab_fini(&lab);
}

static void figures_of_tasks_stand_beside_the_trials(void **state)
{
    (void)state;
    struct lab lab;
    stored(&lab, spooler_trial);
    check_near(lab_real(&lab, "select value from metric where name = "
                              "'throughput' and task = 'index'"),
               1000, 0);
    assert_int_equal(lab_int(&lab, "select count(*) from metric where name = "
                                   "'docs_acked'"),
                     1);
    /* 21 requests bear no p90. */
    assert_int_equal(lab_int(&lab, "select count(*) from metric where name in "
                                   "('latency_p90', 'offered_s')"),
                     0);
    lab_fini(&lab);
}

static void with_a_wrong_last_word(struct spooler *spool)
{
    static const struct record_sample_target polled = {
        .second = 0, .reads = 4, .read_bytes = 1000};
    spooler_text(spool, SPOOL_TARGET_FINAL, "{\"total\":{\"docs\":-5}}");
    spooler_text(spool, SPOOL_EXECUTOR, "{");
    spooler_record(spool, SPOOL_WATCH_TARGET, RECORD_IS_sample_target, &polled);
}

static void an_unreadable_document_is_the_trials_fault(void **state)
{
    (void)state;
    struct lab lab;
    stored(&lab, with_a_wrong_last_word);
    assert_int_equal(
        lab_int(&lab, "select count(*) from invalid where rule = 'target''s "
                      "last word unreadable' and evidence like "
                      "'%total.docs: not a whole number%'"),
        1);
    assert_int_equal(lab_int(&lab, "select count(*) from invalid where rule = "
                                   "'settings unreadable'"),
                     1);
    /* What was polled over HTTP still counts. */
    check_near(lab_real(&lab, "select bytes_per_read from v_trial"), 250, 0);
    assert_int_equal(lab_int(&lab, "select count(*) from artifact"), 2);
    lab_fini(&lab);
}

static void with_damaged_records(struct spooler *spool)
{
    static const uint64_t value = 1000;
    static const struct record_sample_disk huge = {
        .side = "load", .device = "sda", .busy_ns = UINT64_MAX};
    static const struct record_hist broken = {
        .task = "index",
        .kind = "latency",
        .second = 0,
        .blob = {(const uint8_t *)"\1\2\3", 3}};
    spooler_docs(spool, 100, 100);
    spooler_docs(spool, 100, 100); /* a second task and driver of that name */
    spooler_record(spool, SPOOL_WATCH_LOAD, RECORD_IS_sample_disk, &huge);
    spooler_record(spool, SPOOL_LOAD, RECORD_IS_hist, &broken);
    spooler_hist(spool, "index", "service", 0, &value, 1);
    spooler_hist(spool, "index", "service", 0, &value, 1);
    spooler_bytes(spool, SPOOL_WATCH_TARGET, "\5\0\0\0abc", 7);
    spooler_bytes(spool, SPOOL_LOAD, "\7\0\0\0\x81\xa1k\xa3new", 11);
}

static void damaged_records_are_counted_and_the_rest_is_kept(void **state)
{
    (void)state;
    struct lab lab;
    stored(&lab, with_damaged_records);
    /* task, driver, disk, two histograms, the cut stream */
    assert_int_equal(lab_int(&lab, "select records_damaged from attempt"), 6);
    assert_int_equal(lab_int(&lab, "select records_unknown from attempt"), 1);
    check_near(lab_real(&lab, "select throughput from v_trial"), 100, 0);
    assert_int_equal(lab_int(&lab, "select count(*) from invalid where rule = "
                                   "'records damaged' and evidence like '6 "
                                   "records could not be read, the first: %'"),
                     1);
    assert_int_equal(lab_int(&lab, "select count(*) from histogram"), 1);
    lab_fini(&lab);
}

static void with_an_early_end(struct spooler *spool)
{
    spooler_docs(spool, 100, 100);
    spool->spool.len = 0; /* all but the last word that follows */
    spool->seq = 0;
    spooler_text(spool, SPOOL_TARGET_FINAL,
                 "{\"outcome\":\"oom\",\"partial\":true,\"total\":"
                 "{\"docs\":40}}");
}

static void a_partial_last_word_marks_the_attempt(void **state)
{
    (void)state;
    struct lab lab;
    stored(&lab, with_an_early_end);
    assert_int_equal(lab_int(&lab, "select partial from v_trial"), 1);
    check_near(lab_real(&lab, "select docs_counted from v_trial"), 40, 0);
    lab_fini(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_metric_of_a_trial_has_its_literal_value),
        cmocka_unit_test(everything_of_a_spool_has_its_rows),
        cmocka_unit_test(figures_of_tasks_stand_beside_the_trials),
        cmocka_unit_test(an_unreadable_document_is_the_trials_fault),
        cmocka_unit_test(damaged_records_are_counted_and_the_rest_is_kept),
        cmocka_unit_test(a_partial_last_word_marks_the_attempt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
