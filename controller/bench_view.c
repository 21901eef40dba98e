/* What a bench is at, for whoever looks at it. */
#include "controller/bench.h"

uint32_t bench_trials(const struct bench *b)
{
    return b->queue.n_trials;
}

bool bench_active(const struct bench *b)
{
    return b->phase == BENCH_TRY || b->phase == BENCH_GATHER ||
           b->phase == BENCH_END;
}

bool bench_is_extra(const struct bench *b)
{
    return b->trial >= BENCH_EXTRA_TID;
}

struct bench_times bench_times(const struct bench *b)
{
    return bench_is_extra(b) ? b->config.extra_times : b->config.times;
}

bool bench_has_trial(const struct bench *b)
{
    bool picked = b->phase == BENCH_PICK && b->storing && !b->asking;
    return !bench_is_extra(b) && !b->left &&
           (picked || bench_active(b) || b->left_open);
}
