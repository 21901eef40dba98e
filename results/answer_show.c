/* One trial's summary: Rally's rows in Rally's order (rally.md section 2a),
 * then what Rally has no rows for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/answer.h"
#include "results/ceiling.h"
#include "results/handle.h"
#include "results/header.h"
#include "results/metric.h"
#include "results/rowsum.h"

#define TASK_BYTES 72

struct figure {
    const struct metric *metric;
    char task[TASK_BYTES];
    double value;
};

struct show {
    int64_t trial, attempt;
    bool partial;
    struct figure *figures; /* by metric, then step, then task */
    size_t n_figures;
    struct grid *grid;
};

/* A row: the metric's words, unit and factor to it, decimals. Those of tasks
 * are repeated for each. */
struct line {
    const char *label, *metric, *unit;
    double factor;
    int decimals;
};

#define MINUTES (1.0 / 60e9)

static const struct line index_work[] = {
    {"Cumulative indexing time of primary shards", "indexing_time_ns", "min",
     MINUTES, 6},
    {"Min cumulative indexing time across primary shards",
     "indexing_time_min_ns", "min", MINUTES, 6},
    {"Median cumulative indexing time across primary shards",
     "indexing_time_median_ns", "min", MINUTES, 6},
    {"Max cumulative indexing time across primary shards",
     "indexing_time_max_ns", "min", MINUTES, 6},
    {"Cumulative merge time of primary shards", "merge_time_ns", "min", MINUTES,
     6},
    {"Cumulative merge count of primary shards", "merge_count", "", 1, 0},
    {"Min cumulative merge time across primary shards", "merge_time_min_ns",
     "min", MINUTES, 6},
    {"Median cumulative merge time across primary shards",
     "merge_time_median_ns", "min", MINUTES, 6},
    {"Max cumulative merge time across primary shards", "merge_time_max_ns",
     "min", MINUTES, 6},
    {"Cumulative refresh time of primary shards", "refresh_time_ns", "min",
     MINUTES, 6},
    {"Cumulative refresh count of primary shards", "refresh_count", "", 1, 0},
    {"Min cumulative refresh time across primary shards", "refresh_time_min_ns",
     "min", MINUTES, 6},
    {"Median cumulative refresh time across primary shards",
     "refresh_time_median_ns", "min", MINUTES, 6},
    {"Max cumulative refresh time across primary shards", "refresh_time_max_ns",
     "min", MINUTES, 6},
    {"Cumulative flush time of primary shards", "flush_time_ns", "min", MINUTES,
     6},
    {"Cumulative flush count of primary shards", "flush_count", "", 1, 0},
    {"Min cumulative flush time across primary shards", "flush_time_min_ns",
     "min", MINUTES, 6},
    {"Median cumulative flush time across primary shards",
     "flush_time_median_ns", "min", MINUTES, 6},
    {"Max cumulative flush time across primary shards", "flush_time_max_ns",
     "min", MINUTES, 6}};

static const struct line gc[] = {
    {"Total Young Gen GC time", "young_pause_ns", "s", 1e-9, 3},
    {"Total Young Gen GC count", "young_count", "", 1, 0},
    {"Total Old Gen GC time", "old_pause_ns", "s", 1e-9, 3},
    {"Total Old Gen GC count", "old_count", "", 1, 0}};

static const struct line index_size[] = {
    {"Store size", "store_bytes", "GB", 1.0 / 1073741824, 6},
    {"Segment count", "segment_count", "", 1, 0},
    {"Doc count", "index_docs", "docs", 1, 0},
    {"Native memory of the index at most", "native_max_bytes", "MiB",
     1.0 / 1048576, 1}};

