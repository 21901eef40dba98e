#include "load/pacer.h"

#include <assert.h>
#include <math.h>

#define DRAWS_MAX 1000000u

/* Rounded: a start that lies on a window's edge but for the last digit of a
 * period that is no whole number of ns belongs behind the edge. */
static uint64_t at(const struct pacer *p)
{
    return p->t0_ns + (uint64_t)(p->phase_ns + p->units * p->unit_ns + 0.5);
}

uint64_t pacer_start(struct pacer *p, const struct pacer_config *c)
{
    assert(c->n_clients && c->client < c->n_clients);
    *p = (struct pacer){.kind = c->kind, .t0_ns = c->t0_ns};
    if (c->kind == PACER_CLOSED) {
        p->phase_ns = (double)c->delay_ns;
        if (!c->delay_ns)
            p->phase_ns = (double)PACER_STAGGER_NS * c->client / c->n_clients;
        return at(p);
    }
    assert(c->rate_s > 0 && c->units);
    p->unit_ns = 1e9 * c->n_clients / c->rate_s;
    /* Clients of one task must not draw the same times. */
    struct rand mix = {c->seed + c->client};
    p->rand.state = rand_next(&mix);
    double period_ns = p->unit_ns * c->units;
    if (c->kind == PACER_POISSON) {
        p->phase_ns =
            (double)c->delay_ns + rand_exponential(&p->rand) * period_ns;
        return at(p);
    }
    p->phase_ns = 1e9 * c->units / c->rate_s * c->client;
    if (p->phase_ns < (double)c->delay_ns)
        p->units =
            c->units * ceil(((double)c->delay_ns - p->phase_ns) / period_ns);
    return at(p);
}

uint64_t pacer_next(struct pacer *p, uint32_t units, uint64_t done_ns)
{
    if (p->kind == PACER_CLOSED)
        return done_ns;
    if (p->kind == PACER_FIXED)
        p->units += units;
    else
        p->phase_ns += rand_exponential(&p->rand) * p->unit_ns * units;
    return at(p);
}

uint64_t pacer_left(struct pacer *p, uint64_t next_ns, uint32_t units,
                    uint64_t begin_ns, uint64_t end_ns)
{
    if (p->kind == PACER_CLOSED)
        return 0;
    uint64_t n = 0;
    for (uint32_t drawn = 0; next_ns < end_ns && drawn < DRAWS_MAX; drawn++) {
        n += next_ns >= begin_ns;
        next_ns = pacer_next(p, units, 0);
    }
    if (next_ns < begin_ns)
        next_ns = begin_ns;
    if (next_ns < end_ns)
        n += (uint64_t)((double)(end_ns - next_ns) / (p->unit_ns * units)) + 1;
    return n;
}
