#include "common/measure.h"

#include <assert.h>

const struct measure_percentile measure_percentiles[MEASURE_PERCENTILES] = {
    {0.50, "p50", 20},
    {0.90, "p90", 100},
    {0.99, "p99", 1000},
    {0.999, "p99.9", 10000},
    {0.9999, "p99.99", 100000}};

struct measure_window measure_window(uint64_t t0_ns, uint64_t warmup_ns,
                                     uint64_t measure_ns)
{
    return (struct measure_window){.t0_ns = t0_ns,
                                   .begin_ns = t0_ns + warmup_ns,
                                   .end_ns = t0_ns + warmup_ns + measure_ns};
}

int64_t measure_second(const struct measure_window *w, uint64_t t_ns)
{
    if (t_ns >= w->begin_ns)
        return (int64_t)((t_ns - w->begin_ns) / 1000000000u);
    return -1 - (int64_t)((w->begin_ns - t_ns - 1) / 1000000000u);
}

double measure_rate(uint64_t ops, uint64_t window_ns)
{
    return window_ns ? (double)ops * 1e9 / (double)window_ns : 0;
}

bool measure_value(const struct hist *h, size_t i, uint64_t *value)
{
    assert(i < MEASURE_PERCENTILES);
    if (h->total < measure_percentiles[i].samples_min)
        return false;
    *value = hist_percentile(h, measure_percentiles[i].p);
    return true;
}
