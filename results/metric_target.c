/* Figures of the target: what it counted in the window, from its last word,
 * else from the seconds polled over HTTP; what its heap did. */
#include <math.h>

#include "results/metric.h"
#include "results/told.h"

typedef const struct tally *tally_in;
typedef const struct tally_task *task_in;

/* The target's own number, or the sum over the polled seconds: a last word need
 * not have all. */
static double or_polled(double told, double polled)
{
    return isnan(told) ? polled : told;
}

static double read_bytes(tally_in tally)
{
    return or_polled(tally->final.window_read_bytes, TOLD(tally, read_bytes));
}

static double reads(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    return or_polled(tally->final.window_reads, TOLD(tally, reads));
}

static double docs_counted(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    return told_docs(tally);
}

static double bytes_per_read(tally_in tally, task_in task, int arg)
{
    return read_bytes(tally) / reads(tally, task, arg);
}

/* The target tells each bucket by its lowest value, and sizes of buffers are
 * such values. */
static double full_share(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    const struct hist *h = tally->final.hists[FINAL_READ_BYTES];
    if (!h || !tally->final.fixed_bytes)
        return NAN;
    return (double)h->counts[hist_bucket(tally->final.fixed_bytes)] /
           (double)h->total;
}

static double waste(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    return or_polled(tally->final.window_buffer_bytes,
                     TOLD(tally, buffer_bytes)) /
           read_bytes(tally);
}

static double cpu_per_mb(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    return tally->final.window_cpu_ns / (read_bytes(tally) / 1e6);
}

static double outside_bytes(tally_in tally)
{
    return or_polled(tally->final.heap_outside_bytes,
                     TOLD(tally, outside_bytes));
}

static double tlab_bytes(tally_in tally)
{
    return or_polled(tally->final.heap_tlab_bytes, TOLD(tally, tlab_bytes));
}

/* arg 0 outside TLABs, 1 in TLABs: whole bytes. */
static double allocated(tally_in tally, task_in task, int arg)
{
    (void)task;
    return arg ? tlab_bytes(tally) : outside_bytes(tally);
}

static double allocated_per_byte(tally_in tally, task_in task, int arg)
{
    return allocated(tally, task, arg) / read_bytes(tally);
}

static double allocated_s(tally_in tally, task_in task, int arg)
{
    const struct final *f = &tally->final;
    double window_ns = f->window_t1_ns - f->window_t0_ns;
    return allocated(tally, task, arg) * 1e9 / window_ns;
}

static double average(tally_in tally, task_in task, int arg)
{
    const struct final *f = &tally->final;
    return allocated(tally, task, arg) /
           (arg ? f->heap_tlab_count : f->heap_outside_count);
}

/* arg: which of the heap's numbers. */
enum { OUT_N, OUT_MIN, OUT_MAX, TLAB_N, TLAB_MIN, TLAB_MAX, USED, PAUSE };

static double heap(tally_in tally, task_in task, int arg)
{
    (void)task;
    const struct final *f = &tally->final;
    const double numbers[] = {
        f->heap_outside_count,
        f->heap_outside_count > 0 ? f->heap_outside_min_bytes : NAN,
        f->heap_outside_count > 0 ? f->heap_outside_max_bytes : NAN,
        f->heap_tlab_count,
        f->heap_tlab_count > 0 ? f->heap_tlab_min_bytes : NAN,
        f->heap_tlab_count > 0 ? f->heap_tlab_max_bytes : NAN,
        or_polled(f->heap_used_max_bytes, TOLD(tally, heap_used)),
        f->heap_pause_max_ns};
    return numbers[arg];
}

/* arg: which collections and what of them. */
enum { YOUNG_N, YOUNG_NS, OLD_N, OLD_NS };

static double collected(tally_in tally, task_in task, int arg)
{
    (void)task;
    const struct final *f = &tally->final;
    const double told[] = {f->heap_young_count, f->heap_young_pause_ns,
                           f->heap_old_count, f->heap_old_pause_ns};
    const double polled[] = {TOLD(tally, young_count), TOLD(tally, young_ns),
                             TOLD(tally, old_count), TOLD(tally, old_ns)};
    return or_polled(told[arg], polled[arg]);
}

static double collected_per_mb(tally_in tally, task_in task, int arg)
{
    return collected(tally, task, arg) / (read_bytes(tally) / 1e6);
}

/* Stopped time and the waiting for the mutators before it: what the collector's
 * work took, as a clock on the wall sees it. */
static double elapsed(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    const struct final *f = &tally->final;
    return f->heap_young_pause_ns + f->heap_old_pause_ns + f->heap_safepoint_ns;
}

/* Sizes of TLABs follow each thread's share of eden and need 6 to 8 young
 * collections to settle (target-memory.md section d); 12 are safe. */
#define SETTLED_COLLECTIONS 12

static double transient(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    double n = tally->final.heap_young_since_start;
    return isnan(n) ? NAN : n < SETTLED_COLLECTIONS;
}

/* Of what was allocated outside TLABs, what the event loops did. */
static double network_share(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    const struct final *f = &tally->final;
    return f->heap_worker_outside_bytes / f->heap_outside_bytes;
}

