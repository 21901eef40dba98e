#include "results/compare_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/show_line.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* What is compared unless something else is asked for. */
#define DECLARED "throughput"

/* How far a window got, which its throughput tells better. */
#define WORK "index_docs"

#define BYTES_PER_BYTE "bytes/byte"

/* Totals of a window. */
static const char *const totals[] = {
    "young_pause_ns",
    "young_count",
    "old_pause_ns",
    "old_count",
    "gc_elapsed_ns",
    "outside_bytes",
    "outside_count",
    "tlab_bytes",
    "tlab_count",
    "reads",
    "kernel_reads",
    "indexing_time_ns",
    "indexing_time_min_ns",
    "indexing_time_median_ns",
    "indexing_time_max_ns",
    "merge_time_ns",
    "merge_time_min_ns",
    "merge_time_median_ns",
    "merge_time_max_ns",
    "merge_count",
    "refresh_time_ns",
    "refresh_time_min_ns",
    "refresh_time_median_ns",
    "refresh_time_max_ns",
    "refresh_count",
    "flush_time_ns",
    "flush_time_min_ns",
    "flush_time_median_ns",
    "flush_time_max_ns",
    "flush_count",
    "store_bytes",
    "retransmits",
    "rcvq_pruned",
    "driver_blocked_ns",
};

/* Of what Rally has no rows for, those that a target's makers look at. */
static const char *const ours[] = {
    "bytes_per_read",   "waste",         "outside_bytes_per_byte",
    "outside_count",    "tlab_count",    "tlab_bytes_per_byte",
    "pause_max_ns",     "hiccup_max_ns", "heap_used_max_bytes",
    "target_cpu_per_mb"};

static bool among(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

static enum err add(struct compare_lines *l, const struct compare_line *line,
                    struct why *why)
{
    struct compare_line *grown =
        realloc(l->lines, (l->n + 1) * sizeof *l->lines);
    if (!grown)
        return err_set(why, ERR_NOMEM, "compare");
    l->lines = grown;
    struct compare_line *at = &grown[l->n++];
    *at = *line;
    at->per_mb = among(totals, COUNT(totals), line->metric->name);
    if (!strcmp(at->unit, BYTES_PER_BYTE))
        return ERR_OK;
    if (at->per_mb && at->unit[0]) {
        size_t len = strlen(at->unit);
        (void)snprintf(at->unit + len, sizeof at->unit - len, "/MB");
    } else if (at->per_mb) {
        (void)snprintf(at->unit, sizeof at->unit, "/MB");
    }
    return ERR_OK;
}

/* A row of the trial's summary. Small times for each MB are told in ms. */
static enum err add_show(struct compare_lines *l, const struct show_line *show,
                         const char *task, struct why *why)
{
    struct compare_line line = {.label = show->label,
                                .metric = metric_find(show->metric),
                                .factor = show->factor};
    (void)snprintf(line.task, sizeof line.task, "%s", task);
    (void)snprintf(line.unit, sizeof line.unit, "%s", show->unit);
    if (!line.metric || line.metric->kind == METRIC_EXACT ||
        !strcmp(show->metric, WORK))
        return ERR_OK;
    if (!strcmp(line.metric->unit, "ns") &&
        among(totals, COUNT(totals), line.metric->name)) {
        line.factor = 1e-6;
        (void)snprintf(line.unit, sizeof line.unit, "ms");
    }
    if (!strcmp(line.metric->unit, "bytes") &&
        among(totals, COUNT(totals), line.metric->name)) {
        line.factor = 1e-6;
        (void)snprintf(line.unit, sizeof line.unit, BYTES_PER_BYTE);
    }
    line.declared = !strcmp(show->metric, DECLARED);
    return add(l, &line, why);
}

static enum err add_group(struct compare_lines *l, enum show_group group,
                          const char *task, struct why *why)
{
    size_t n = 0;
    const struct show_line *lines = show_lines(group, &n);
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < n; i++)
        if (group != SHOW_REST || among(ours, COUNT(ours), lines[i].metric))
            e = add_show(l, &lines[i], task, why);
    return e;
}

/* Rows of each task where there are several, in the order of their steps. */
static enum err add_tasks(struct compare_lines *l, struct db *db,
                          int64_t attempt, struct why *why)
{
    int64_t n = 0;
    enum err e = db_run(db, "select count(*) from task where attempt = ?",
                        DB_VALUES(DB_I(attempt)), &n, why);
    if (e || n < 2)
        return e ? e : add_group(l, SHOW_TASKS, "", why);
    struct db_stmt *stmt = NULL;
    bool row = false;
    e = db_prepare(db, &stmt,
                   "select task from task where attempt = ? "
                   "order by coalesce(step, 0), task",
                   DB_VALUES(DB_I(attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        char task[COMPARE_TASK_BYTES];
        struct db_value v = db_column(stmt, 0);
        (void)snprintf(task, sizeof task, "%s",
                       v.type == DB_TEXT ? (const char *)v.data : "");
        e = add_group(l, SHOW_TASKS, task, why);
        if (!e)
            e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

static enum err add_named(struct compare_lines *l, const char *name, size_t len,
                          struct why *why)
{
    char word[64];
    (void)snprintf(word, sizeof word, "%.*s", (int)len, name);
    const struct metric *m = metric_find(word);
    if (!m)
        return err_set(why, ERR_NOTFOUND,
                       "there is no metric \"%s\" (`pitwall metrics` lists "
                       "them)",
                       word);
    struct compare_line line = {
        .label = m->name, .metric = m, .declared = true};
    (void)snprintf(line.unit, sizeof line.unit, "%s",
                   metric_unit(m, &line.factor));
    return add(l, &line, why);
}

enum err compare_lines_make(struct compare_lines *out, const char *metrics,
                            struct db *db, int64_t attempt, struct why *why)
{
    enum err e = ERR_OK;
    *out = (struct compare_lines){.lines = NULL};
    if (!metrics) {
        e = add_group(out, SHOW_INDEX, "", why);
        if (!e)
            e = add_tasks(out, db, attempt, why);
        if (!e)
            e = add_group(out, SHOW_REST, "", why);
    }
    while (metrics && !e && *metrics) {
        size_t len = strcspn(metrics, ",");
        e = add_named(out, metrics, len, why);
        metrics += len + (metrics[len] == ',');
    }
    if (!e && !out->n)
        e = err_set(why, ERR_USAGE, "--metric names no metric");
    if (e)
        compare_lines_fini(out);
    return e;
}

void compare_lines_fini(struct compare_lines *lines)
{
    free(lines->lines);
    *lines = (struct compare_lines){.lines = NULL};
}