static const struct line of_tasks[] = {
    {"Min Throughput", "throughput_min", "docs/s", 1, 2},
    {"Mean Throughput", "throughput", "docs/s", 1, 2},
    {"Median Throughput", "throughput_median", "docs/s", 1, 2},
    {"Max Throughput", "throughput_max", "docs/s", 1, 2},
    {"Requests", "ops_s", "ops/s", 1, 2},
    {"Bodies", "body_mb_s", "MB/s", 1, 2},
    {"50th percentile latency", "latency_p50", "ms", 1e-6, 3},
    {"90th percentile latency", "latency_p90", "ms", 1e-6, 3},
    {"99th percentile latency", "latency_p99", "ms", 1e-6, 3},
    {"99.9th percentile latency", "latency_p99.9", "ms", 1e-6, 3},
    {"99.99th percentile latency", "latency_p99.99", "ms", 1e-6, 3},
    {"100th percentile latency", "latency_max", "ms", 1e-6, 3},
    {"50th percentile service time", "service_p50", "ms", 1e-6, 3},
    {"90th percentile service time", "service_p90", "ms", 1e-6, 3},
    {"99th percentile service time", "service_p99", "ms", 1e-6, 3},
    {"99.9th percentile service time", "service_p99.9", "ms", 1e-6, 3},
    {"99.99th percentile service time", "service_p99.99", "ms", 1e-6, 3},
    {"100th percentile service time", "service_max", "ms", 1e-6, 3},
    {"error rate", "error_rate", "%", 100, 2},
    {"Documents failed", "docs_failed", "docs", 1, 0},
    {"Offered rate", "offered_s", "ops/s", 1, 2},
    {"Achieved rate", "achieved_s", "ops/s", 1, 2},
    {"Late starts", "late", "ops", 1, 0},
    {"Never started", "dropped", "ops", 1, 0}};

static const struct line rest[] = {
    {"Bytes per read", "bytes_per_read", "bytes", 1, 1},
    {"Reads", "reads", "", 1, 0},
    {"Reads that filled their buffer", "reads_full_share", "%", 100, 1},
    {"Buffer bytes per byte read", "waste", "", 1, 3},
    {"Bytes outside TLABs per byte read", "outside_bytes_per_byte", "", 1, 3},
    {"Objects outside TLABs", "outside_count", "", 1, 0},
    {"Largest object outside", "outside_max_bytes", "bytes", 1, 0},
    {"TLAB bytes per byte read", "tlab_bytes_per_byte", "", 1, 3},
    {"TLABs", "tlab_count", "", 1, 0},
    {"Mean TLAB", "tlab_avg_bytes", "bytes", 1, 0},
    {"Of the event loops, share of bytes outside", "network_outside_share", "%",
     100, 1},
    {"TLAB sizes not settled (1: transient)", "transient", "", 1, 0},
    {"Collections, waiting for threads included", "gc_elapsed_ns", "ms", 1e-6,
     3},
    {"Longest pause", "pause_max_ns", "ms", 1e-6, 3},
    {"Longest pause felt from outside", "hiccup_max_ns", "ms", 1e-6, 3},
    {"Heap used at most", "heap_used_max_bytes", "MiB", 1.0 / 1048576, 1},
    {"Target CPU per MB read", "target_cpu_per_mb", "ms", 1e-6, 3},
    {"Driver CPU per request", "driver_cpu_per_request", "us", 1e-3, 1},
    {"Driver CPU per MB sent", "driver_cpu_per_mb", "ms", 1e-6, 3},
    {"Driver's busiest thread on a CPU", "driver_cpu_share", "%", 100, 1},
    {"Driver's loop away, p99", "driver_lag_p99_ns", "ms", 1e-6, 3},
    {"Driver's loop away at most", "driver_lag_max_ns", "ms", 1e-6, 3},
    {"Driver's starts late, p99", "driver_late_p99_ns", "ms", 1e-6, 3},
    {"Driver waiting to send", "driver_blocked_ns", "s", 1e-9, 3},
    {"Target stopped by collections", "gc_share", "%", 100, 1},
    {"Target's busiest thread on a CPU", "target_thread_share", "%", 100, 1},
    {"Target's busiest thread waiting for one", "target_thread_wait_share", "%",
     100, 1},
    {"Target's CPU", "target_cores", "cores", 1, 2},
    {"Target's machine idle", "target_idle_share", "%", 100, 1},
    {"Requests waiting for a bulk thread", "queue_length", "", 1, 2},
    {"Of their time in the target", "queue_wait_share", "%", 100, 1},
    {"Refused by a full queue", "queue_refused_share", "%", 100, 2},
    {"Index waiting for its files", "disk_wait_share", "%", 100, 1},
    {"Busiest disk busy", "disk_busy_share", "%", 100, 1},
    {"Some task waiting for a disk", "io_pressure_share", "%", 100, 1},
    {"Held back by the receive window", "rwnd_share", "%", 100, 1},
    {"Receive buffers filled", "rcvq_share", "%", 100, 1},
    {"Link to the target", "link_rx_bit_s", "Mbit/s", 1e-6, 2},
    {"Link from the target", "link_tx_bit_s", "Mbit/s", 1e-6, 2},
    {"Link to the target, of its rate", "link_rx_share", "%", 100, 1},
    {"Segments sent again", "retransmits", "", 1, 0},
    {"Receive queue prunes", "rcvq_pruned", "", 1, 0},
    {"Smallest receive buffer", "rcvbuf_min", "bytes", 1, 0},
    {"Largest receive buffer", "rcvbuf_max", "bytes", 1, 0},
    {"Other load on the machine", "foreign_cpu", "cores", 1, 2},
    {"Taken by the hypervisor", "steal_cpu", "cores", 1, 2},
    {"Documents acknowledged in total", "docs_acked", "docs", 1, 0},
    {"Of them not counted by the target", "docs_assumed", "docs", 1, 0},
    {"Documents counted by the target", "docs_counted", "docs", 1, 0}};