static double hiccup_max(tally_in tally, task_in task, int arg)
{
    (void)task, (void)arg;
    const struct hist *h = tally->final.hists[FINAL_HICCUP];
    return h && h->total ? (double)h->max : NAN;
}

static const struct metric rows[] = {
    {"docs_counted", "docs", METRIC_NEITHER, METRIC_EXACT, METRIC_TRIAL,
     "target", "documents that the target accepted since its start",
     docs_counted, 0},
    {"bytes_per_read", "bytes", METRIC_NEITHER, METRIC_RATIO, METRIC_TRIAL,
     "target", "bytes read from sockets / successful reads, in the window",
     bytes_per_read, 0},
    {"reads", "reads", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL, "target",
     "successful reads from sockets in the window", reads, 0},
    {"reads_full_share", "share", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "reads that filled a fixed predictor's buffer / reads",
     full_share, 0},
    {"waste", "bytes/byte", METRIC_LOWER, METRIC_RATIO, METRIC_TRIAL, "target",
     "bytes of receive buffers allocated / bytes read", waste, 0},
    {"target_cpu_per_mb", "ns/MB", METRIC_LOWER, METRIC_RATIO, METRIC_TRIAL,
     "target", "CPU time of the target in the window / 10^6 bytes read",
     cpu_per_mb, 0},
    {"outside_bytes_per_byte", "bytes/byte", METRIC_LOWER, METRIC_ABS,
     METRIC_TRIAL, "target", "bytes allocated outside TLABs / bytes read",
     allocated_per_byte, 0},
    {"outside_count", "objects", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL,
     "target", "objects allocated outside TLABs in the window", heap, OUT_N},
    {"outside_bytes", "bytes", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL, "target",
     "bytes of objects allocated outside TLABs in the window", allocated, 0},
    {"outside_bytes_s", "bytes/s", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL,
     "target", "outside_bytes / the window's length", allocated_s, 0},
    {"outside_min_bytes", "bytes", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "the smallest object allocated outside TLABs in the window",
     heap, OUT_MIN},
    {"outside_max_bytes", "bytes", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "the largest object allocated outside TLABs in the window", heap,
     OUT_MAX},
    {"outside_avg_bytes", "bytes", METRIC_NEITHER, METRIC_RATIO, METRIC_TRIAL,
     "target", "mean size of objects allocated outside TLABs in the window",
     average, 0},
    {"tlab_bytes_per_byte", "bytes/byte", METRIC_LOWER, METRIC_ABS,
     METRIC_TRIAL, "target", "bytes of TLABs taken / bytes read",
     allocated_per_byte, 1},
    {"tlab_count", "TLABs", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL, "target",
     "TLABs taken in the window", heap, TLAB_N},
    {"tlab_bytes", "bytes", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL, "target",
     "bytes of TLABs taken in the window", allocated, 1},
    {"tlab_bytes_s", "bytes/s", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL,
     "target", "tlab_bytes / the window's length", allocated_s, 1},
    {"tlab_min_bytes", "bytes", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "the smallest TLAB taken in the window", heap, TLAB_MIN},
    {"tlab_max_bytes", "bytes", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "the largest TLAB taken in the window", heap, TLAB_MAX},
    {"tlab_avg_bytes", "bytes", METRIC_NEITHER, METRIC_RATIO, METRIC_TRIAL,
     "target", "mean size of TLABs taken in the window", average, 1},
    {"young_count", "collections", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL,
     "target", "young collections in the window", collected, YOUNG_N},
    {"young_pause_ns", "ns", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL, "target",
     "time in the window that young collections stopped the target for",
     collected, YOUNG_NS},
    {"young_pause_per_mb", "ns/MB", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL,
     "target", "young_pause_ns / 10^6 bytes read", collected_per_mb, YOUNG_NS},
    {"old_count", "collections", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL,
     "target", "old collections in the window", collected, OLD_N},
    {"old_pause_ns", "ns", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL, "target",
     "time in the window that old collections stopped the target for",
     collected, OLD_NS},
    {"old_pause_per_mb", "ns/MB", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL,
     "target", "old_pause_ns / 10^6 bytes read", collected_per_mb, OLD_NS},
    {"pause_max_ns", "ns", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL, "target",
     "the longest single stop by a collection in the window", heap, PAUSE},
    {"gc_elapsed_ns", "ns", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL, "target",
     "young_pause_ns + old_pause_ns + what the collector waited for threads "
     "to stop",
     elapsed, 0},
    {"hiccup_max_ns", "ns", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL, "target",
     "longest delay that a thread outside the collector felt", hiccup_max, 0},
    {"network_outside_share", "share", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "target", "bytes outside TLABs of the event loops / of all threads",
     network_share, 0},
    {"transient", "0 or 1", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL, "target",
     "1: fewer than 12 young collections since the start, TLAB sizes have not "
     "settled",
     transient, 0},
    {"heap_used_max_bytes", "bytes", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL,
     "target", "most that the heap held at a time", heap, USED},
};

const struct metric_group metric_target = {rows, sizeof rows / sizeof *rows};
