#include "results/bound.h"

#include <math.h>
#include <stdio.h>

#include "common/measure.h"
#include "common/strain.h"
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

/* Of its rate, what the link carried to the target; 0: it has none. */
static double link_share(const struct tally *tally)
{
    const struct metric *m = metric_find("link_rx_share");
    double of = m->derive(tally, &tally->all, m->arg);
    return isfinite(of) ? of : 0;
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
    double of = link_share(tally);
    if (of >= LINK_SHARE_MAX)
        (void)snprintf(buf, size,
                       "link: at %.0f %% of its rate (limit %.0f %%)", 100 * of,
                       100 * LINK_SHARE_MAX);
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
        if (!t->ended || t->step)
            continue;
        if (!is_open(t) || tally_missed(t))
            return false;
        any = true;
    }
    return any;
}

enum attempt_bound bound_of(const struct tally *tally,
                            enum attempt_outcome outcome,
                            const struct bound_ceiling *ceiling, char *buf,
                            size_t size)
{
    char text[BOUND_EVIDENCE_BYTES];
    buf[0] = '\0';
    if (outcome != OUTCOME_OK || !tally->driver_known ||
        !tally->driver.window_ns)
        return BOUND_UNCLEAR;
    struct look l = look_at(tally, ceiling);
    bool driver = strain_is_limit(&l.strain);
    if (!driver && is_link(tally, &l, ceiling, buf, size))
        return BOUND_LINK;
    driver = driver || l.ceiling;
    tell(&l, !driver, text, sizeof text);
    if (driver) {
        (void)snprintf(buf, size, "driver: %s", text + 2);
        return BOUND_DRIVER;
    }
    const struct tally_task *later = busy_later(tally);
    if (later) {
        (void)snprintf(buf, size,
                       "driver: in the step of task %s its busiest thread on a "
                       "CPU for %.0f %% of the window (limit %.0f %%)",
                       later->name, 100 * later->driver_share,
                       100 * STRAIN_CPU_SHARE_MAX);
        return BOUND_DRIVER;
    }
    if (is_rate(tally)) {
        (void)snprintf(buf, size,
                       "the rate was asked for and reached; not the "
                       "driver: %s",
                       text + 2);
        return BOUND_RATE;
    }
    (void)snprintf(buf, size, "not the driver: %s", text + 2);
    return BOUND_UNCLEAR;
}
