#include "common/strain.h"

#include <assert.h>
#include <stdio.h>

#include "common/units.h"

#define LATE_NS_MAX    1000000u /* p99 of starts */
#define STARTS_MIN     100u     /* for that p99 to mean something */
#define LAG_NS_MAX     1000000u /* p75 of the moments */
#define WAIT_SHARE_MAX 0.25     /* of the mean service time */

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

struct strain strain_of(const struct strain_figures *f)
{
    struct strain s = {
        .cpu_share = share((double)f->cpu_max_ns, (double)f->window_ns),
        .wait_share = share((double)f->lag_mean_ns, f->service_mean_ns),
        .late_ns = f->starts >= STARTS_MIN ? f->late_p99_ns : 0,
        .lag_ns = f->lag_p75_ns};
    s.cpu = s.cpu_share >= STRAIN_CPU_SHARE_MAX;
    s.late = s.late_ns >= LATE_NS_MAX;
    s.wait = s.lag_ns >= LAG_NS_MAX && s.wait_share >= WAIT_SHARE_MAX;
    return s;
}

bool strain_is_limit(const struct strain *s)
{
    return s->cpu || s->late || s->wait;
}

size_t strain_tell(const struct strain *s, bool all, char *buf, size_t size)
{
    char late[24], lag[24];
    size_t n = 0;
    assert(size);
    buf[0] = '\0';
    if (s->cpu || all)
        n += (size_t)snprintf(buf + n, size - n,
                              "; busiest thread on a CPU for %.0f %% of the "
                              "window (limit %.0f %%)",
                              100 * s->cpu_share, 100 * STRAIN_CPU_SHARE_MAX);
    if ((s->late || (all && s->late_ns)) && n < size)
        n += (size_t)snprintf(
            buf + n, size - n, "; starts late by %s at p99 (limit 1 ms)",
            units_show_ns(late, sizeof late, (double)s->late_ns));
    if ((s->wait || all) && n < size)
        n += (size_t)snprintf(
            buf + n, size - n,
            "; in a quarter of the window its loop away for %s or more (limit "
            "1 ms), ready answers waiting for %.0f %% of the mean service time "
            "(limit %.0f %%)",
            units_show_ns(lag, sizeof lag, (double)s->lag_ns),
            100 * s->wait_share, 100 * WAIT_SHARE_MAX);
    return n < size ? n : size - 1;
}
