/* The second pass: samples of the seconds within the window. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "results/told.h"

#define LINK_BIT_S_MAX 1e15 /* sanity of what a stranger states */

static bool inside(const struct tally *tally, int64_t second)
{
    return second >= 0 && second < tally->whole_s;
}

/* Of several load machines, "load" and "load2", all are the load's side. NULL:
 * a side that nobody knows. */
static struct tally_side *side_of(struct tally *tally, const char *word)
{
    if (!strcmp(word, "target"))
        return &tally->sides[TALLY_TARGET];
    return strncmp(word, "load", 4) ? NULL : &tally->sides[TALLY_LOAD];
}

/* Seconds without a sample stay 0: nothing was answered in them. */
static enum err add_load(struct tally *tally,
                         const struct record_sample_load *r, struct why *why)
{
    struct tally_task *task = tally->tasks;
    while (task < tally->tasks + tally->n_tasks && strcmp(task->name, r->task))
        task++;
    if (task == tally->tasks + tally->n_tasks || !task->ended)
        return ERR_OK;
    /* Whole seconds of the trial within the task's window. */
    uint64_t first = (task->begin_ns + NS_PER_S - 1) / NS_PER_S;
    uint64_t end = (task->begin_ns + task->window_ns) / NS_PER_S;
    uint64_t whole = end > first ? end - first : 0;
    int64_t at = r->second - (int64_t)first;
    if (at < 0 && at >= -(int64_t)TALLY_SECONDS_MAX) {
        task->lead_docs += r->docs;
        if ((uint64_t)-at > task->lead_s)
            task->lead_s = (uint64_t)-at;
    }
    if (at < 0 || (uint64_t)at >= whole || whole > TALLY_SECONDS_MAX)
        return ERR_OK;
    if (!task->series) {
        task->series = calloc(whole, sizeof *task->series);
        if (!task->series)
            return err_set(why, ERR_NOMEM, "series of %s", task->name);
        task->n_series = whole;
    }
    task->series[at] += r->docs;
    return ERR_OK;
}

static enum err add_link(struct tally *tally,
                         const struct record_sample_link *r, struct why *why)
{
    if (!inside(tally, r->second))
        return ERR_OK;
    size_t i = 0;
    while (i < tally->n_links && (strcmp(tally->links[i].side, r->side) ||
                                  strcmp(tally->links[i].iface, r->iface)))
        i++;
    if (i == TALLY_LINKS_MAX)
        return err_set(why, ERR_RANGE, "%s: more than %u interfaces", r->iface,
                       TALLY_LINKS_MAX);
    struct tally_link *link = &tally->links[i];
    if (i == tally->n_links) {
        tally->n_links++;
        (void)snprintf(link->side, sizeof link->side, "%s", r->side);
        (void)snprintf(link->iface, sizeof link->iface, "%s", r->iface);
    }
    link->rx_bytes += r->rx_bytes;
    link->tx_bytes += r->tx_bytes;
    link->errors += r->rx_errors + r->tx_errors;
    link->dropped += r->rx_dropped + r->tx_dropped;
    link->seconds++;
    return ERR_OK;
}

static void add_tcp(struct tally *tally, const struct record_sample_tcp *r)
{
    struct tally_side *side = side_of(tally, r->side);
    if (!side)
        return;
    if (r->rcvbuf_min &&
        (!side->rcvbuf_min || r->rcvbuf_min < side->rcvbuf_min))
        side->rcvbuf_min = r->rcvbuf_min;
    if (r->rcvbuf_max > side->rcvbuf_max)
        side->rcvbuf_max = r->rcvbuf_max;
    if (!inside(tally, r->second))
        return;
    side->tcp_seconds++;
    side->sockets += r->sockets;
    side->rcvq_bytes += r->rcvq_mean_bytes;
    side->rcvbuf_bytes += r->sockets * r->rcvbuf_max;
    side->rwnd_limited_ns += r->rwnd_limited_ns;
    side->retransmits += r->segs_retrans;
    side->rcvq_pruned += r->rcvq_pruned;
}

