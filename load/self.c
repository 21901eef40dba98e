#include "load/self.h"

void self_reset(struct self *s)
{
    hist_reset(&s->lag);
    hist_reset(&s->late);
    s->lag_max_ns = 0;
    s->away_ns2 = 0;
    s->length_ns = 0;
    s->cpu_ns = 0;
    s->blocked_ns = 0;
}

void self_turn(struct self *s, uint64_t idle_ns, uint64_t away_ns)
{
    uint64_t idle_us = idle_ns / 1000, away_us = away_ns / 1000;
    if (idle_us)
        hist_record_n(&s->lag, 0, idle_us);
    hist_record_n(&s->lag, away_ns, away_us ? away_us : 1);
    if (away_ns > s->lag_max_ns)
        s->lag_max_ns = away_ns;
    s->away_ns2 += (double)away_ns * (double)away_ns;
    s->length_ns += idle_ns + away_ns;
}

uint64_t self_wait(const struct self *s)
{
    return s->length_ns ? (uint64_t)(s->away_ns2 / 2 / (double)s->length_ns)
                        : 0;
}

void self_merge(struct self *into, const struct self *from)
{
    hist_merge(&into->lag, &from->lag);
    hist_merge(&into->late, &from->late);
    if (from->lag_max_ns > into->lag_max_ns)
        into->lag_max_ns = from->lag_max_ns;
    into->away_ns2 += from->away_ns2;
    into->length_ns += from->length_ns;
    into->cpu_ns += from->cpu_ns;
    into->blocked_ns += from->blocked_ns;
}
