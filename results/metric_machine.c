/* Figures of link, kernel and machine, from the watches. */
#include <math.h>
#include <string.h>

#include "results/metric.h"

typedef const struct tally *tally_in;
typedef const struct tally_task *task_in;

/* The interface that carried the load: the busiest of the target's side, the
 * loopback only where it is alone. NULL: none watched. */
static const struct tally_link *carrier(tally_in tally)
{
    const struct tally_link *best = NULL, *lo = NULL;
    for (size_t i = 0; i < tally->n_links; i++) {
        const struct tally_link *l = &tally->links[i];
        if (strcmp(l->side, "target"))
            continue;
        if (!strcmp(l->iface, "lo"))
            lo = l;
        else if (!best || l->rx_bytes > best->rx_bytes)
            best = l;
    }
    return best && (best->rx_bytes || !lo) ? best : lo;
}

/* arg 0 received by the target, 1 sent. */
static double link_bit_s(tally_in tally, task_in task, int arg)
{
    (void)task;
    const struct tally_link *l = carrier(tally);
    if (!l)
        return NAN;
    return 8e9 * (double)(arg ? l->tx_bytes : l->rx_bytes) /
           tally_watched_ns(tally, l->seconds);
}

/* Of what the shaper at the load's end lets through. */
static double link_share(tally_in tally, task_in task, int arg)
{
    if (!tally->effective.link_rate_bit)
        return NAN;
    return link_bit_s(tally, task, arg) /
           (double)tally->effective.link_rate_bit;
}

static double capacity(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    return tally->link_bit_s > 0 ? tally->link_bit_s : NAN;
}

/* arg as link_bit_s. Of payload that the link was measured to carry: headers
 * are in the one figure and not in the other, some 5 % at an MTU of 1500. */
static double utilization(tally_in tally, task_in task, int arg)
{
    return link_bit_s(tally, task, arg) / capacity(tally, task, 0);
}

/* The sender's namespace counts them; on a shared one both do. */
static double retransmits(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    const struct tally_side *load = &tally->sides[TALLY_LOAD];
    const struct tally_side *target = &tally->sides[TALLY_TARGET];
    if (load->tcp_seconds)
        return (double)load->retransmits;
    return target->tcp_seconds ? (double)target->retransmits : NAN;
}

static double pruned(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    const struct tally_side *target = &tally->sides[TALLY_TARGET];
    return target->tcp_seconds ? (double)target->rcvq_pruned : NAN;
}

/* arg 0 smallest, 1 largest. */
static double rcvbuf(tally_in tally, task_in task, int arg)
{
    (void)task;
    const struct tally_side *target = &tally->sides[TALLY_TARGET];
    uint64_t bytes = arg ? target->rcvbuf_max : target->rcvbuf_min;
    return bytes ? (double)bytes : NAN;
}

static const struct tally_side *machine(tally_in tally)
{
    const struct tally_side *target = &tally->sides[TALLY_TARGET];
    return target->cpu_seconds ? target : &tally->sides[TALLY_LOAD];
}

static double foreign_cpu(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    bool target = tally->sides[TALLY_TARGET].cpu_seconds;
    return tally_foreign(tally, target ? TALLY_TARGET : TALLY_LOAD);
}

static double steal_cpu(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    const struct tally_side *m = machine(tally);
    return (double)m->steal_ns / tally_watched_ns(tally, m->cpu_seconds);
}

/* arg 0: how many, 1: bytes of each on average. */
static double kernel_reads(tally_in tally, task_in task, int arg)
{
    (void)task;
    const struct hist *h = tally->kernel_reads;
    if (!h || !h->total)
        return NAN;
    return arg ? (double)h->sum / (double)h->total : (double)h->total;
}

static double header_parse_share(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    return (double)tally->stacks_heads / (double)tally->stacks;
}

static const struct metric rows[] = {
    {"link_rx_bit_s", "bit/s", METRIC_NEITHER, METRIC_RATIO, METRIC_TRIAL,
     "watch",
     "bits per second that the target's interface received in the window, "
     "headers "
     "included",
     link_bit_s, 0},
    {"link_tx_bit_s", "bit/s", METRIC_NEITHER, METRIC_RATIO, METRIC_TRIAL,
     "watch",
     "bits per second that the target's interface sent in the window, headers "
     "included",
     link_bit_s, 1},
    {"link_rx_share", "share", METRIC_NEITHER, METRIC_RATIO, METRIC_TRIAL,
     "watch", "link_rx_bit_s / the rate of the shaper at the load's end",
     link_share, 0},
    {"link_capacity", "bit/s", METRIC_NEITHER, METRIC_RATIO, METRIC_TRIAL,
     "libiperf",
     "payload that the link carries at best, one stream or four, "
     "measured in the experiment's calibrations (or before the trial: "
     "--telemetry capacity)",
     capacity, 0},
    {"link_utilization", "share", METRIC_NEITHER, METRIC_RATIO, METRIC_TRIAL,
     "watch", "link_rx_bit_s / link_capacity", utilization, 0},
    {"link_tx_utilization", "share", METRIC_NEITHER, METRIC_RATIO, METRIC_TRIAL,
     "watch", "link_tx_bit_s / link_capacity", utilization, 1},
    {"retransmits", "segments", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL, "watch",
     "TCP segments that the load's namespace sent again in the window",
     retransmits, 0},
    {"rcvq_pruned", "times", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL, "watch",
     "how often the target's kernel pruned a receive queue in the window "
     "(PruneCalled)",
     pruned, 0},
    {"rcvbuf_min", "bytes", METRIC_NEITHER, METRIC_EXACT, METRIC_TRIAL, "watch",
     "smallest receive buffer of an accepted socket (SK_MEMINFO_RCVBUF)",
     rcvbuf, 0},
    {"rcvbuf_max", "bytes", METRIC_NEITHER, METRIC_EXACT, METRIC_TRIAL, "watch",
     "largest receive buffer of an accepted socket (SK_MEMINFO_RCVBUF)", rcvbuf,
     1},
    {"kernel_reads", "reads", METRIC_NEITHER, METRIC_RATIO, METRIC_TRIAL,
     "kernel",
     "reads from sockets that the target's processes made in the window, by "
     "tracepoints of the kernel (--telemetry reads, in extra trials)",
     kernel_reads, 0},
    {"kernel_bytes_per_read", "bytes", METRIC_NEITHER, METRIC_RATIO,
     METRIC_TRIAL, "kernel", "bytes that one of kernel_reads took, on average",
     kernel_reads, 1},
    {"header_parse_share", "share", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL,
     "perf",
     "of pitwall-target's samples of CPU time in the window (the kernel's part "
     "among them where it may be seen), those that were in its parsing of "
     "request heads (--telemetry perf, in extra trials)",
     header_parse_share, 0},
    {"foreign_cpu", "cores", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL, "watch",
     "CPU that the machine spent beside the trial's processes; interrupts are "
     "not counted, since most are of the trial's own packets",
     foreign_cpu, 0},
    {"steal_cpu", "cores", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL, "watch",
     "CPU that the hypervisor gave to others in the window", steal_cpu, 0},
};

const struct metric_group metric_machine = {rows, sizeof rows / sizeof *rows};