static void add_cpu(struct tally *tally, const struct record_sample_cpu *r)
{
    struct tally_side *side = side_of(tally, r->side);
    if (!side || !inside(tally, r->second))
        return;
    side->cpu_seconds++;
    side->busy_ns += r->user_ns + r->system_ns + r->irq_ns + r->softirq_ns;
    side->irq_ns += r->irq_ns + r->softirq_ns;
    side->steal_ns += r->steal_ns;
    side->idle_ns += r->idle_ns + r->iowait_ns;
}

/* Processes of one second come one after the other. A sample after seconds that
 * have none holds those, too. */
static void add_top(struct tally_top *top, const struct record_sample_proc *r)
{
    if (!top->seen)
        top->first = r->second;
    if (!top->seen || top->last != r->second)
        top->last_ns = top->last_wait_ns = 0;
    top->seen = true;
    top->last = r->second;
    if (r->top_ns <= top->last_ns)
        return;
    top->ns += r->top_ns - top->last_ns;
    top->wait_ns += r->top_wait_ns - top->last_wait_ns;
    top->last_ns = r->top_ns;
    top->last_wait_ns = r->top_wait_ns;
    if (r->top_ns <= top->name_ns)
        return;
    top->name_ns = r->top_ns;
    (void)snprintf(top->name, sizeof top->name, "%s", r->top);
}

static void add_proc(struct tally *tally, const struct record_sample_proc *r)
{
    struct tally_side *side = side_of(tally, r->side);
    if (!side || !inside(tally, r->second))
        return;
    side->proc_ns += r->user_ns + r->system_ns;
    if (!strcmp(r->name, "watch"))
        return;
    side->own_ns += r->user_ns + r->system_ns;
    add_top(&side->top, r);
}

/* Devices beyond TALLY_DISKS_MAX are stored all the same. */
static void add_disk(struct tally *tally, const struct record_sample_disk *r)
{
    struct tally_side *side = side_of(tally, r->side);
    size_t i = 0;
    if (!side || !inside(tally, r->second))
        return;
    while (i < side->n_disks && strcmp(side->disks[i].device, r->device))
        i++;
    if (i == TALLY_DISKS_MAX)
        return;
    if (i == side->n_disks)
        (void)snprintf(side->disks[side->n_disks++].device,
                       sizeof side->disks[i].device, "%s", r->device);
    side->disks[i].busy_ns += r->busy_ns;
}

static void add_pressure(struct tally *tally,
                         const struct record_sample_pressure *r)
{
    struct tally_side *side = side_of(tally, r->side);
    if (!side || !inside(tally, r->second))
        return;
    side->pressure_seconds++;
    side->io_some_ns += r->io_some_ns;
}

static void add_target(struct tally *tally,
                       const struct record_sample_target *r)
{
    if (!inside(tally, r->second))
        return;
    struct record_sample_target *sum = &tally->polled;
    tally->polls++;
    sum->requests += r->requests;
    sum->rejected += r->rejected;
    sum->queued += r->queued;
    sum->reads += r->reads;
    sum->read_bytes += r->read_bytes;
    sum->buffer_bytes += r->buffer_bytes;
    sum->tlab_bytes += r->tlab_bytes;
    sum->outside_bytes += r->outside_bytes;
    sum->young_count += r->young_count;
    sum->young_ns += r->young_ns;
    sum->old_count += r->old_count;
    sum->old_ns += r->old_ns;
    if (r->heap_used > sum->heap_used)
        sum->heap_used = r->heap_used;
}

/* Whether one of a folded stack's frames has this name. */
static bool has_frame(const char *stack, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = stack; (at = strchr(at, ';')); at++)
        if (!strncmp(at + 1, name, len) &&
            (at[1 + len] == ';' || at[1 + len] == '\0'))
            return true;
    return false;
}

/* Lines of heads are decoded in decode_line (kept out of line for this); the
 * parser's library hides who called it, and has little to do with bodies.
 * pitwall-target is the only program whose functions are known. */
