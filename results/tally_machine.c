#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/tally.h"

struct tally_pin *tally_pin_of(struct tally *tally, const char *side)
{
    for (size_t i = 0; i < tally->n_pins; i++)
        if (!strcmp(tally->pins[i].side, side))
            return &tally->pins[i];
    if (tally->n_pins == TALLY_PINS)
        return NULL;
    struct tally_pin *pin = &tally->pins[tally->n_pins++];
    (void)snprintf(pin->side, sizeof pin->side, "%.8s", side);
    return pin;
}

double tally_foreign(const struct tally *tally, enum tally_side_name side)
{
    const struct tally_side *m = &tally->sides[side];
    double own_ns = (double)m->proc_ns;
    if (!tally->apart)
        own_ns = (double)tally->sides[TALLY_TARGET].proc_ns +
                 (double)tally->sides[TALLY_LOAD].proc_ns;
    double foreign_ns = (double)m->busy_ns - (double)m->irq_ns - own_ns;
    return fmax(foreign_ns, 0) / tally_watched_ns(tally, m->cpu_seconds);
}
