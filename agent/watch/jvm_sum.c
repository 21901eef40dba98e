#include "agent/watch/jvm_sum.h"

#include <stdlib.h>
#include <string.h>

#include "common/clock.h"

#define GROWTH 64 /* seconds at a time */

void jvm_sum_init(struct jvm_sum *sum, const struct measure_window *window)
{
    *sum = (struct jvm_sum){.window = *window};
    sum->record.begin_ns = window->begin_ns;
    sum->record.end_ns = window->end_ns;
    sum->first_jit = measure_second(window, window->t0_ns);
}

void jvm_sum_fini(struct jvm_sum *sum)
{
    free(sum->jit);
    sum->jit = NULL;
    sum->n_jit = 0;
}

void jvm_sum_cut(struct jvm_sum *sum, uint64_t now_ns)
{
    struct record_jvm *r = &sum->record;
    if (now_ns < r->end_ns)
        r->end_ns = now_ns > r->begin_ns ? now_ns : r->begin_ns;
}

static bool inside(const struct jvm_sum *sum, uint64_t at_ns)
{
    return at_ns >= sum->record.begin_ns && at_ns < sum->record.end_ns;
}

static void at_least(uint64_t *most, uint64_t value)
{
    if (value > *most)
        *most = value;
}

/* Lines ------------------------------------------------------------------- */

static void add_pause(struct jvm_sum *sum, const struct gclog_line *line)
{
    struct record_jvm *r = &sum->record;
    if (!line->old && line->at_ns < r->end_ns)
        r->log_young_total++;
    if (!inside(sum, line->at_ns))
        return;
    at_least(&r->log_pause_max_ns, line->ns);
    at_least(&r->log_before_max, line->before_bytes);
    at_least(&r->log_after_max, line->after_bytes);
    if (!line->old) {
        r->log_young_count++;
        r->log_young_ns += line->ns;
        return;
    }
    r->log_old_count += !sum->any_old || sum->last_old != line->gc;
    r->log_old_ns += line->ns;
    sum->any_old = true;
    sum->last_old = line->gc;
}

void jvm_sum_line(struct jvm_sum *sum, const struct gclog_line *line)
{
    struct record_jvm *r = &sum->record;
    if (line->kind == GCLOG_PAUSE) {
        add_pause(sum, line);
    } else if (line->kind == GCLOG_CONCURRENT && inside(sum, line->at_ns)) {
        r->log_concurrent_ns += line->ns;
    } else if (line->kind == GCLOG_SAFEPOINT && inside(sum, line->at_ns)) {
        r->safepoints++;
        r->safepoint_ns += line->ns;
        r->safepoint_wait_ns += line->wait_ns;
    }
}

/* Events ------------------------------------------------------------------ */

static void add_collection(struct record_jvm *r, const struct jfr_event *e)
{
    at_least(&r->jfr_pause_max_ns, e->longest_ns);
    if (e->old) {
        r->jfr_old_count++;
        r->jfr_old_ns += e->pauses_ns;
        r->jfr_old_elapsed_ns += e->ns;
    } else {
        r->jfr_young_count++;
        r->jfr_young_ns += e->pauses_ns;
        r->jfr_young_elapsed_ns += e->ns;
    }
}

/* Sizes are above 0. */
static void add_size(uint64_t bytes, uint64_t *count, uint64_t *sum,
                     uint64_t *least, uint64_t *most)
{
    ++*count;
    *sum += bytes;
    if (!*least || bytes < *least)
        *least = bytes;
    at_least(most, bytes);
}

static void add_allocation(struct record_jvm *r, const struct jfr_event *e)
{
    if (e->kind == JFR_TLAB) {
        add_size(e->bytes, &r->tlab_count, &r->tlab_bytes, &r->tlab_min_bytes,
                 &r->tlab_max_bytes);
        return;
    }
    add_size(e->bytes, &r->outside_count, &r->outside_bytes,
             &r->outside_min_bytes, &r->outside_max_bytes);
    if (e->worker)
        r->worker_outside_bytes += e->bytes;
}

/* The row of a second; NULL: beyond the series. */
static enum err row_of(struct jvm_sum *sum, int64_t second,
                       struct record_sample_jit **out, struct why *why)
{
    *out = NULL;
    if (second < sum->first_jit ||
        second - sum->first_jit >= JVM_SUM_SECONDS_MAX)
        return ERR_OK;
    size_t at = (size_t)(second - sum->first_jit);
    if (at >= sum->n_jit) {
        size_t n = at + GROWTH;
        struct record_sample_jit *grown =
            reallocarray(sum->jit, n, sizeof *grown);
        if (!grown)
            return err_set(why, ERR_NOMEM, "compilations of %zu seconds", n);
        memset(grown + sum->n_jit, 0, (n - sum->n_jit) * sizeof *grown);
        for (size_t i = sum->n_jit; i < n; i++)
            grown[i].second = sum->first_jit + (int64_t)i;
        sum->jit = grown;
        sum->n_jit = n;
    }
    *out = &sum->jit[at];
    return ERR_OK;
}

static enum err add_compilation(struct jvm_sum *sum, const struct jfr_event *e,
                                struct why *why)
{
    struct record_sample_jit *row;
    uint64_t end_ns = e->at_ns + e->ns;
    enum err err = row_of(sum, measure_second(&sum->window, end_ns), &row, why);
    if (err || !row)
        return err;
    if (e->level >= JFR_LEVEL_THOROUGH) {
        row->thorough_count++;
        row->thorough_ns += e->ns;
    } else {
        row->quick_count++;
        row->quick_ns += e->ns;
    }
    return ERR_OK;
}

enum err jvm_sum_event(struct jvm_sum *sum, const struct jfr_event *event,
                       struct why *why)
{
    struct record_jvm *r = &sum->record;
    bool in = inside(sum, event->at_ns + event->ns);
    switch (event->kind) {
    case JFR_TLAB:
    case JFR_OUTSIDE:
        if (in)
            add_allocation(r, event);
        return ERR_OK;
    case JFR_COLLECTION:
        if (in)
            add_collection(r, event);
        return ERR_OK;
    case JFR_COMPILATION:
        r->compiles += in;
        r->compile_ns += in ? event->ns : 0;
        return add_compilation(sum, event, why);
    case JFR_KINDS:
        break;
    }
    return ERR_OK;
}