static void add_stack(struct tally *tally, const struct record_stack *r)
{
    static const char target[] = "pitwall-target;";
    if (strcmp(r->side, "target") != 0 ||
        strncmp(r->stack, target, strlen(target)) != 0 ||
        __builtin_add_overflow(tally->stacks, r->samples, &tally->stacks))
        return;
    if (has_frame(r->stack, "decode_line") ||
        has_frame(r->stack, "http_parser_execute"))
        tally->stacks_heads += r->samples;
}

/* Of several load machines each has told its own. */
static void add_congestion(struct tally *tally, const char *name, uint64_t seen)
{
    size_t i = 0;
    while (i < tally->n_congestions &&
           strcmp(tally->congestions[i].name, name) != 0)
        i++;
    if (i == TALLY_CONGESTIONS)
        return;
    struct tally_congestion *c = &tally->congestions[i];
    if (i == tally->n_congestions) {
        tally->n_congestions++;
        (void)snprintf(c->name, sizeof c->name, "%.31s", name);
    }
    if (__builtin_add_overflow(c->seen, seen, &c->seen))
        c->seen = UINT64_MAX;
}

/* What follows prefix in a fact's name, or NULL. */
static const char *fact_of(const struct record_fact *r, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(r->name, prefix, n) ? NULL : r->name + n;
}

/* Of capacity the larger of one stream and several: what the link could
 * carry. */
static void add_fact(struct tally *tally, const struct record_fact *r)
{
    const char *congestion = fact_of(r, "congestion.sockets.");
    if (fact_of(r, "capacity.bit_s.")) {
        double bit_s = strtod(r->value, NULL);
        if (bit_s > tally->link_bit_s && bit_s < LINK_BIT_S_MAX)
            tally->link_bit_s = bit_s;
    } else if (!strcmp(r->name, "affinity")) {
        struct tally_pin *pin = tally_pin_of(tally, r->side);
        if (pin)
            (void)snprintf(pin->seen, sizeof pin->seen, "%.63s", r->value);
    } else if (fact_of(r, "stats.")) {
        told_fact(tally, r);
    } else if (congestion && !strncmp(r->side, "load", 4)) {
        add_congestion(tally, congestion, strtoull(r->value, NULL, 10));
    }
}

enum err tally_sample(struct tally *tally, const struct record *record,
                      struct why *why)
{
    switch (record->kind) {
    case RECORD_IS_sample_load:
        return add_load(tally, &record->as.sample_load, why);
    case RECORD_IS_sample_link:
        return add_link(tally, &record->as.sample_link, why);
    case RECORD_IS_sample_tcp:
        add_tcp(tally, &record->as.sample_tcp);
        break;
    case RECORD_IS_sample_cpu:
        add_cpu(tally, &record->as.sample_cpu);
        break;
    case RECORD_IS_sample_proc:
        add_proc(tally, &record->as.sample_proc);
        break;
    case RECORD_IS_sample_target:
        add_target(tally, &record->as.sample_target);
        break;
    case RECORD_IS_sample_disk:
        add_disk(tally, &record->as.sample_disk);
        break;
    case RECORD_IS_sample_pressure:
        add_pressure(tally, &record->as.sample_pressure);
        break;
    case RECORD_IS_stack:
        add_stack(tally, &record->as.stack);
        break;
    case RECORD_IS_fact:
        add_fact(tally, &record->as.fact);
        break;
    case RECORD_IS_jvm:
        tally_jvm_take(tally, &record->as.jvm);
        break;
    case RECORD_IS_sample_jvm:
        if (inside(tally, record->as.sample_jvm.second))
            tally_jvm_add(tally, &record->as.sample_jvm);
        break;
    case RECORD_IS_sample_jit:
    case RECORD_IS_task:
    case RECORD_IS_driver:
    case RECORD_IS_hist:
    case RECORD_IS_driver_host:
    case RECORD_KIND_LAST:
        break;
    }
    return ERR_OK;
}
