/* Figures that only others' files have: nothing here derives them. */
#include <math.h>

#include "results/metric.h"

static double foreign(const struct tally *tally, const struct tally_task *task,
                      int arg)
{
    (void)tally, (void)task, (void)arg;
    return NAN;
}

static const struct metric rows[] = {
    {"throughput_running_mean", "docs/s", METRIC_HIGHER, METRIC_RATIO,
     METRIC_TASKS, "import",
     "imported from Rally: the mean of its running average", foreign, 0},
    {"merge_throttle_time_ns", "ns", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL,
     "import", "imported from Rally: time that merges were throttled", foreign,
     0},
};

const struct metric_group metric_foreign = {rows, sizeof rows / sizeof *rows};
