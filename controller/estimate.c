#include "controller/estimate.h"

void estimate_init(struct estimate *e, uint64_t warmup_ns, uint64_t measure_ns)
{
    *e = (struct estimate){.guess_ns =
                               warmup_ns + measure_ns + ESTIMATE_OVERHEAD_NS};
}

void estimate_recall(struct estimate *e, uint64_t mean_ns, uint32_t n)
{
    e->total_ns += mean_ns * n;
    e->n += n;
}

void estimate_add(struct estimate *e, uint64_t length_ns)
{
    e->total_ns += length_ns;
    e->n++;
}

uint64_t estimate_trial_ns(const struct estimate *e)
{
    return e->n ? e->total_ns / e->n : e->guess_ns;
}

uint64_t estimate_left_ns(const struct estimate *e, uint32_t trials,
                          uint32_t running, uint64_t spent_ns)
{
    uint64_t one = estimate_trial_ns(e);
    uint64_t rest = running && spent_ns < one ? one - spent_ns : 0;
    return trials * one + rest;
}
