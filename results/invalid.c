#include "results/invalid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "results/invalid_machine.h"
#include "results/steady.h"
#include "results/told.h"

typedef unsigned long long ull;

/* The kernel gives an accepted socket tcp_rmem's default and lets it grow up
 * to its maximum; a socket of a listener that was there before the setting has
 * something else, though the setting reads back. */
static bool rmem(const struct tally *tally, enum attempt_outcome outcome,
                 char *buf, size_t size)
{
    (void)outcome;
    const struct tally_side *target = &tally->sides[TALLY_TARGET];
    const uint64_t *want = tally->effective.rmem_bytes;
    if (!tally->effective.rmem_known || !target->rcvbuf_min)
        return false;
    (void)snprintf(buf, size,
                   "receive buffers of accepted sockets are %llu to %llu "
                   "bytes, tcp_rmem is %llu %llu %llu",
                   (ull)target->rcvbuf_min, (ull)target->rcvbuf_max,
                   (ull)want[0], (ull)want[1], (ull)want[2]);
    return target->rcvbuf_min < want[1] || target->rcvbuf_max > want[2];
}

/* A route can force another one on a socket that has asked, and was granted. */
static bool congestion(const struct tally *tally, enum attempt_outcome outcome,
                       char *buf, size_t size)
{
    (void)outcome;
    const char *want = tally->effective.congestion;
    int used =
        snprintf(buf, size, "asked of the load's sockets was %s, seen:", want);
    bool other = false;
    for (size_t i = 0; i < tally->n_congestions; i++) {
        const struct tally_congestion *c = &tally->congestions[i];
        other |= c->seen && strcmp(c->name, want) != 0;
        if (used > 0 && (size_t)used < size)
            used +=
                snprintf(buf + used, size - (size_t)used, "%s %s %llu times",
                         i ? "," : "", c->name, (ull)c->seen);
    }
    return *want && other;
}

static bool documents(const struct tally *tally, enum attempt_outcome outcome,
                      char *buf, size_t size)
{
    const struct record_driver *d = &tally->driver;
    double counted = told_docs(tally);
    if (outcome != OUTCOME_OK || !tally->driver_known || isnan(counted))
        return false;
    (void)snprintf(buf, size,
                   "acknowledged to the driver %llu, counted by the target "
                   "%.0f (sent and never answered %llu, silent retries %llu)",
                   (ull)d->docs_acked, counted, (ull)d->docs_unknown,
                   (ull)d->retried);
    return (double)d->docs_acked != counted;
}

/* A task that the track keeps out of reports is none of what is measured: its
 * errors are shown, as Rally shows them, and spoil nothing. */
static bool is_of_trial(const struct tally_task *task)
{
    return task->ended && !task->hidden;
}

static bool rate(const struct tally *tally, enum attempt_outcome outcome,
                 char *buf, size_t size)
{
    if (outcome != OUTCOME_OK)
        return false;
    for (size_t i = 0; i < tally->n_tasks; i++) {
        const struct tally_task *task = &tally->tasks[i];
        if (!is_of_trial(task) || !tally_missed(task))
            continue;
        (void)snprintf(buf, size,
                       "task %s: %.6g ops/s offered, %.6g achieved, %llu never "
                       "started",
                       task->name, task->offered_s,
                       (double)(task->ops + task->errors) * 1e9 /
                           (double)task->window_ns,
                       (ull)task->dropped);
        return true;
    }
    return false;
}

/* A task that had nothing left to do, or was ended by another, before the time
 * was over: for the rest of it the target idled, and measured that too. */
static const struct tally_task *ended_early(const struct tally *tally)
{
    double planned_ns = (double)tally->planned_ns;
    for (size_t i = 0; i < tally->n_tasks; i++) {
        const struct tally_task *t = &tally->tasks[i];
        if (is_of_trial(t) && !t->step &&
            (double)t->window_ns < 0.99 * planned_ns - 10 * NS_PER_MS)
            return t;
    }
    return NULL;
}

/* A target that was not told its window, or too late, or that ended within it
 * has figures of another time: warm-up would be among them. */
static bool window(const struct tally *tally, enum attempt_outcome outcome,
                   char *buf, size_t size)
{
    const struct final *f = &tally->final;
    const struct tally_task *early = ended_early(tally);
    double planned_ns = (double)tally->planned_ns;
    double measured_ns = f->window_t1_ns - f->window_t0_ns;
    if (outcome != OUTCOME_OK || !tally->planned_ns || isnan(measured_ns))
        return false;
    if (early) {
        (void)snprintf(buf, size,
                       "task %s ended after %.3f s of the window's %.3f s: it "
                       "had sent all (\"looped\" begins again), or another "
                       "task's end ended it",
                       early->name, (double)early->window_ns / 1e9,
                       planned_ns / 1e9);
        return true;
    }
    (void)snprintf(buf, size,
                   "the target measured %.3f s%s, the window is %.3f s",
                   measured_ns / 1e9, f->partial ? " and ended within" : "",
                   planned_ns / 1e9);
    return f->partial ||
           fabs(measured_ns - planned_ns) > 0.01 * planned_ns + 10 * NS_PER_MS;
}

