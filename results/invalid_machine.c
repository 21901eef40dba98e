#include "results/invalid_machine.h"

#include <math.h>
#include <stdio.h>

#include "common/cpus.h"

typedef unsigned long long ull;

/* Where the target runs; without its watch, where load does. */
static enum tally_side_name machine_of(const struct tally *tally)
{
    return tally->sides[TALLY_TARGET].cpu_seconds ? TALLY_TARGET : TALLY_LOAD;
}

static double limit_of(const struct tally *tally, enum accept_rule rule)
{
    return tally->accept.limit[rule];
}

/* One side's machine; what share of it the trial's own processes used is known
 * only where they were watched. */
static bool foreign_on(const struct tally *tally, enum tally_side_name at,
                       char *buf, size_t size)
{
    static const char *const whose[] = {"target's", "load's"};
    double cores = tally_foreign(tally, at);
    double limit = limit_of(tally, ACCEPT_FOREIGN_CPU);
    if (isnan(cores) || !(cores > limit))
        return false;
    (void)snprintf(buf, size,
                   "others used %.2f cores of the %s machine in the window; "
                   "accepted: %.3g",
                   cores, whose[at], limit);
    return true;
}

bool invalid_foreign(const struct tally *tally, enum attempt_outcome outcome,
                     char *buf, size_t size)
{
    (void)outcome;
    return foreign_on(tally, machine_of(tally), buf, size) ||
           (tally->apart && foreign_on(tally, TALLY_LOAD, buf, size));
}

bool invalid_steal(const struct tally *tally, enum attempt_outcome outcome,
                   char *buf, size_t size)
{
    double limit = limit_of(tally, ACCEPT_STEAL_CPU);
    (void)outcome;
    for (int i = 0; i < TALLY_SIDES; i++) {
        const struct tally_side *side = &tally->sides[i];
        double cores =
            (double)side->steal_ns / tally_watched_ns(tally, side->cpu_seconds);
        if (!(cores > limit)) /* NaN: not watched */
            continue;
        (void)snprintf(buf, size,
                       "a hypervisor took %.2f cores of the %s machine; "
                       "accepted: %.3g",
                       cores, i == TALLY_TARGET ? "target's" : "load's", limit);
        return true;
    }
    return false;
}

bool invalid_throttled(const struct tally *tally, enum attempt_outcome outcome,
                       char *buf, size_t size)
{
    const struct closing *c = &tally->closing;
    double limit = limit_of(tally, ACCEPT_THROTTLED);
    double share = (double)c->throttled_ns / (double)tally->planned_ns;
    (void)outcome;
    if (!tally->planned_ns || isinf(limit))
        return false;
    (void)snprintf(buf, size,
                   "%llu times a processor was too hot; a quota of the groups "
                   "above the agent's kept it from the CPUs for %.3f s, %.3g "
                   "of the window; accepted: no heat, %.3g",
                   (ull)c->thermal, (double)c->throttled_ns / 1e9, share,
                   limit);
    return c->thermal > 0 || share > limit;
}

bool invalid_link(const struct tally *tally, enum attempt_outcome outcome,
                  char *buf, size_t size)
{
    double limit = limit_of(tally, ACCEPT_LINK_ERRORS);
    (void)outcome;
    for (size_t i = 0; i < tally->n_links; i++) {
        const struct tally_link *l = &tally->links[i];
        if (!((double)l->errors > limit))
            continue;
        (void)snprintf(buf, size,
                       "%s on the %s side: %llu damaged packets, %llu "
                       "dropped; accepted: %.0f damaged",
                       l->iface, l->side, (ull)l->errors, (ull)l->dropped,
                       limit);
        return true;
    }
    return false;
}

/* Whether a is within b; lists that cannot be read are taken for the same. */
static bool within(const char *a, const char *b)
{
    cpu_set_t x, y, both;
    if (!cpus_parse(a, &x) || !cpus_parse(b, &y))
        return true;
    CPU_AND(&both, &x, &y);
    return CPU_EQUAL(&both, &x);
}

bool invalid_pin(const struct tally *tally, enum attempt_outcome outcome,
                 char *buf, size_t size)
{
    (void)outcome;
    for (size_t i = 0; i < tally->n_pins; i++) {
        const struct tally_pin *p = &tally->pins[i];
        if (!p->cpus[0] || !p->seen[0] || within(p->seen, p->cpus))
            continue;
        (void)snprintf(buf, size,
                       "threads of the %s were let run on %s while measuring; "
                       "pin gave them %s",
                       p->side, p->seen, p->cpus);
        return true;
    }
    return false;
}

bool invalid_changed(const struct tally *tally, enum attempt_outcome outcome,
                     char *buf, size_t size)
{
    (void)outcome;
    (void)snprintf(buf, size, "%s", tally->closing.changed);
    return tally->closing.changed[0] != '\0';
}
