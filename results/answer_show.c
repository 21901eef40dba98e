/* One trial's summary: Rally's rows in Rally's order (rally.md section 2a),
 * then what Rally has no rows for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/answer.h"
#include "results/ceiling.h"
#include "results/handle.h"
#include "results/heading.h"
#include "results/metric.h"
#include "results/rowsum.h"
#include "results/show_line.h"

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
static void add_line(struct show *s, const struct show_line *line,
                     const char *task)
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

static void add_lines(struct show *s, enum show_group group, const char *task)
{
    size_t n = 0;
    const struct show_line *lines = show_lines(group, &n);
    for (size_t i = 0; i < n; i++)
        add_line(s, &lines[i], task);
}

static bool has_figure(const struct show *s, const char *metric,
                       const char *task)
{
    for (size_t i = 0; i < s->n_figures; i++)
        if (!strcmp(s->figures[i].metric->name, metric) &&
            !strcmp(s->figures[i].task, task))
            return true;
    return false;
}

/* Tasks in the order of their steps: those that have an ops_s, imported ones
 * those with a running average only. */
static void add_tasks(struct show *s)
{
    for (size_t i = 0; i < s->n_figures; i++) {
        const char *name = s->figures[i].metric->name;
        const char *task = s->figures[i].task;
        if (*task && (!strcmp(name, "ops_s") ||
                      (!strcmp(name, "throughput_running_max") &&
                       !has_figure(s, "ops_s", task))))
            add_lines(s, SHOW_TASKS, task);
    }
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

/* What the track says about its tasks. */
static void add_label(struct show *s, const char *name, const char *value)
{
    if (!strncmp(name, "tags.", 5))
        add(s, "Tags", name + 5, value, "");
    else
        add(s, "Meta", name + 5, value, "");
}

/* What load sent: its corpora, and whether it was only a few bodies of them;
 * what its track says about the tasks. */
static enum err add_bodies(struct show *s, struct db *db, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(
        db, &stmt,
        "select distinct name, value from fact where attempt = ? and side = "
        "'load' and (name glob 'corpus.*.sha256' or name glob 'tags.*' or "
        "name glob 'meta.*' or name = 'load.provider') order by name",
        DB_VALUES(DB_I(s->attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        const char *name = text(stmt, 0), *value = text(stmt, 1);
        if (*name == 'c')
            add(s, name, "", value, "");
        else if (*name != 'l')
            add_label(s, name, value);
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
        "'target.*.sha256' or name glob 'jvm.[^o]*' or name in ("
        "'driver.threads', 'stats.told', 'stats.failed', 'stats.error')) and "
        "name <> "
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
    if (!strcmp(text(stmt, 17), "profile"))
        grid_note(s->grid, "an extra trial: its telemetry costs time, so its "
                           "speed enters no figure");
    if (!strcmp(text(stmt, 17), "canary"))
        grid_note(s->grid, "a canary: its cell once more, for the lab's noise");
}

/* Why the bound is what it is: a line for what held, one for what the driver
 * and one for what the target was not limited by. */
static void add_evidence(struct show *s, struct db_stmt *stmt)
{
    const char *at = text(stmt, 15), *next;
    if (!*at)
        return;
    grid_note(s->grid, "bound: %s%s; evidence:", text(stmt, 11),
              db_column(stmt, 16).i ? " (shared host)" : "");
    for (; at; at = next) {
        next = strstr(at, "; not the ");
        int n = next ? (int)(next - at) : (int)strlen(at);
        grid_note(s->grid, "  %.*s", n, at);
        next = next ? next + 2 : NULL;
    }
}

static void add_end(struct show *s, struct db_stmt *stmt)
{
    const char *outcome = text(stmt, 10);
    add(s, "Outcome", "", *outcome ? outcome : "none yet", "");
    if (*text(stmt, 12))
        add(s, "Error", "", text(stmt, 12), "");
    add(s, "Bound", "", text(stmt, 11),
        db_column(stmt, 16).i ? "shared host" : "");
    add_evidence(s, stmt);
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
    enum err e = heading_emulated(db, db_column(stmt, 0).i, s->grid, why);
    if (!e)
        e = heading_notes(db, db_column(stmt, 0).i, s->trial, s->grid, why);
    if (!e)
        e = ceiling_note(db, s->trial, s->grid, why);
    if (!e)
        e = load_figures(s, db, why);
    if (e)
        return e;
    add_lines(s, SHOW_INDEX, "");
    add_tasks(s);
    add_lines(s, SHOW_REST, "");
    add_lines(s, SHOW_JVM, "");
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
        "a.bound_evidence, coalesce(a.bound_shared, 0), c.purpose "
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
