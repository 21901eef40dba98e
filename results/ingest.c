#include "results/ingest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/crc.h"
#include "results/intake.h"
#include "results/invalid.h"
#include "results/metric.h"
#include "results/rows.h"
#include "results/rowsum.h"

struct ingest {
    struct db *db;
    int64_t attempt;
    enum attempt_outcome outcome;
    struct intake intake;
    struct rows *rows;
    struct tally *tally;
    uint64_t invalid;
};

/* A record that its own content makes impossible to keep is counted, and the
 * trial goes on. */
static enum err damaged(struct ingest *in, struct why *why)
{
    if (!in->tally->damaged++)
        (void)snprintf(in->tally->damage, sizeof in->tally->damage, "%.*s",
                       (int)sizeof in->tally->damage - 1, why->text);
    why->text[0] = '\0';
    return ERR_OK;
}

/* What inserting said: a second row of the same key and a number that SQLite
 * cannot hold are the record's fault, all else is the store's. */
static enum err inserted(struct ingest *in, enum err e, struct why *why)
{
    return e == ERR_EXISTS || e == ERR_RANGE ? damaged(in, why) : e;
}

static enum err put_hist(struct ingest *in, const struct record_hist *r,
                         struct why *why)
{
    struct db_value second = r->second == RECORD_WHOLE_WINDOW
                                 ? (struct db_value){.type = DB_NULL}
                                 : DB_I(r->second);
    const struct db_value row[] = {DB_I(in->attempt), DB_T(r->kind),
                                   DB_T(r->task), second,
                                   DB_B(r->blob.data, r->blob.len)};
    static const char *const names[] = {"attempt", "kind", "task", "second",
                                        "blob"};
    uint32_t sum = 0;
    for (size_t i = 0; i < 5; i++)
        sum = rowsum_add(sum, names[i], &row[i]);
    return db_run(in->db,
                  "insert into histogram (attempt, kind, task, second, blob, "
                  "crc) values (?, ?, ?, ?, ?, ?)",
                  DB_VALUES(row[0], row[1], row[2], row[3], row[4], DB_I(sum)),
                  NULL, why);
}

/* First pass: what is stated for the whole window is added up and stored. */
static enum err put_total(struct ingest *in, const struct record *record,
                          struct why *why)
{
    enum err e = tally_total(in->tally, record, why);
    if (e)
        return e == ERR_NOMEM ? e : damaged(in, why);
    if (record->kind == RECORD_IS_hist)
        e = put_hist(in, &record->as.hist, why);
    if (record->kind == RECORD_IS_task || record->kind == RECORD_IS_driver)
        e = rows_add(in->rows, in->attempt, record, why);
    return inserted(in, e, why);
}

/* Second pass: the samples, and the facts. */
static enum err put_sample(struct ingest *in, const struct record *record,
                           struct why *why)
{
    switch (record->kind) {
    case RECORD_IS_task:
    case RECORD_IS_driver:
    case RECORD_IS_hist:
    case RECORD_KIND_LAST:
        return ERR_OK;
    case RECORD_IS_sample_load:
    case RECORD_IS_sample_link:
    case RECORD_IS_sample_tcp:
    case RECORD_IS_sample_cpu:
    case RECORD_IS_sample_disk:
    case RECORD_IS_sample_proc:
    case RECORD_IS_sample_target:
    case RECORD_IS_fact:
        break;
    }
    enum err e = rows_add(in->rows, in->attempt, record, why);
    if (e)
        return inserted(in, e, why);
    e = tally_sample(in->tally, record, why);
    return e && e != ERR_NOMEM ? damaged(in, why) : e;
}

static enum err put_records(struct ingest *in, struct why *why)
{
    struct record record;
    struct intake_walk first = {.intake = &in->intake};
    struct intake_walk second = {.intake = &in->intake};
    enum err e = ERR_OK;
    while (!e && intake_next(&first, &record))
        e = put_total(in, &record, why);
    in->tally->unknown = first.unknown;
    if (first.damaged && !in->tally->damaged)
        (void)snprintf(in->tally->damage, sizeof in->tally->damage, "%.*s",
                       (int)sizeof in->tally->damage - 1, first.damage.text);
    in->tally->damaged += first.damaged;
    tally_window(in->tally);
    while (!e && intake_next(&second, &record))
        e = put_sample(in, &record, why);
    return e ? e : tally_end(in->tally, why);
}

static enum err put_invalid(struct ingest *in, const char *rule,
                            const char *evidence, struct why *why)
{
    in->invalid++;
    return db_run(in->db,
                  "insert into invalid (attempt, rule, evidence) "
                  "values (?, ?, ?)",
                  DB_VALUES(DB_I(in->attempt), DB_T(rule), DB_T(evidence)),
                  NULL, why);
}

/* A document of the spool that the tally needs could not be read: that is the
 * trial's fault, not the store's. */
static enum err unreadable(struct ingest *in, const char *rule, enum err e,
                           struct why *why)
{
    if (e == ERR_NOMEM)
        return e;
    struct why evidence = *why;
    why->text[0] = '\0';
    return put_invalid(in, rule, evidence.text, why);
}

static enum err read_documents(struct ingest *in, struct why *why)
{
    const struct wire_blob *last = &in->intake.streams[SPOOL_TARGET_FINAL];
    const struct wire_blob *executor = &in->intake.streams[SPOOL_EXECUTOR];
    enum err e = ERR_OK;
    if (last->len)
        e = final_read(&in->tally->final, last->data, last->len, why);
    if (e)
        e = unreadable(in, "target's last word unreadable", e, why);
    if (!e && executor->len) {
        e = effective_read(&in->tally->effective, executor->data, executor->len,
                           why);
        if (e)
            e = unreadable(in, "settings unreadable", e, why);
    }
    return e;
}

