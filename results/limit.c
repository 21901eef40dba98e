#include "results/limit.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "results/metric.h"

#define REFUSED_MAX  0.01
#define GC_MAX       0.2
#define THREAD_MIN   0.05 /* on a CPU; one that naps waits at each waking */
#define THREAD_MAX   0.9
#define IDLE_MIN     0.1
#define QUOTA_MAX    0.9
#define OWN_MIN      0.5 /* of what the machine's CPUs did */
#define DISK_MAX     0.5
#define BUSY_MAX     0.9
#define PRESSURE_MAX 0.5
#define QUEUE_MAX    0.5
#define QUEUE_LENGTH 1.0
#define RWND_MAX     0.5
#define RCVQ_MAX     0.25
#define AT_EASE_MAX  0.5

static double figure(const struct tally *tally, const char *name)
{
    const struct metric *m = metric_find(name);
    return m->derive(tally, &tally->all, m->arg);
}

/* Of what the machine's CPUs did, the part that was the target's. */
static double own_share(const struct tally *tally)
{
    const struct tally_side *side = &tally->sides[TALLY_TARGET];
    return (double)side->proc_ns / (double)side->busy_ns;
}

/* Of what the limit of CPUs of its control group gives in the window, the part
 * that it took; NaN: it has none, or was never held back by it. */
static double quota_share(const struct tally *tally)
{
    const struct tally_side *side = &tally->sides[TALLY_TARGET];
    double cpus = (double)tally->effective.target_cpus_milli / 1e3;
    if (!(cpus > 0) || !side->top.seen || !tally->closing.limited_ns)
        return NAN;
    uint64_t seconds = (uint64_t)(side->top.last - side->top.first) + 1;
    return (double)side->own_ns / tally_watched_ns(tally, seconds) / cpus;
}

static bool is_cpu_by_quota(const struct limits *l)
{
    return l->quota_share >= QUOTA_MAX;
}

static bool is_cpu_by_thread(const struct limits *l)
{
    return l->thread >= THREAD_MIN && l->thread + l->thread_wait >= THREAD_MAX;
}

static bool is_disk_by_own(const struct limits *l)
{
    return l->disk_wait >= DISK_MAX;
}

static bool at_ease(const struct limits *l)
{
    return l->thread <= AT_EASE_MAX;
}

void limit_look(const struct tally *tally, struct limits *out)
{
    struct limits l = {.refused = figure(tally, "queue_refused_share"),
                       .gc = figure(tally, "gc_share"),
                       .thread = figure(tally, "target_thread_share"),
                       .thread_wait = figure(tally, "target_thread_wait_share"),
                       .idle = figure(tally, "target_idle_share"),
                       .cores_share = own_share(tally),
                       .disk_wait = figure(tally, "disk_wait_share"),
                       .disk_busy = figure(tally, "disk_busy_share"),
                       .pressure = figure(tally, "io_pressure_share"),
                       .queue_length = figure(tally, "queue_length"),
                       .queue_wait = figure(tally, "queue_wait_share"),
                       .rwnd = figure(tally, "rwnd_share"),
                       .rcvq = figure(tally, "rcvq_share"),
                       .quota_share = quota_share(tally),
                       .quota_cpus =
                           (double)tally->effective.target_cpus_milli / 1e3,
                       .quota_wait_s = (double)tally->closing.limited_ns / 1e9,
                       .thread_name = tally->sides[TALLY_TARGET].top.name};
    l.holds[LIMIT_REFUSED] = l.refused >= REFUSED_MAX;
    l.holds[LIMIT_GC] = l.gc >= GC_MAX;
    l.holds[LIMIT_CPU] = is_cpu_by_quota(&l) || is_cpu_by_thread(&l) ||
                         (l.idle <= IDLE_MIN && l.cores_share >= OWN_MIN);
    l.holds[LIMIT_DISK] =
        is_disk_by_own(&l) || (isnan(l.disk_wait) && l.disk_busy >= BUSY_MAX &&
                               l.pressure >= PRESSURE_MAX);
    /* A target that tells no times has only the length. */
    l.holds[LIMIT_WAITING] = l.queue_length >= QUEUE_LENGTH &&
                             (l.queue_wait >= QUEUE_MAX || isnan(l.queue_wait));
    l.holds[LIMIT_RWND] =
        l.rwnd >= RWND_MAX && l.rcvq <= RCVQ_MAX && at_ease(&l);
    *out = l;
}

