/* Figures of a target that is a Java virtual machine: its collections by each
 * source that tells of them, so that they can be held against each other, and
 * what its compilers did. */
#include <math.h>

#include "results/metric.h"
#include "results/told.h"

typedef const struct tally *tally_in;
typedef const struct tally_task *task_in;

/* arg: which of the log's numbers. */
enum {
    LOG_YOUNG_N,
    LOG_YOUNG,
    LOG_OLD_N,
    LOG_OLD,
    LOG_CONCURRENT,
    LOG_AFTER,
    STOPS,
    STOPPED,
    STOPPING
};

static double of_log(tally_in tally, task_in task, int arg)
{
    (void)task;
    const struct record_jvm *r = &tally->jvm.window;
    const uint64_t numbers[] = {
        r->log_young_count, r->log_young_ns,      r->log_old_count,
        r->log_old_ns,      r->log_concurrent_ns, r->log_after_max,
        r->safepoints,      r->safepoint_ns,      r->safepoint_wait_ns};
    bool none = arg == LOG_AFTER && !r->log_after_max; /* no collection */
    return tally->jvm.known && r->log && !none ? (double)numbers[arg] : NAN;
}

/* arg: which of the recording's. */
enum {
    JFR_YOUNG_N,
    JFR_YOUNG,
    JFR_YOUNG_ELAPSED,
    JFR_OLD_N,
    JFR_OLD,
    JFR_OLD_ELAPSED,
    JFR_LONGEST,
    JFR_COMPILES,
    JFR_COMPILING
};

static double of_recording(tally_in tally, task_in task, int arg)
{
    (void)task;
    const struct record_jvm *r = &tally->jvm.window;
    const uint64_t numbers[] = {
        r->jfr_young_count,  r->jfr_young_ns, r->jfr_young_elapsed_ns,
        r->jfr_old_count,    r->jfr_old_ns,   r->jfr_old_elapsed_ns,
        r->jfr_pause_max_ns, r->compiles,     r->compile_ns};
    return tally->jvm.known && r->recording ? (double)numbers[arg] : NAN;
}

/* arg: which of the counters'. */
enum {
    COUNTED_YOUNG_N,
    COUNTED_YOUNG,
    COUNTED_OLD_N,
    COUNTED_OLD,
    COUNTED_STOPPED,
    COUNTED_COMPILES,
    COUNTED_COMPILING
};

static double of_counters(tally_in tally, task_in task, int arg)
{
    (void)task;
    const struct record_sample_jvm *c = &tally->jvm.counted;
    const uint64_t numbers[] = {c->young_count, c->young_ns,     c->old_count,
                                c->old_ns,      c->safepoint_ns, c->compiles,
                                c->compile_ns};
    return tally->jvm.seconds ? (double)numbers[arg] : NAN;
}

/* What the machine's own beans say, as its statistics pass it on. arg: which
 * of them. */
enum { TOLD_YOUNG_N, TOLD_YOUNG, TOLD_OLD_N, TOLD_OLD };

static double of_stats(tally_in tally, task_in task, int arg)
{
    (void)task;
    const double numbers[] = {TOLD(tally, young_count), TOLD(tally, young_ns),
                              TOLD(tally, old_count), TOLD(tally, old_ns)};
    return tally->jvm.known ? numbers[arg] : NAN;
}