static bool records(const struct tally *tally, enum attempt_outcome outcome,
                    char *buf, size_t size)
{
    (void)outcome;
    (void)snprintf(buf, size, "%llu records could not be read, the first: %s",
                   (ull)tally->damaged, tally->damage);
    return tally->damaged > 0;
}

static bool lost(const struct tally *tally, enum attempt_outcome outcome,
                 char *buf, size_t size)
{
    (void)outcome;
    (void)snprintf(buf, size, "the driver's data pipe was full: %llu records",
                   (ull)tally->driver.records_blocked);
    return tally->driver_known && tally->driver.records_blocked > 0;
}

/* The window's edges are off by as much on that agent: by more than half a
 * percent they change what is measured. */
static bool clocks(const struct tally *tally, enum attempt_outcome outcome,
                   char *buf, size_t size)
{
    (void)outcome;
    (void)snprintf(buf, size,
                   "agent %s began the window of %.3f s within %.3f ms of the "
                   "agreed instant; accepted: 0.5 %%",
                   tally->clock_agent, (double)tally->planned_ns / 1e9,
                   (double)tally->clock_ns / 1e6);
    return tally->planned_ns && tally->clock_ns > tally->planned_ns / 200;
}

/* Of several loads one may be cut off while the others go on: the sum would be
 * of a load that nobody asked for. */
static bool cut_off(const struct tally *tally, enum attempt_outcome outcome,
                    char *buf, size_t size)
{
    (void)snprintf(buf, size,
                   "agent %s: %llu documents were sent and never answered",
                   tally->unanswered_agent, (ull)tally->unanswered);
    return outcome == OUTCOME_OK && tally->apart && tally->unanswered > 0;
}

static bool nothing(const struct tally *tally, enum attempt_outcome outcome,
                    char *buf, size_t size)
{
    (void)snprintf(buf, size, "the driver reported no %s",
                   tally->all.ended ? "totals" : "task");
    return outcome == OUTCOME_OK && (!tally->all.ended || !tally->driver_known);
}

/* A workload of which a task did not happen is another one. */
static bool task_failed(const struct tally *tally, enum attempt_outcome outcome,
                        char *buf, size_t size)
{
    if (outcome != OUTCOME_OK)
        return false;
    for (size_t i = 0; i < tally->n_tasks; i++) {
        const struct tally_task *t = &tally->tasks[i];
        bool no_docs = t->docs_unit && !t->docs && t->docs_failed;
        if (!is_of_trial(t) || (!no_docs && (t->ops || !t->errors)))
            continue;
        (void)snprintf(buf, size,
                       "task %s: none of its %llu %s succeeded, the first "
                       "answer: %s",
                       t->name, (ull)(no_docs ? t->docs_failed : t->errors),
                       no_docs ? "documents" : "operations", t->error_text);
        return true;
    }
    return false;
}

/* Figures of a window are of a state that lasted, or of none. */
static bool unsteady(const struct tally *tally, enum attempt_outcome outcome,
                     char *buf, size_t size)
{
    double limit = tally->accept.limit[ACCEPT_DRIFT];
    struct steady s;
    if (outcome != OUTCOME_OK || isinf(limit))
        return false;
    steady_judge(&s, tally->all.series, tally->all.n_series, limit);
    if (s.cut_s)
        (void)snprintf(buf, size,
                       "MSER-5 would cut the first %zu of %zu s, as far as it "
                       "may: warm up for longer",
                       s.cut_s, tally->all.n_series);
    else
        (void)snprintf(buf, size,
                       "throughput of the window's second half is %+.1f %% "
                       "of the first (Welch's t %.1f); accepted: %.3g",
                       100 * s.drift, s.t, limit);
    return !s.steady;
}

static const struct invalid_rule rules[] = {
    {"rmem not in effect", rmem},
    {"congestion not in effect", congestion},
    {"documents disagree", documents},
    {"rate missed", rate},
    {"window not kept", window},
    {"records damaged", records},
    {"records lost", lost},
    {"nothing measured", nothing},
    {"start uncertain", clocks},
    {"load cut off", cut_off},
    {"task failed", task_failed},
    {"no steady state", unsteady},
    {"pin not in effect", invalid_pin},
    {"setting not in effect", invalid_changed},
    {"foreign load", invalid_foreign},
    {"CPU stolen", invalid_steal},
    {"CPU throttled", invalid_throttled},
    {"link errors", invalid_link},
};

const struct invalid_rule *invalid_rule(size_t i)
{
    return i < sizeof rules / sizeof *rules ? &rules[i] : NULL;
}
