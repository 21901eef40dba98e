#include "results/bound.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/measure.h"
#include "common/strain.h"
#include "results/limit.h"
#include "results/metric.h"

#define CEILING_SHARE_MAX 0.9
#define LINK_SHARE_MAX    0.9
#define LINK_BODIES_MIN   0.8 /* of a shaper, headers aside */
#define CEILING_BEYOND    1.1 /* then a disturbed one: no ceiling at all */

/* The driver's figures as the rules see them. */
struct look {
    struct strain strain;
    double ceiling_share;
    bool ceiling; /* the rule holds */
};

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static bool is_open(const struct tally_task *t)
{
    return t->offered_s > 0;
}

/* The largest share of any of the ceiling's figures, by the tasks of the first
 * step that go as fast as they can: the others are held back by their rate. */
static double of_ceiling(const struct tally *tally,
                         const struct bound_ceiling *c)
{
    uint64_t docs = 0, ops = 0, bytes = 0, ns = tally->window_ns;
    for (size_t i = 0; i < tally->n_tasks; i++) {
        const struct tally_task *t = &tally->tasks[i];
        if (!t->ended || t->step || is_open(t))
            continue;
        docs += t->docs;
        ops += t->ops;
        bytes += t->bytes;
    }
    double most = share(measure_rate(docs, ns), c->docs_s);
    double of_ops = share(measure_rate(ops, ns), c->ops_s);
    double of_mb = share(measure_rate(bytes, ns) / 1e6, c->mb_s);
    if (of_ops > most)
        most = of_ops;
    return of_mb > most ? of_mb : most;
}

static struct look look_at(const struct tally *tally,
                           const struct bound_ceiling *ceiling)
{
    const struct record_driver *d = &tally->driver;
    const struct hist *service = tally->all.service;
    struct look l = {.ceiling_share = of_ceiling(tally, ceiling)};
    l.strain = strain_of(&(struct strain_figures){
        .window_ns = d->window_ns,
        .cpu_max_ns = d->cpu_max_ns,
        .starts = d->starts,
        .late_p99_ns = d->late_p99_ns,
        .lag_p75_ns = d->loop_lag_p75_ns,
        .lag_mean_ns = d->loop_lag_mean_ns,
        .service_mean_ns = service ? hist_mean(service) : 0});
    l.ceiling = l.ceiling_share >= CEILING_SHARE_MAX &&
                l.ceiling_share <= CEILING_BEYOND;
    return l;
}

/* Every rule that holds, or, when none does (all), what each one saw. */
static void tell(const struct look *l, bool all, char *buf, size_t size)
{
    size_t n = strain_tell(&l->strain, all, buf, size);
    if (l->ceiling || (all && l->ceiling_share > 0))
        (void)snprintf(buf + n, size - n,
                       "; at %.0f %% of the driver's ceiling (limit %.0f %%)",
                       100 * l->ceiling_share, 100 * CEILING_SHARE_MAX);
}

/* 0: not known. */
static double figure(const struct tally *tally, const char *name)
{
    const struct metric *m = metric_find(name);
    double value = m->derive(tally, &tally->all, m->arg);
    return isfinite(value) ? value : 0;
}

/* Of what libiperf found the link to carry, the larger of both directions; 0:
 * not known, or no network: on one machine CPUs are what libiperf finds. */
static double capacity_share(const struct tally *tally)
{
    double in = figure(tally, "link_utilization");
    double out = figure(tally, "link_tx_utilization");
    return tally->apart ? (in > out ? in : out) : 0;
}

/* Whether the ceiling was the link's own, not the driver's. */
static bool link_is_ceiling(const struct tally *tally,
                            const struct bound_ceiling *c)
{
    double rate_bit = (double)tally->effective.link_rate_bit;
    return rate_bit > 0 && c->mb_s * 8e6 >= LINK_BODIES_MIN * rate_bit;
}

/* Whether the link was full; says how. */
static bool is_link(const struct tally *tally, const struct look *l,
                    const struct bound_ceiling *ceiling, char *buf, size_t size)
{
    double of = figure(tally, "link_rx_share");
    double found = capacity_share(tally);
    if (of >= LINK_SHARE_MAX)
        (void)snprintf(buf, size,
                       "link: at %.0f %% of its rate (limit %.0f %%)", 100 * of,
                       100 * LINK_SHARE_MAX);
    else if (found >= LINK_SHARE_MAX)
        (void)snprintf(buf, size,
                       "link: at %.0f %% of what libiperf found it to carry "
                       "(limit %.0f %%)",
                       100 * found, 100 * LINK_SHARE_MAX);
    else if (l->ceiling && link_is_ceiling(tally, ceiling))
        (void)snprintf(buf, size,
                       "link: at %.0f %% of what the link lets through of this "
                       "load (limit %.0f %%)",
                       100 * l->ceiling_share, 100 * CEILING_SHARE_MAX);
    return *buf != 0;
}

/* A later step's task whose step the driver was too busy for; NULL: none. */
static const struct tally_task *busy_later(const struct tally *tally)
{
    for (size_t i = 0; i < tally->n_tasks; i++)
        if (tally->tasks[i].step &&
            tally->tasks[i].driver_share >= STRAIN_CPU_SHARE_MAX)
            return &tally->tasks[i];
    return NULL;
}