static const struct metric rows[] = {
    {"log_young_count", "collections", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "gc log", "young collections in the window, by the JVM's log", of_log,
     LOG_YOUNG_N},
    {"log_young_pause_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "gc log", "sum of the log's pauses of young collections", of_log,
     LOG_YOUNG},
    {"log_old_count", "collections", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "gc log", "other collections that stopped it in the window, by the log",
     of_log, LOG_OLD_N},
    {"log_old_pause_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "gc log", "sum of the log's pauses of other collections", of_log, LOG_OLD},
    {"log_concurrent_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "gc log",
     "elapsed time of what collections did beside the threads, pauses of their "
     "cycles included",
     of_log, LOG_CONCURRENT},
    {"safepoint_count", "stops", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "gc log", "stops of all threads in the window, for whatever reason",
     of_log, STOPS},
    {"safepoint_ns", "ns", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL, "gc log",
     "time of such stops, from the wish to stop to the going on", of_log,
     STOPPED},
    {"safepoint_wait_ns", "ns", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL,
     "gc log", "of safepoint_ns, until all threads had stopped", of_log,
     STOPPING},
    {"heap_after_max_bytes", "bytes", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL,
     "gc log", "most that a collection in the window left in use", of_log,
     LOG_AFTER},
    {"recording_young_count", "collections", METRIC_NEITHER, METRIC_ABS,
     METRIC_TRIAL, "recording",
     "young collections in the window, by the flight recording", of_recording,
     JFR_YOUNG_N},
    {"recording_young_pause_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "recording", "their sums of pauses", of_recording, JFR_YOUNG},
    {"recording_young_elapsed_ns", "ns", METRIC_NEITHER, METRIC_ABS,
     METRIC_TRIAL, "recording", "their durations, from begin to end",
     of_recording, JFR_YOUNG_ELAPSED},
    {"recording_old_count", "collections", METRIC_NEITHER, METRIC_ABS,
     METRIC_TRIAL, "recording",
     "other collections in the window, by the flight recording", of_recording,
     JFR_OLD_N},
    {"recording_old_pause_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "recording", "their sums of pauses", of_recording, JFR_OLD},
    {"recording_old_elapsed_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "recording",
     "their durations, from begin to end: of a concurrent one mostly time in "
     "which nothing was stopped",
     of_recording, JFR_OLD_ELAPSED},
    {"recording_pause_max_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "recording", "the longest single pause, by the flight recording",
     of_recording, JFR_LONGEST},
    {"counters_young_count", "collections", METRIC_NEITHER, METRIC_ABS,
     METRIC_TRIAL, "counters",
     "young collections in the window's seconds, by the JVM's counters",
     of_counters, COUNTED_YOUNG_N},
    {"counters_young_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "counters", "time of young collections, by the counters", of_counters,
     COUNTED_YOUNG},
    {"counters_old_count", "collections", METRIC_NEITHER, METRIC_ABS,
     METRIC_TRIAL, "counters",
     "full collections and stops of concurrent ones, by the counters",
     of_counters, COUNTED_OLD_N},
    {"counters_old_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "counters", "their time, by the counters", of_counters, COUNTED_OLD},
    {"counters_safepoint_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "counters", "time of all stops, reaching them left out, by the counters",
     of_counters, COUNTED_STOPPED},
    {"stats_young_count", "collections", METRIC_NEITHER, METRIC_ABS,
     METRIC_TRIAL, "statistics",
     "young collections, by what the JVM's statistics told each second",
     of_stats, TOLD_YOUNG_N},
    {"stats_young_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "statistics", "time of young collections, by the statistics", of_stats,
     TOLD_YOUNG},
    {"stats_old_count", "collections", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "statistics", "old collections, by the statistics", of_stats, TOLD_OLD_N},
    {"stats_old_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "statistics", "time of old collections, by the statistics", of_stats,
     TOLD_OLD},
    {"compile_count", "methods", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "recording", "compilations that ended in the window", of_recording,
     JFR_COMPILES},
    {"compile_ns", "ns", METRIC_LOWER, METRIC_ABS, METRIC_TRIAL, "recording",
     "their durations, of all compiling threads together", of_recording,
     JFR_COMPILING},
    {"counters_compile_count", "methods", METRIC_NEITHER, METRIC_ABS,
     METRIC_TRIAL, "counters", "compilations, by the counters", of_counters,
     COUNTED_COMPILES},
    {"counters_compile_ns", "ns", METRIC_NEITHER, METRIC_ABS, METRIC_TRIAL,
     "counters", "time of compilations, by the counters", of_counters,
     COUNTED_COMPILING},
};

const struct metric_group metric_jvm = {rows, sizeof rows / sizeof *rows};