static const char *text(struct db_stmt *stmt, size_t i)
{
    struct db_value v = db_column(stmt, i);
    return v.type == DB_TEXT ? v.data : "";
}

static enum err load_figures(struct show *s, struct db *db, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(db, &stmt,
                            "select m.attempt, m.name, m.task, m.source, "
                            "m.value, m.crc from metric m left join task t "
                            "using (attempt, task) where m.attempt = ? "
                            "order by m.name, coalesce(t.step, 0), m.task",
                            DB_VALUES(DB_I(s->attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        e = rowsum_check(stmt, "metric", why);
        struct figure *grown =
            realloc(s->figures, (s->n_figures + 1) * sizeof *grown);
        if (!grown)
            e = err_set(why, ERR_NOMEM, "trial");
        if (e)
            break;
        s->figures = grown;
        struct figure *f = &grown[s->n_figures];
        f->metric = metric_find(text(stmt, 1));
        (void)snprintf(f->task, sizeof f->task, "%s", text(stmt, 2));
        f->value = db_column(stmt, 4).f;
        s->n_figures += f->metric != NULL;
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

static void add(struct show *s, const char *label, const char *task,
                const char *value, const char *unit)
{
    size_t row = grid_row(s->grid);
    const char *const cells[] = {label, task, value, unit};
    for (size_t i = 0; i < 4; i++)
        grid_text(s->grid, row, i, cells[i]);
}

/* The line's row for this task ("": the trial), when its figure is known. */
static void add_line(struct show *s, const struct line *line, const char *task)
{
    for (size_t i = 0; i < s->n_figures; i++) {
        const struct figure *f = &s->figures[i];
        if (strcmp(f->metric->name, line->metric) || strcmp(f->task, task))
            continue;
        char value[48];
        double shown = f->value * line->factor;
        (void)snprintf(value, sizeof value, "%.*f", line->decimals, shown);
        add(s, line->label, task, value, line->unit);
        grid_value(s->grid, s->grid->n_rows - 1, 2, shown, value);
    }
}

#define ADD_LINES(s, lines, task)                                              \
    for (size_t l_ = 0; l_ < sizeof(lines) / sizeof *(lines); l_++)            \
    add_line(s, &(lines)[l_], task)

/* Tasks in the order of their steps: those that have an ops_s. */
static void add_tasks(struct show *s)
{
    for (size_t i = 0; i < s->n_figures; i++)
        if (!strcmp(s->figures[i].metric->name, "ops_s") && *s->figures[i].task)
            ADD_LINES(s, of_tasks, s->figures[i].task);
}

static enum err add_invalid(struct show *s, struct db *db, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    size_t n = 0;
    enum err e = db_prepare(db, &stmt,
                            "select rule, evidence from invalid "
                            "where attempt = ? order by rule",
                            DB_VALUES(DB_I(s->attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    for (; !e && row; n++) {
        char label[128];
        (void)snprintf(label, sizeof label, "Invalid: %s", text(stmt, 0));
        add(s, label, "", text(stmt, 1), "");
        e = db_step(stmt, &row, why);
    }
    if (!e && !n)
        add(s, "Validity", "", "valid", "");
    db_finish(stmt);
    return e;
}

/* How the machines were left: as they were, or not. */
static enum err add_restored(struct show *s, struct db *db, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(db, &stmt,
                            "select restored, restored_evidence from attempt "
                            "where id = ? and restored is not null",
                            DB_VALUES(DB_I(s->attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && row)
        add(s, "Machine restored", "",
            db_column(stmt, 0).i ? "yes" : text(stmt, 1), "");
    db_finish(stmt);
    return e;
}

/* What load sent: its corpora, and whether it was only a few bodies of them. */
static enum err add_bodies(struct show *s, struct db *db, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(
        db, &stmt,
        "select distinct name, value from fact where attempt = ? and side = "
        "'load' and (name glob 'corpus.*.sha256' or name = 'load.provider') "
        "order by name",
        DB_VALUES(DB_I(s->attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        const char *name = text(stmt, 0), *value = text(stmt, 1);
        if (*name == 'c')
            add(s, name, "", value, "");
        else if (!strcmp(value, "static"))
            grid_note(s->grid, "load.provider static: the same few bodies "
                               "again and again, no result of a target that "
                               "indexes");
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

/* How the clocks of several agents lay to ours when all were told to begin. */
static enum err add_clocks(struct show *s, struct db *db, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(
        db, &stmt,
        "select agent, clock_offset_ns, clock_uncertain_ns from attempt_agent "
        "where attempt = ?1 and t0_ns is not null and (select count(*) from "
        "attempt_agent where attempt = ?1) > 1 order by agent",
        DB_VALUES(DB_I(s->attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        char label[128], value[64];
        (void)snprintf(label, sizeof label,
                       "Clock of agent %s, less the controller's",
                       text(stmt, 0));
        (void)snprintf(value, sizeof value, "%.3f ±%.3f",
                       (double)db_column(stmt, 1).i / 1e6,
                       (double)db_column(stmt, 2).i / 1e6);
        add(s, label, "", value, "ms");
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

/* What the link's interfaces and the machine were. The long list of all
 * features is left to `pitwall query`. */
static enum err add_facts(struct show *s, struct db *db, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(
        db, &stmt,
        "select side, name, value from fact where attempt = ? and (name glob "
        "'interface.*' or name glob 'machine.*' or name = 'tcp_metrics' or "
        "(name glob 'congestion.sockets.*' and side <> 'target') or name glob "
        "'target.*.sha256' or name in ('stats.told', 'stats.failed', "
        "'stats.error')) and name <> "
        "'interface.features' order by side desc, name",
        DB_VALUES(DB_I(s->attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        char label[100];
        (void)snprintf(label, sizeof label, "%.8s: %.64s", text(stmt, 0),
                       text(stmt, 1));
        add(s, label, "", text(stmt, 2), "");
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

/* What `pitwall fetch` would write. */
static enum err add_artifacts(struct show *s, struct db *db, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(db, &stmt,
                            "select name, bytes from artifact "
                            "where attempt = ? order by name",
                            DB_VALUES(DB_I(s->attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        char label[128], bytes[32];
        double n = (double)db_column(stmt, 1).i;
        (void)snprintf(label, sizeof label, "Artifact %s", text(stmt, 0));
        (void)snprintf(bytes, sizeof bytes, "%.0f", n);
        add(s, label, "", bytes, "bytes");
        grid_value(s->grid, s->grid->n_rows - 1, 2, n, bytes);
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

static void add_heading(struct show *s, struct db_stmt *stmt)
{
    grid_note(s->grid, "trial %lld:%lld of %s: %s",
              (long long)db_column(stmt, 0).i, (long long)db_column(stmt, 1).i,
              text(stmt, 2), text(stmt, 3));
    grid_note(s->grid,
              "iteration %lld, position %lld on bench %s; attempt %lld of "
              "%lld, %s",
              (long long)db_column(stmt, 4).i, (long long)db_column(stmt, 5).i,
              text(stmt, 6), (long long)db_column(stmt, 7).i,
              (long long)db_column(stmt, 8).i, text(stmt, 9));
}

static void add_end(struct show *s, struct db_stmt *stmt)
{
    const char *outcome = text(stmt, 10);
    add(s, "Outcome", "", *outcome ? outcome : "none yet", "");
    if (*text(stmt, 12))
        add(s, "Error", "", text(stmt, 12), "");
    add(s, "Bound", "", text(stmt, 11),
        db_column(stmt, 16).i ? "shared host" : "");
    if (*text(stmt, 15))
        add(s, "Evidence", "", text(stmt, 15), "");
    if (s->partial)
        grid_note(s->grid, "partial: the target ended within the window, its "
                           "figures are no measurement of the cell");
}

/* stmt stands on the trial's row. */
static enum err add_all(struct show *s, struct db *db, struct db_stmt *stmt,
                        struct why *why)
{
    static const char *const names[] = {"Metric", "Task", "Value", "Unit"};
    s->attempt = db_column(stmt, 13).i;
    s->partial = db_column(stmt, 14).i != 0;
    add_heading(s, stmt);
    for (size_t i = 0; i < 4; i++)
        grid_column(s->grid, names[i], "", i == 2);
    enum err e = header_emulated(db, db_column(stmt, 0).i, s->grid, why);
    if (!e)
        e = ceiling_note(db, s->trial, s->grid, why);
    if (!e)
        e = load_figures(s, db, why);
    if (e)
        return e;
    ADD_LINES(s, index_work, "");
    ADD_LINES(s, gc, "");
    ADD_LINES(s, index_size, "");
    add_tasks(s);
    ADD_LINES(s, rest, "");
    e = add_invalid(s, db, why);
    if (!e)
        e = add_restored(s, db, why);
    if (!e)
        add_end(s, stmt);
    if (!e)
        e = add_bodies(s, db, why);
    if (!e)
        e = add_clocks(s, db, why);
    if (!e)
        e = add_facts(s, db, why);
    return e ? e : add_artifacts(s, db, why);
}

static enum err show(struct show *s, struct db *db, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(
        db, &stmt,
        "select e.id, t.tid, e.name, c.label, t.iteration, t.position, b.name, "
        "coalesce(a.n, 0), (select count(*) from attempt x where "
        "x.trial = t.id), coalesce(a.state, 'not tried yet'), a.outcome, "
        "a.bound, a.error, coalesce(a.id, 0), coalesce(a.partial, 0), "
        "a.bound_evidence, coalesce(a.bound_shared, 0) "
        "from trial t join experiment e on e.id = t.experiment "
        "join cell c on c.id = t.cell join block k on k.id = t.block "
        "join bench b on b.id = k.bench "
        "left join attempt a on a.id = coalesce(t.attempt, (select x.id from "
        "attempt x where x.trial = t.id order by x.n desc limit 1)) "
        "where t.id = ?",
        DB_VALUES(DB_I(s->trial)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    if (!e && !row)
        e = err_set(why, ERR_NOTFOUND, "there is no trial %lld",
                    (long long)s->trial);
    if (!e)
        e = add_all(s, db, stmt, why);
    db_finish(stmt);
    return e;
}

enum err answer_show(struct store *store, const char *trial, struct grid *grid,
                     struct why *why)
{
    struct show s = {.grid = grid};
    enum err e = db_begin(store->db, false, why);
    if (e)
        return e;
    e = answer_trial(store, trial, &s.trial, why);
    if (!e)
        e = show(&s, store->db, why);
    e = db_end(store->db, e, why);
    free(s.figures);
    return e;
}
