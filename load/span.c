#include "load/span.h"

#include <assert.h>

void span_init(struct span *s, uint64_t begin_ns, uint64_t end_ns,
               uint32_t cold)
{
    atomic_init(&s->begin_ns, begin_ns);
    atomic_init(&s->end_ns, end_ns);
    atomic_init(&s->warm_ns, 0);
    atomic_init(&s->cold, cold);
}

void span_warm(struct span *s, uint64_t at_ns)
{
    uint64_t warm_ns = atomic_load(&s->warm_ns);
    while (warm_ns < at_ns &&
           !atomic_compare_exchange_weak(&s->warm_ns, &warm_ns, at_ns))
        continue;
    unsigned cold = atomic_fetch_sub(&s->cold, 1);
    assert(cold);
    if (cold == 1 && atomic_load(&s->begin_ns) == UINT64_MAX)
        atomic_store(&s->begin_ns, atomic_load(&s->warm_ns));
}

void span_finish(struct span *s, uint64_t at_ns)
{
    uint64_t end_ns = atomic_load(&s->end_ns);
    while (at_ns < end_ns &&
           !atomic_compare_exchange_weak(&s->end_ns, &end_ns, at_ns))
        continue;
}

uint64_t span_begin(const struct span *s)
{
    return atomic_load(&s->begin_ns);
}

uint64_t span_end(const struct span *s)
{
    return atomic_load(&s->end_ns);
}