/* All tasks of the first step had a rate and kept it. */
static bool is_rate(const struct tally *tally)
{
    bool any = false;
    for (size_t i = 0; i < tally->n_tasks; i++) {
        const struct tally_task *t = &tally->tasks[i];
        if (!t->ended || t->step || t->hidden)
            continue;
        if (!is_open(t) || tally_missed(t))
            return false;
        any = true;
    }
    return any;
}

/* The words for the target's rules, in their order. */
static const struct {
    enum limit rule;
    enum attempt_bound bound;
} of_target[] = {{LIMIT_GC, BOUND_TARGET_GC},
                 {LIMIT_CPU, BOUND_TARGET_CPU},
                 {LIMIT_DISK, BOUND_TARGET_DISK},
                 {LIMIT_WAITING, BOUND_TARGET_QUEUE},
                 {LIMIT_RWND, BOUND_RWND}};

/* What the rules saw that hold, or do not, joined by semicolons. */
static void tell_limits(const struct limits *l, bool hold, char *buf,
                        size_t size)
{
    char one[320];
    size_t n = 0;
    buf[0] = '\0';
    for (unsigned i = 0; i < LIMITS && n < size; i++)
        if (l->holds[i] == hold &&
            limit_tell(l, (enum limit)i, one, sizeof one))
            n +=
                (size_t)snprintf(buf + n, size - n, "%s%s", n ? "; " : "", one);
}

/* Which of the target's words, if any. */
static enum attempt_bound target_bound(const struct limits *l)
{
    for (size_t i = 0; i < sizeof of_target / sizeof *of_target; i++)
        if (l->holds[of_target[i].rule])
            return of_target[i].bound;
    return BOUND_UNCLEAR;
}

/* Append "what: text", where there is one, behind a semicolon. */
static void append(char *buf, size_t size, const char *what, const char *text)
{
    size_t n = strlen(buf);
    if (*text)
        (void)snprintf(buf + n, size - n, "%s%s: %s", n ? "; " : "", what,
                       text);
}

/* A driver at ease: whether a rate, the target or nothing was the limit. */
static enum attempt_bound beside_driver(const struct tally *tally,
                                        const char *driver, char *buf,
                                        size_t size)
{
    struct limits l;
    char held[BOUND_EVIDENCE_BYTES], clear[BOUND_EVIDENCE_BYTES];
    limit_look(tally, &l);
    tell_limits(&l, true, held, sizeof held);
    tell_limits(&l, false, clear, sizeof clear);
    enum attempt_bound bound = target_bound(&l);
    if (l.holds[LIMIT_REFUSED])
        bound = BOUND_TARGET_QUEUE;
    else if (is_rate(tally))
        bound = BOUND_RATE;
    if (bound == BOUND_RATE)
        append(buf, size, bound_name(bound), "it was asked for and reached");
    else if (bound != BOUND_UNCLEAR)
        append(buf, size, bound_name(bound), held);
    append(buf, size, "not the driver", driver);
    append(buf, size, "not the target",
           *held || *clear ? clear : "it told nothing");
    if (bound == BOUND_RATE)
        append(buf, size, "the target at its limit all the same", held);
    return bound;
}

static enum attempt_bound by_driver(const struct tally_task *later,
                                    const char *driver, char *buf, size_t size)
{
    if (later)
        (void)snprintf(buf, size,
                       "driver: in the step of task %s its busiest thread on a "
                       "CPU for %.0f %% of the window (limit %.0f %%)",
                       later->name, 100 * later->driver_share,
                       100 * STRAIN_CPU_SHARE_MAX);
    else
        (void)snprintf(buf, size, "driver: %s", driver);
    return BOUND_DRIVER;
}

enum attempt_bound bound_of(const struct tally *tally,
                            enum attempt_outcome outcome,
                            const struct bound_ceiling *ceiling, char *buf,
                            size_t size)
{
    char text[BOUND_EVIDENCE_BYTES / 2];
    buf[0] = '\0';
    if (outcome != OUTCOME_OK || !tally->driver_known ||
        !tally->driver.window_ns)
        return BOUND_UNCLEAR;
    struct look l = look_at(tally, ceiling);
    bool driver = strain_is_limit(&l.strain);
    if (!driver && is_link(tally, &l, ceiling, buf, size))
        return BOUND_LINK;
    driver = driver || l.ceiling;
    const struct tally_task *later = driver ? NULL : busy_later(tally);
    tell(&l, !driver, text, sizeof text);
    if (driver || later)
        return by_driver(later, text + 2, buf, size);
    return beside_driver(tally, text + 2, buf, size);
}

bool bound_is_of_host(enum attempt_bound bound)
{
    switch (bound) {
    case BOUND_DRIVER:
    case BOUND_TARGET_CPU:
    case BOUND_TARGET_GC:
    case BOUND_TARGET_QUEUE:
    case BOUND_TARGET_DISK:
        return true;
    case BOUND_UNCLEAR:
    case BOUND_LINK:
    case BOUND_RWND:
    case BOUND_RATE:
        break;
    }
    return false;
}
