#include "results/tally_jvm.h"

#include <math.h>
#include <string.h>

#include "results/metric.h"

/* The log tells whole KiB at best; what is in use each second, by the counters,
 * may have been more. */
static void fill_used(struct tally *tally)
{
    const struct tally_jvm *jvm = &tally->jvm;
    uint64_t most = jvm->window.log ? jvm->window.log_before_max : 0;
    if (jvm->counted.heap_used > most)
        most = jvm->counted.heap_used;
    if (most)
        tally->final.heap_used_max_bytes = (double)most;
}

static void fill_log(struct final *f, const struct record_jvm *r)
{
    f->heap_young_count = (double)r->log_young_count;
    f->heap_young_pause_ns = (double)r->log_young_ns;
    f->heap_old_count = (double)r->log_old_count;
    f->heap_old_pause_ns = (double)r->log_old_ns;
    f->heap_pause_max_ns = (double)r->log_pause_max_ns;
    f->heap_safepoint_ns = (double)r->safepoint_wait_ns;
    f->heap_young_since_start = (double)r->log_young_total;
}

static void fill_recording(struct final *f, const struct record_jvm *r)
{
    f->heap_tlab_count = (double)r->tlab_count;
    f->heap_tlab_bytes = (double)r->tlab_bytes;
    f->heap_tlab_min_bytes = (double)r->tlab_min_bytes;
    f->heap_tlab_max_bytes = (double)r->tlab_max_bytes;
    f->heap_outside_count = (double)r->outside_count;
    f->heap_outside_bytes = (double)r->outside_bytes;
    f->heap_outside_min_bytes = (double)r->outside_min_bytes;
    f->heap_outside_max_bytes = (double)r->outside_max_bytes;
    f->heap_worker_outside_bytes = (double)r->worker_outside_bytes;
}

void tally_jvm_take(struct tally *tally, const struct record_jvm *record)
{
    struct final *f = &tally->final;
    if (tally->jvm.known || record->end_ns < record->begin_ns)
        return;
    tally->jvm.known = true;
    tally->jvm.window = *record;
    if (isnan(f->window_t1_ns - f->window_t0_ns)) {
        f->window_t0_ns = (double)record->begin_ns;
        f->window_t1_ns = (double)record->end_ns;
    }
    fill_used(tally);
    if (record->log)
        fill_log(f, record);
    if (record->recording)
        fill_recording(f, record);
}

void tally_jvm_add(struct tally *tally, const struct record_sample_jvm *sample)
{
    struct record_sample_jvm *sum = &tally->jvm.counted;
    tally->jvm.seconds++;
    sum->young_count += sample->young_count;
    sum->young_ns += sample->young_ns;
    sum->old_count += sample->old_count;
    sum->old_ns += sample->old_ns;
    sum->safepoints += sample->safepoints;
    sum->safepoint_ns += sample->safepoint_ns;
    sum->compiles += sample->compiles;
    sum->compile_ns += sample->compile_ns;
    if (sample->heap_used > sum->heap_used)
        sum->heap_used = sample->heap_used;
    if (tally->jvm.known)
        fill_used(tally);
}

const char *tally_jvm_source(const struct tally *tally,
                             const struct metric *metric)
{
    static const char *const told[] = {
        "outside_",   "tlab_",     "young_",    "old_",     "pause_",
        "gc_elapsed", "heap_used", "transient", "network_", "gc_share"};
    for (size_t i = 0; tally->jvm.known && i < sizeof told / sizeof *told; i++)
        if (!strncmp(metric->name, told[i], strlen(told[i])))
            return "jvm";
    return metric->source;
}