static enum err read_plan(struct ingest *in, struct why *why)
{
    int64_t planned_ns = 0;
    enum err e = db_run(in->db,
                        "select coalesce(max(e.measure_ns), 0) from attempt a "
                        "join trial t on t.id = a.trial join experiment e on "
                        "e.id = t.experiment where a.id = ?",
                        DB_VALUES(DB_I(in->attempt)), &planned_ns, why);
    in->tally->planned_ns = (uint64_t)planned_ns;
    return e;
}

static enum err put_artifacts(struct ingest *in, struct why *why)
{
    static const struct {
        enum spool_stream stream;
        const char *name;
    } kept[] = {{SPOOL_TARGET_FINAL, "target-final.json"},
                {SPOOL_EXECUTOR, "executor.json"},
                {SPOOL_GC_LOG, "gc.log"},
                {SPOOL_STDERR_TARGET, "stderr-target.txt"},
                {SPOOL_STDERR_LOAD, "stderr-load.txt"}};
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < sizeof kept / sizeof *kept; i++) {
        const struct wire_blob *b = &in->intake.streams[kept[i].stream];
        if (b->len)
            e = db_run(in->db,
                       "insert into artifact (attempt, name, bytes, crc32c, "
                       "content) values (?, ?, ?, ?, ?)",
                       DB_VALUES(DB_I(in->attempt), DB_T(kept[i].name),
                                 DB_I(b->len), DB_I(crc32c(0, b->data, b->len)),
                                 DB_B(b->data, b->len)),
                       NULL, why);
    }
    return e;
}

/* The target's own histograms become rows like the driver's. */
static enum err put_final_hists(struct ingest *in, struct why *why)
{
    uint8_t *buf = malloc(HIST_BLOB_MAX);
    if (!buf)
        return err_set(why, ERR_NOMEM, "histogram");
    enum err e = ERR_OK;
    for (unsigned i = 0; !e && i < FINAL_HISTS; i++) {
        const struct hist *h = in->tally->final.hists[i];
        struct record_hist r = {.second = RECORD_WHOLE_WINDOW};
        if (!h)
            continue;
        (void)snprintf(r.kind, sizeof r.kind, "%s",
                       final_hist_name((enum final_hist)i));
        r.blob = (struct wire_blob){buf, hist_encode(h, buf, HIST_BLOB_MAX)};
        e = inserted(in, put_hist(in, &r, why), why);
    }
    free(buf);
    return e;
}

static enum err put_metric(struct ingest *in, struct db_stmt *insert,
                           const struct metric *m,
                           const struct tally_task *task, struct why *why)
{
    static const char *const names[] = {"attempt", "name", "task", "source",
                                        "value"};
    double value = m->derive(in->tally, task, m->arg);
    if (!isfinite(value))
        return ERR_OK;
    struct db_value row[6] = {DB_I(in->attempt), DB_T(m->name),
                              DB_T(task->name), DB_T(m->source), DB_F(value)};
    uint32_t sum = 0;
    for (size_t i = 0; i < 5; i++)
        sum = rowsum_add(sum, names[i], &row[i]);
    row[5] = DB_I(sum);
    db_bind(insert, row, 6);
    bool any = false;
    return db_step(insert, &any, why);
}

static enum err put_metrics(struct ingest *in, struct why *why)
{
    struct db_stmt *insert = NULL;
    enum err e = db_prepare(in->db, &insert,
                            "insert into metric (attempt, name, task, source, "
                            "value, crc) values (?, ?, ?, ?, ?, ?)",
                            DB_NONE, why);
    const struct metric *m;
    for (size_t i = 0; !e && (m = metric_at(i)); i++) {
        e = put_metric(in, insert, m, &in->tally->all, why);
        if (m->scope == METRIC_TASKS)
            for (size_t t = 0; !e && t < in->tally->n_tasks; t++)
                if (*in->tally->tasks[t].name)
                    e = put_metric(in, insert, m, &in->tally->tasks[t], why);
    }
    db_finish(insert);
    return e;
}

static enum err put_rules(struct ingest *in, struct why *why)
{
    const struct invalid_rule *rule;
    enum err e = ERR_OK;
    for (size_t i = 0; !e && (rule = invalid_rule(i)); i++) {
        char evidence[INVALID_EVIDENCE_BYTES] = "";
        if (rule->broken(in->tally, in->outcome, evidence, sizeof evidence))
            e = put_invalid(in, rule->name, evidence, why);
    }
    return e;
}

enum err ingest_spool(struct db *db, int64_t attempt,
                      enum attempt_outcome outcome,
                      const struct wire_blob *spool, struct ingest_summary *out,
                      struct why *why)
{
    struct ingest in = {.db = db, .attempt = attempt, .outcome = outcome};
    enum err e = intake_open(&in.intake, spool->data, spool->len, why);
    if (!e)
        e = rows_open(&in.rows, db, why);
    if (!e)
        e = tally_new(&in.tally, why);
    if (!e)
        e = read_plan(&in, why);
    if (!e)
        e = read_documents(&in, why);
    if (!e)
        e = put_records(&in, why);
    if (!e)
        e = put_artifacts(&in, why);
    if (!e)
        e = put_final_hists(&in, why);
    if (!e)
        e = put_metrics(&in, why);
    if (!e)
        e = put_rules(&in, why);
    if (!e)
        *out = (struct ingest_summary){.partial = in.tally->final.partial,
                                       .unknown = in.tally->unknown,
                                       .damaged = in.tally->damaged,
                                       .invalid = in.invalid};
    tally_free(in.tally);
    rows_close(in.rows);
    intake_close(&in.intake);
    return e;
}
