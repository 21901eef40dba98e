/* Figures of what may have held the target back: those that the rules of
 * results/limit.h look at. */
#include <math.h>

#include "results/metric.h"
#include "results/told.h"

typedef const struct tally *tally_in;
typedef const struct tally_task *task_in;

/* The window as the target measured it, else as it was polled. */
static double target_ns(tally_in tally)
{
    const struct final *f = &tally->final;
    double window_ns = f->window_t1_ns - f->window_t0_ns;
    return isnan(window_ns) ? tally_watched_ns(tally, tally->polls) : window_ns;
}

static double gc(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    const struct final *f = &tally->final;
    double polled_ns = TOLD(tally, young_ns) + TOLD(tally, old_ns);
    double told_ns = f->heap_young_pause_ns + f->heap_old_pause_ns;
    return (isnan(told_ns) ? polled_ns : told_ns) / target_ns(tally);
}

/* arg 0: on a CPU, 1: waiting for one. */
static double thread(tally_in tally, task_in task, int arg)
{
    (void)task;
    const struct tally_top *top = &tally->sides[TALLY_TARGET].top;
    if (!top->seen)
        return NAN;
    return (double)(arg ? top->wait_ns : top->ns) /
           tally_watched_ns(tally, (uint64_t)(top->last - top->first) + 1);
}

static double cores(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    const struct tally_side *side = &tally->sides[TALLY_TARGET];
    return side->top.seen
               ? (double)side->proc_ns /
                     tally_watched_ns(
                         tally,
                         (uint64_t)(side->top.last - side->top.first) + 1)
               : NAN;
}

static double idle(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    const struct tally_side *side = &tally->sides[TALLY_TARGET];
    return (double)side->idle_ns /
           (double)(side->idle_ns + side->busy_ns + side->steal_ns);
}

/* A target without counts of its own says how many wait only when asked. */
static double queue_length(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    if (tally->final.known)
        return tally->final.window_wait_ns / target_ns(tally);
    return TOLD(tally, queued) / (double)tally->polls;
}

static double queue_share(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    const struct final *f = &tally->final;
    return f->window_wait_ns / (f->window_wait_ns + f->window_bulk_ns);
}

static double queue_refused(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    const struct final *f = &tally->final;
    if (f->known)
        return f->window_queue_full / f->window_requests;
    double answers = TOLD(tally, requests);
    if (isnan(answers)) /* then those that the load had */
        answers = (double)(tally->all.ops + tally->all.errors);
    return TOLD(tally, rejected) / answers;
}

static double disk_wait(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    return tally->final.window_disk_ns / target_ns(tally);
}

static double disk_busy(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    const struct tally_side *side = &tally->sides[TALLY_TARGET];
    uint64_t most_ns = 0;
    for (size_t i = 0; i < side->n_disks; i++)
        if (side->disks[i].busy_ns > most_ns)
            most_ns = side->disks[i].busy_ns;
    return side->n_disks ? (double)most_ns /
                               tally_watched_ns(tally, (uint64_t)tally->whole_s)
                         : NAN;
}

static double pressure(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    const struct tally_side *side = &tally->sides[TALLY_TARGET];
    return (double)side->io_some_ns /
           tally_watched_ns(tally, side->pressure_seconds);
}

static double rwnd(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    const struct tally_side *load = &tally->sides[TALLY_LOAD];
    return (double)load->rwnd_limited_ns /
           tally_watched_ns(tally, load->sockets);
}

static double rcvq(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    const struct tally_side *target = &tally->sides[TALLY_TARGET];
    return (double)target->rcvq_bytes / (double)target->rcvbuf_bytes;
}

#define SHARE(name, direction, source, text, derive, arg)                      \
    {                                                                          \
        name, "share", direction, METRIC_ABS, METRIC_TRIAL, source, text,      \
            derive, arg                                                        \
    }

static const struct metric rows[] = {
    SHARE("gc_share", METRIC_LOWER, "target",
          "of the window the target was stopped by young and old collections",
          gc, 0),
    SHARE("target_thread_share", METRIC_NEITHER, "watch",
          "of the window the target's busiest thread was on a CPU; the busiest "
          "is looked for in each second",
          thread, 0),
    SHARE("target_thread_wait_share", METRIC_LOWER, "watch",
          "of the window that thread was ready and waited for a CPU", thread,
          1),
    {"target_cores", "cores", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL, "watch",
     "CPU that the target's side had, its watch included", cores, 0},
    SHARE("target_idle_share", METRIC_NEITHER, "watch",
          "of the CPU time of the target's machine, what nobody used", idle, 0),
    {"queue_length", "requests", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL,
     "target", "requests that waited for a bulk thread, on average",
     queue_length, 0},
    SHARE("queue_wait_share", METRIC_LOWER, "target",
          "of the time that bulk requests spent in the target, waiting for a "
          "bulk thread",
          queue_share, 0),
    SHARE("queue_refused_share", METRIC_LOWER, "target",
          "of the target's answers, those with 429 because its queue was full",
          queue_refused, 0),
    SHARE("disk_wait_share", METRIC_LOWER, "target",
          "of the window some thread of the target's index waited for its "
          "files: reads, writes and syncs of 100 us and more",
          disk_wait, 0),
    SHARE("disk_busy_share", METRIC_NEITHER, "watch",
          "of the window the busiest disk of the target's machine was busy",
          disk_busy, 0),
    SHARE("io_pressure_share", METRIC_LOWER, "watch",
          "of the window some task of the target's machine waited for a disk "
          "(/proc/pressure/io)",
          pressure, 0),
    SHARE("rwnd_share", METRIC_LOWER, "watch",
          "of the time of the load's connections, that in which the target's "
          "receive window held the sender back (TCP_INFO)",
          rwnd, 0),
    SHARE("rcvq_share", METRIC_NEITHER, "watch",
          "of the target's receive buffers, what was received and not read, on "
          "average",
          rcvq, 0),
};

const struct metric_group metric_limit = {rows, sizeof rows / sizeof *rows};
