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
    {"foreign_cpu", 0.3}, /* 1.1 busy - 2 x 0.4 of ours */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_metric_of_a_trial_has_its_literal_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