static size_t tell_cpu(const struct limits *l, char *buf, size_t size)
{
    int n = 0;
    if (isnan(l->thread))
        return 0;
    if (is_cpu_by_quota(l))
        n = snprintf(buf, size,
                     "its control group at %.0f %% of its limit of %.3g CPUs "
                     "(limit %.0f %%), held back by it for %.2f s of the trial",
                     100 * l->quota_share, l->quota_cpus, 100 * QUOTA_MAX,
                     l->quota_wait_s);
    else if (l->holds[LIMIT_CPU] && !is_cpu_by_thread(l))
        n = snprintf(buf, size,
                     "its machine's CPUs idle for %.0f %% of the window (limit "
                     "%.0f %%), %.0f %% of what they did its own",
                     100 * l->idle, 100 * IDLE_MIN, 100 * l->cores_share);
    else
        n = snprintf(buf, size,
                     "its thread %s on a CPU for %.0f %% of the window and "
                     "waiting for one for %.0f %% (limit %.0f %% together)",
                     l->thread_name, 100 * l->thread, 100 * l->thread_wait,
                     100 * THREAD_MAX);
    return (size_t)n;
}

static size_t tell_disk(const struct limits *l, char *buf, size_t size)
{
    int n = 0;
    if (!isnan(l->disk_wait))
        n = snprintf(buf, size,
                     "its index waiting for its files for %.0f %% of the "
                     "window (limit %.0f %%)",
                     100 * l->disk_wait, 100 * DISK_MAX);
    else if (!isnan(l->disk_busy) && !isnan(l->pressure))
        n = snprintf(buf, size,
                     "a disk busy for %.0f %% of the window (limit %.0f %%) "
                     "and waited for during %.0f %% (limit %.0f %%)",
                     100 * l->disk_busy, 100 * BUSY_MAX, 100 * l->pressure,
                     100 * PRESSURE_MAX);
    return (size_t)n;
}

static size_t tell_waiting(const struct limits *l, char *buf, size_t size)
{
    int n = 0;
    if (isnan(l->queue_length))
        return 0;
    n = snprintf(buf, size,
                 "%.1f requests waiting for its threads on average (limit "
                 "%.0f)",
                 l->queue_length, QUEUE_LENGTH);
    if (!isnan(l->queue_wait) && n >= 0 && (size_t)n < size)
        n += snprintf(buf + n, size - (size_t)n,
                      ", %.0f %% of the time that they spent in it (limit "
                      "%.0f %%)",
                      100 * l->queue_wait, 100 * QUEUE_MAX);
    return (size_t)n;
}

static size_t tell_rwnd(const struct limits *l, char *buf, size_t size)
{
    int n = 0;
    if (isnan(l->rwnd))
        return 0;
    n = snprintf(buf, size,
                 "the receive window holding connections back for %.0f %% of "
                 "their time (limit %.0f %%)",
                 100 * l->rwnd, 100 * RWND_MAX);
    if (!isnan(l->rcvq) && n >= 0 && (size_t)n < size)
        n += snprintf(buf + n, size - (size_t)n,
                      " with its receive buffers filled to %.0f %% (empty: "
                      "%.0f %%)",
                      100 * l->rcvq, 100 * RCVQ_MAX);
    return (size_t)n;
}

static size_t tell_share(double share, const char *what, double limit,
                         char *buf, size_t size)
{
    int n = 0;
    if (!isnan(share))
        n = snprintf(buf, size, "%s %.0f %% (limit %.0f %%)", what, 100 * share,
                     100 * limit);
    return (size_t)n;
}

size_t limit_tell(const struct limits *l, enum limit rule, char *buf,
                  size_t size)
{
    size_t n = 0;
    assert(size);
    buf[0] = '\0';
    switch (rule) {
    case LIMIT_REFUSED:
        n = tell_share(l->refused, "its full queue refusing requests with 429:",
                       REFUSED_MAX, buf, size);
        break;
    case LIMIT_GC:
        n = tell_share(l->gc, "stopped by its collections for", GC_MAX, buf,
                       size);
        break;
    case LIMIT_CPU:
        n = tell_cpu(l, buf, size);
        break;
    case LIMIT_DISK:
        n = tell_disk(l, buf, size);
        break;
    case LIMIT_WAITING:
        n = tell_waiting(l, buf, size);
        break;
    case LIMIT_RWND:
        n = tell_rwnd(l, buf, size);
        break;
    case LIMITS:
        break;
    }
    return n < size ? n : size - 1;
}
