#include "results/agree_jvm.h"

#include <math.h>
#include <stdio.h>

#include "results/agree.h"

/* A collection at each end of the window: sources have their own clocks, and
 * counters and statistics whole seconds. */
#define EDGE_COLLECTIONS 2.0
/* Where a pause begins and ends is each source's own matter. */
#define PAUSE_SHARE 0.02
#define PAUSE_NS    1e5
#define STOPS_SHARE 0.05
#define STOPS_NS    1e5 /* of each collection; other stops are shorter */
/* Statistics have whole milliseconds, at both ends. */
#define ROUND_NS 2e6

void agree_jvm_init(struct agree_jvm *jvm)
{
    const struct agree_jvm_source none = {NAN, NAN, NAN, NAN};
    *jvm = (struct agree_jvm){.log = none,
                              .recording = none,
                              .counters = none,
                              .statistics = none,
                              .log_concurrent_ns = NAN,
                              .recording_elapsed_ns = NAN,
                              .recording_max_ns = NAN,
                              .log_stops_ns = NAN,
                              .log_reaching_ns = NAN,
                              .counters_stops_ns = NAN};
}

/* In the order in which one is held against the others. */
static const enum agree_source order[] = {AGREE_LOG, AGREE_COUNTERS,
                                          AGREE_RECORDING, AGREE_STATISTICS};
#define N_ORDER (sizeof order / sizeof *order)

static const struct agree_jvm_source *source(const struct agree_jvm *jvm,
                                             enum agree_source which)
{
    return which == AGREE_LOG         ? &jvm->log
           : which == AGREE_COUNTERS  ? &jvm->counters
           : which == AGREE_RECORDING ? &jvm->recording
                                      : &jvm->statistics;
}

/* The first that tells anything; the last if none does. */
static size_t reference(const struct agree *a)
{
    size_t i = 0;
    while (i + 1 < N_ORDER && isnan(a->values[order[i]]))
        i++;
    return i;
}

static void off(struct agree *a, enum agree_source which, enum agree_source of,
                double by, const char *unit)
{
    char what[64];
    (void)snprintf(what, sizeof what, "%s %s than %s", agree_source_name(which),
                   by > 0 ? "more" : "less", agree_source_name(of));
    agree_differ(a, what, by, unit);
}

static void count(struct agree *a)
{
    size_t first = reference(a);
    for (size_t i = first + 1; i < N_ORDER; i++) {
        double by = a->values[order[i]] - a->values[order[first]];
        if (fabs(by) > EDGE_COLLECTIONS)
            off(a, order[i], order[first], by, "collections");
    }
}

/* Pauses of n[i] collections; where two saw not the same number, each more may
 * have been the longest. */
static void pauses(struct agree *a, const double *n, double longest_ns)
{
    size_t first = reference(a);
    double all = a->values[order[first]];
    for (size_t i = first + 1; i < N_ORDER; i++) {
        double by = a->values[order[i]] - all;
        double edge = fmin(fabs(n[i] - n[first]), EDGE_COLLECTIONS);
        double room = PAUSE_SHARE * all + PAUSE_NS * n[first] + ROUND_NS;
        if (edge > 0 && longest_ns > 0)
            room += edge * longest_ns;
        if (fabs(by) > room)
            off(a, order[i], order[first], by / 1e6, "ms");
    }
}

static double longest(const struct agree_facts *f)
{
    return fmax(f->pause_max_ns, f->jvm.recording_max_ns);
}

void agree_jvm_young(struct agree *out, const struct agree_facts *facts)
{
    for (size_t i = 0; i < N_ORDER; i++)
        out->values[order[i]] = source(&facts->jvm, order[i])->young;
    count(out);
}

void agree_jvm_old(struct agree *out, const struct agree_facts *facts)
{
    for (size_t i = 0; i < N_ORDER; i++)
        out->values[order[i]] = source(&facts->jvm, order[i])->old;
    count(out);
}

void agree_jvm_young_pauses(struct agree *out, const struct agree_facts *facts)
{
    double n[N_ORDER];
    for (size_t i = 0; i < N_ORDER; i++) {
        n[i] = source(&facts->jvm, order[i])->young;
        out->values[order[i]] = source(&facts->jvm, order[i])->young_ns;
    }
    pauses(out, n, longest(facts));
}

void agree_jvm_old_pauses(struct agree *out, const struct agree_facts *facts)
{
    double n[N_ORDER];
    for (size_t i = 0; i < N_ORDER; i++) {
        n[i] = source(&facts->jvm, order[i])->old;
        out->values[order[i]] = source(&facts->jvm, order[i])->old_ns;
    }
    pauses(out, n, longest(facts));
}

void agree_jvm_elapsed(struct agree *out, const struct agree_facts *facts)
{
    const struct agree_jvm *jvm = &facts->jvm;
    double stopped = jvm->recording.old_ns;
    if (!(jvm->recording_elapsed_ns > 0))
        return;
    out->values[AGREE_LOG] = jvm->log_concurrent_ns;
    out->values[AGREE_RECORDING] = jvm->recording_elapsed_ns;
    if (jvm->recording_elapsed_ns < stopped - ROUND_NS)
        agree_differ(out,
                     "the recording's collections are shorter than "
                     "their pauses",
                     (stopped - jvm->recording_elapsed_ns) / 1e6, "ms");
    else
        (void)snprintf(out->words, sizeof out->words,
                       "from begin to end; %.1f ms of it were pauses",
                       stopped / 1e6);
}

void agree_jvm_stops(struct agree *out, const struct agree_facts *facts)
{
    const struct agree_jvm *jvm = &facts->jvm;
    double of_log = jvm->log_stops_ns - jvm->log_reaching_ns;
    double n = jvm->log.young + jvm->log.old;
    double room = STOPS_SHARE * of_log + STOPS_NS * n + ROUND_NS;
    double edge = n - jvm->counters.young - jvm->counters.old;
    double collecting = jvm->log.young_ns + jvm->log.old_ns;
    double by = jvm->counters_stops_ns - of_log;
    out->values[AGREE_LOG] = of_log;
    out->values[AGREE_COUNTERS] = jvm->counters_stops_ns;
    if (edge != 0 && longest(facts) > 0)
        room += fmin(fabs(edge), EDGE_COLLECTIONS) * longest(facts);
    if (fabs(by) > room)
        off(out, AGREE_COUNTERS, AGREE_LOG, by / 1e6, "ms");
    if (of_log < collecting - room)
        agree_differ(out, "the log's stops are shorter than its collections",
                     (collecting - of_log) / 1e6, "ms");
}
