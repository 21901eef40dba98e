/* Figures of the driver: its tasks over their windows, and its own totals. */
#include <math.h>
#include <stdlib.h>

#include "common/measure.h"
#include "results/metric.h"
#include "results/steady.h"

typedef const struct tally *tally_in;
typedef const struct tally_task *task_in;

static double rate(uint64_t count, task_in task)
{
    return task->ended && task->window_ns ? measure_rate(count, task->window_ns)
                                          : NAN;
}

static double throughput(tally_in tally, task_in task, int arg)
{
    (void)tally, (void)arg;
    return task->docs_unit ? rate(task->docs, task) : NAN;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of values [n], put in order: arg 0 least, 1 median, 2 most. */
static double rank_of(double *values, size_t n, int arg)
{
    qsort(values, n, sizeof *values, by_size);
    double median = (values[(n - 1) / 2] + values[n / 2]) / 2;
    return arg == 1 ? median : values[arg ? n - 1 : 0];
}

/* Of the per-second series. */
static double throughput_second(tally_in tally, task_in task, int arg)
{
    (void)tally;
    size_t n = task->n_series;
    double *each = n && task->docs_unit ? calloc(n, sizeof *each) : NULL;
    if (!each)
        return NAN;
    for (size_t i = 0; i < n; i++)
        each[i] = (double)task->series[i];
    double out = rank_of(each, n, arg);
    free(each);
    return out;
}

/* Rally's throughput: at each second all documents so far over all seconds so
 * far, its warm-up among both (its issue 175). */
static double throughput_running(tally_in tally, task_in task, int arg)
{
    (void)tally;
    size_t n = task->n_series;
    double *each = n && task->docs_unit ? calloc(n, sizeof *each) : NULL;
    if (!each)
        return NAN;
    double docs = (double)task->lead_docs, seconds = (double)task->lead_s;
    for (size_t i = 0; i < n; i++) {
        docs += (double)task->series[i];
        each[i] = docs / ++seconds;
    }
    double out = rank_of(each, n, arg);
    free(each);
    return out;
}

static double unsteady(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    return steady_odd(tally->all.series, tally->all.n_series, STEADY_MARGIN,
                      STEADY_ACCEPTED);
}

static double ops_s(tally_in tally, task_in task, int arg)
{
    (void)tally, (void)arg;
    return rate(task->ops, task);
}

static double body_mb_s(tally_in tally, task_in task, int arg)
{
    (void)tally, (void)arg;
    return rate(task->bytes, task) / 1e6;
}

static double percentile(const struct hist *h, int arg)
{
    uint64_t value = 0;
    return h && measure_value(h, (size_t)arg, &value) ? (double)value : NAN;
}

static double latency(tally_in tally, task_in task, int arg)
{
    (void)tally;
    return percentile(task->latency, arg);
}

static double service(tally_in tally, task_in task, int arg)
{
    (void)tally;
    return percentile(task->service, arg);
}

/* arg 0 mean, 1 largest; of as many samples as a median needs. */
static double moment(const struct hist *h, int arg)
{
    if (!h || h->total < measure_percentiles[0].samples_min)
        return NAN;
    return arg ? (double)h->max : hist_mean(h);
}

static double latency_moment(tally_in tally, task_in task, int arg)
{
    (void)tally;
    return moment(task->latency, arg);
}

static double service_moment(tally_in tally, task_in task, int arg)
{
    (void)tally;
    return moment(task->service, arg);
}

static double error_rate(tally_in tally, task_in task, int arg)
{
    (void)tally, (void)arg;
    return (double)task->errors / (double)(task->ops + task->errors);
}

/* arg: which of the task's counts. */
enum { DOCS_FAILED, LATE, DROPPED };

static double count(tally_in tally, task_in task, int arg)
{
    (void)tally;
    const uint64_t counts[] = {task->docs_failed, task->late, task->dropped};
    return task->ended ? (double)counts[arg] : NAN;
}

static double offered_s(tally_in tally, task_in task, int arg)
{
    (void)tally, (void)arg;
    return task->offered_s > 0 ? task->offered_s : NAN;
}

static double achieved_s(tally_in tally, task_in task, int arg)
{
    (void)tally, (void)arg;
    return task->offered_s > 0 ? rate(task->ops + task->errors, task) : NAN;
}

/* arg: which of the driver's totals. */
enum {
    ACKED,
    REFUSED,
    UNKNOWN,
    RETRIED,
    CONNECTS,
    LOST,
    LAG,
    BLOCKED,
    LATER,
    LAG_P99,
    LAG_MEAN,
    LATE_P99
};

static double driver(tally_in tally, task_in task, int arg)
{
    (void)task;
    const struct record_driver *d = &tally->driver;
    const uint64_t totals[] = {
        d->docs_acked,      d->docs_refused,     d->docs_unknown,
        d->retried,         d->connects,         d->connects_lost,
        d->loop_lag_max_ns, d->send_blocked_ns,  d->records_blocked,
        d->loop_lag_p99_ns, d->loop_lag_mean_ns, d->late_p99_ns};
    return tally->driver_known ? (double)totals[arg] : NAN;
}

/* None where each answer named its documents, as bulks' answers do. */
static double assumed(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    uint64_t n = tally->driver.docs_assumed;
    return tally->driver_known && n ? (double)n : NAN;
}

static double reuse(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    const struct record_driver *d = &tally->driver;
    if (!tally->driver_known || !d->requests)
        return NAN;
    return d->connects < d->requests
               ? 1 - (double)d->connects / (double)d->requests
               : 0;
}

static double cpu_per_request(tally_in tally, task_in task, int arg)
{
    (void)arg;
    const struct record_driver *d = &tally->driver;
    uint64_t n = task->ops + task->errors;
    if (!tally->driver_known || !task->ended || !n)
        return NAN;
    return (double)(d->cpu_user_ns + d->cpu_system_ns) / (double)n;
}

static double cpu_per_mb(tally_in tally, task_in task, int arg)
{
    (void)arg;
    const struct record_driver *d = &tally->driver;
    if (!tally->driver_known || !task->ended || !task->bytes)
        return NAN;
    return (double)(d->cpu_user_ns + d->cpu_system_ns) /
           ((double)task->bytes / 1e6);
}

static double cpu_busiest(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    const struct record_driver *d = &tally->driver;
    return tally->driver_known && d->window_ns
               ? (double)d->cpu_max_ns / (double)d->window_ns
               : NAN;
}

#define PERCENTILES(which, what)                                               \
    {#which "_p50",                                                            \
     "ns",                                                                     \
     METRIC_LOWER,                                                             \
     METRIC_RATIO,                                                             \
     METRIC_TASKS,                                                             \
     "load",                                                                   \
     "50 % of the requests in the window had a " what                          \
     " of at most this; from 20 requests on",                                  \
     which,                                                                    \
     0},                                                                       \
        {#which "_p90",                                                        \
         "ns",                                                                 \
         METRIC_LOWER,                                                         \
         METRIC_RATIO,                                                         \
         METRIC_TASKS,                                                         \
         "load",                                                               \
         "90 % of the requests in the window had a " what                      \
         " of at most this; from 100 requests on",                             \
         which,                                                                \
         1},                                                                   \
        {#which "_p99",                                                        \
         "ns",                                                                 \
         METRIC_LOWER,                                                         \
         METRIC_RATIO,                                                         \
         METRIC_TASKS,                                                         \
         "load",                                                               \
         "99 % of the requests in the window had a " what                      \
         " of at most this; from 1000 requests on",                            \
         which,                                                                \
         2},                                                                   \
        {#which "_p99.9",                                                      \
         "ns",                                                                 \
         METRIC_LOWER,                                                         \
         METRIC_RATIO,                                                         \
         METRIC_TASKS,                                                         \
         "load",                                                               \
         "99.9 % of the requests in the window had a " what                    \
         " of at most this; from 10,000 requests on",                          \
         which,                                                                \
         3},                                                                   \
        {#which "_p99.99",                                                     \
         "ns",                                                                 \
         METRIC_LOWER,                                                         \
         METRIC_RATIO,                                                         \
         METRIC_TASKS,                                                         \
         "load",                                                               \
         "99.99 % of the requests in the window had a " what                   \
         " of at most this; from 100,000 requests on",                         \
         which,                                                                \
         4},                                                                   \
        {#which "_mean",                                                       \
         "ns",                                                                 \
         METRIC_LOWER,                                                         \
         METRIC_RATIO,                                                         \
         METRIC_TASKS,                                                         \
         "load",                                                               \
         "mean " what "; from 20 requests",                                    \
         which##_moment,                                                       \
         0},                                                                   \
    {                                                                          \
#which "_max", "ns", METRIC_LOWER, METRIC_RATIO, METRIC_TASKS, "load", \
            "largest " what "; from 20 requests", which##_moment, 1            \
    }

#define RUNNING                                                                \
    "as Rally has it: at each of the window's whole seconds, documents "       \
    "acknowledged since the task's first second / those seconds, warm-up "     \
    "among both; of these "

static const struct metric rows[] = {
    {"throughput", "docs/s", METRIC_HIGHER, METRIC_RATIO, METRIC_TASKS, "load",
     "documents acknowledged in the window / its length", throughput, 0},
    {"throughput_min", "docs/s", METRIC_HIGHER, METRIC_ABS, METRIC_TASKS,
     "load",
     "documents acknowledged in a second, the worst of the window's whole "
     "seconds",
     throughput_second, 0},
    {"throughput_median", "docs/s", METRIC_HIGHER, METRIC_ABS, METRIC_TASKS,
     "load",
     "documents acknowledged in a second, the median of the window's whole "
     "seconds",
     throughput_second, 1},
    {"throughput_max", "docs/s", METRIC_HIGHER, METRIC_ABS, METRIC_TASKS,
     "load",
     "documents acknowledged in a second, the best of the window's whole "
     "seconds",
     throughput_second, 2},
    {"throughput_running_min", "docs/s", METRIC_HIGHER, METRIC_RATIO,
     METRIC_TASKS, "load", RUNNING "the least", throughput_running, 0},
    {"throughput_running_median", "docs/s", METRIC_HIGHER, METRIC_RATIO,
     METRIC_TASKS, "load", RUNNING "the median", throughput_running, 1},
    {"throughput_running_max", "docs/s", METRIC_HIGHER, METRIC_RATIO,
     METRIC_TASKS, "load", RUNNING "the most", throughput_running, 2},
    {"ops_s", "ops/s", METRIC_HIGHER, METRIC_RATIO, METRIC_TASKS, "load",
     "requests answered 2xx in the window / its length", ops_s, 0},
    {"body_mb_s", "MB/s", METRIC_HIGHER, METRIC_RATIO, METRIC_TASKS, "load",
     "body bytes, in 10^6, of requests answered 2xx in the window / its "
     "length",
     body_mb_s, 0},
    PERCENTILES(latency, "latency (from the intended start)"),
    PERCENTILES(service, "service time (first byte sent to last received)"),
    {"error_rate", "share", METRIC_LOWER, METRIC_ABS, METRIC_TASKS, "load",
     "requests due in the window that failed or were not answered 2xx / these "
     "and those answered 2xx in it",
     error_rate, 0},
    {"docs_failed", "docs", METRIC_LOWER, METRIC_ABS, METRIC_TASKS, "load",
     "documents refused in the window, one by one or all of a request", count,
     DOCS_FAILED},
    {"offered_s", "ops/s", METRIC_NEITHER, METRIC_EXACT, METRIC_TASKS, "load",
     "requests per second asked for (open loop)", offered_s, 0},
    {"achieved_s", "ops/s", METRIC_HIGHER, METRIC_RATIO, METRIC_TASKS, "load",
     "requests answered 2xx in the window, and those due in it that failed / "
     "its length",
     achieved_s, 0},
    {"late", "ops", METRIC_LOWER, METRIC_ABS, METRIC_TASKS, "load",
     "requests started more than 1 ms after their intended start", count, LATE},
    {"dropped", "ops", METRIC_LOWER, METRIC_ABS, METRIC_TASKS, "load",
     "requests due in the window and never started", count, DROPPED},
    {"docs_acked", "docs", METRIC_NEITHER, METRIC_EXACT, METRIC_TRIAL, "load",
     "documents acknowledged in total: warm-up, window and drain", driver,
     ACKED},
    {"docs_refused", "docs", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL, "load",
     "documents answered but not acknowledged, in total", driver, REFUSED},
    {"docs_assumed", "docs", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL, "load",
     "of docs_acked, those in bulks answered 2xx without a word of any "
     "document: not counted by the target",
     assumed, 0},
    {"docs_unknown", "docs", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL, "load",
     "documents sent whose request was never answered, in total", driver,
     UNKNOWN},
    {"retried", "ops", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL, "load",
     "requests sent again without being asked, in total", driver, RETRIED},
    {"connects", "connections", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "load", "connections opened, in total", driver, CONNECTS},
    {"reuse", "share", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL, "load",
     "requests on a connection that an earlier one had used / all requests, in "
     "total",
     reuse, 0},
    {"connects_lost", "connections", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL,
     "load", "connections that the peer closed before an answer", driver, LOST},
    {"driver_lag_max_ns", "ns", METRIC_LOWER, METRIC_RATIO, METRIC_TRIAL,
     "load", "longest time that the driver's loop was away from its sockets",
     driver, LAG},
    {"driver_lag_p99_ns", "ns", METRIC_LOWER, METRIC_RATIO, METRIC_TRIAL,
     "load",
     "in 99 % of the window's moments the driver's loop was back within this",
     driver, LAG_P99},
    {"driver_lag_mean_ns", "ns", METRIC_LOWER, METRIC_RATIO, METRIC_TRIAL,
     "load", "what something ready waits on average for the driver's loop",
     driver, LAG_MEAN},
    {"driver_late_p99_ns", "ns", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL, "load",
     "99 % of the requests started at most so long after they could have",
     driver, LATE_P99},
    {"driver_cpu_share", "share", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL,
     "load",
     "share of the window in which the driver's busiest thread had a CPU",
     cpu_busiest, 0},
    {"driver_blocked_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "load", "time in which some body waited for room in its socket", driver,
     BLOCKED},
    {"driver_cpu_per_request", "ns", METRIC_LOWER, METRIC_RATIO, METRIC_TRIAL,
     "load", "CPU time of the driver in the window / requests", cpu_per_request,
     0},
    {"driver_cpu_per_mb", "ns/MB", METRIC_LOWER, METRIC_RATIO, METRIC_TRIAL,
     "load", "CPU time of the driver in the window / body bytes, 10^6 bytes",
     cpu_per_mb, 0},
    {"records_blocked", "records", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL,
     "load", "records that the driver's full data pipe lost", driver, LATER},
    {"unsteady", "windows", METRIC_NEITHER, METRIC_EXACT, METRIC_TRIAL, "load",
     "1: throughput had no steady state in the window, or drifted; 0: it was "
     "steady; of windows from 10 seconds on",
     unsteady, 0},
};

const struct metric_group metric_load = {rows, sizeof rows / sizeof *rows};
