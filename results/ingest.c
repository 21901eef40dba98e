#include "results/ingest.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/ceiling.h"
#include "results/conclude.h"
#include "results/documents.h"
#include "results/intake.h"
#include "results/merge.h"
#include "results/part.h"
#include "results/rows.h"
#include "results/rowsum.h"

struct ingest {
    struct db *db;
    int64_t attempt;
    enum attempt_outcome outcome;
    struct part *parts; /* [n_parts] */
    size_t n_parts;
    struct merge *merge;
    struct rows *rows;
    struct tally *tally;
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

/* The driver's figures of one host, beside the merged ones. */
static enum err put_host(struct ingest *in, const struct part *part,
                         const struct record_driver *driver, struct why *why)
{
    struct record row = {.kind = RECORD_IS_driver_host};
    size_t n = 0, n_host = 0;
    const struct wire_field *from = record_fields(RECORD_IS_driver, &n);
    const struct wire_field *to = record_fields(RECORD_IS_driver_host, &n_host);
    (void)snprintf(row.as.driver_host.side, sizeof row.as.driver_host.side,
                   "%.8s", part->side);
    for (size_t i = 0; i < n; i++) /* the same list, behind the side */
        memcpy((char *)&row.as.driver_host + to[i + 1].offset,
               (const char *)driver + from[i].offset,
               from[i].type == WIRE_STR ? from[i].max + 1 : 8);
    return inserted(in, rows_add(in->rows, in->attempt, &row, why), why);
}

/* A load on another machine whose last requests came to nothing. */
static void note_unanswered(struct tally *tally, const struct part *part,
                            const struct record_driver *driver)
{
    if (part->target || driver->docs_unknown <= tally->unanswered)
        return;
    tally->unanswered = driver->docs_unknown;
    (void)snprintf(tally->unanswered_agent, sizeof tally->unanswered_agent,
                   "%s", part->in->agent);
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

/* The one histogram that is not a load's. */
static bool of_kernel(const struct record *record)
{
    return record->kind == RECORD_IS_hist &&
           !strcmp(record->as.hist.kind, "kernel_reads");
}

/* What load processes state is merged before it is stored. */
static enum err gather(struct ingest *in, const struct part *part,
                       const struct record *record, struct why *why)
{
    if (of_kernel(record))
        return put_total(in, record, why);
    enum err e = part->load
                     ? merge_add(in->merge, part->host, record, why)
                     : err_set(why, ERR_EXISTS, "%s from an agent without load",
                               record_name(record->kind));
    if (!e && record->kind == RECORD_IS_driver)
        note_unanswered(in->tally, part, &record->as.driver);
    if (!e && record->kind == RECORD_IS_driver)
        return put_host(in, part, &record->as.driver, why);
    return e && e != ERR_NOMEM ? damaged(in, why) : e;
}

/* Second pass: the samples, and the facts. */
static enum err put_sample(struct ingest *in, const struct record *record,
                           struct why *why)
{
    switch (record->kind) {
    case RECORD_IS_task:
    case RECORD_IS_driver:
    case RECORD_IS_hist:
    case RECORD_IS_driver_host:
    case RECORD_KIND_LAST:
        return ERR_OK;
    case RECORD_IS_sample_load:
    case RECORD_IS_sample_link:
    case RECORD_IS_sample_tcp:
    case RECORD_IS_sample_cpu:
    case RECORD_IS_sample_disk:
    case RECORD_IS_sample_pressure:
    case RECORD_IS_stack:
    case RECORD_IS_sample_proc:
    case RECORD_IS_sample_target:
    case RECORD_IS_sample_jvm:
    case RECORD_IS_sample_jit:
    case RECORD_IS_jvm:
    case RECORD_IS_fact:
        break;
    }
    enum err e = rows_add(in->rows, in->attempt, record, why);
    if (e)
        return inserted(in, e, why);
    e = tally_sample(in->tally, record, why);
    return e && e != ERR_NOMEM ? damaged(in, why) : e;
}

static enum err put_merged(struct ingest *in, bool seconds, struct why *why)
{
    struct record record;
    bool more = true;
    enum err e = ERR_OK;
    merge_again(in->merge);
    while (!e) {
        e = merge_next(in->merge, &record, &more, why);
        if (e == ERR_NOMEM)
            break;
        if (e && !seconds)
            e = damaged(in, why);
        if (e) /* what was left out was said in the first pass */
            why->text[0] = '\0';
        e = ERR_OK;
        if (!more || (seconds && record.kind == RECORD_IS_hist))
            break;
        if (!seconds)
            e = put_total(in, &record, why);
        else if (record.kind == RECORD_IS_sample_load)
            e = put_sample(in, &record, why);
    }
    return e;
}

/* A part's complaints about records that could not be read. */
static void note_walk(struct ingest *in, const struct intake_walk *walk)
{
    in->tally->unknown += walk->unknown;
    if (walk->damaged && !in->tally->damaged)
        (void)snprintf(in->tally->damage, sizeof in->tally->damage, "%.*s",
                       (int)sizeof in->tally->damage - 1, walk->damage.text);
    in->tally->damaged += walk->damaged;
}

static enum err put_records(struct ingest *in, struct why *why)
{
    struct record record;
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < in->n_parts; i++) {
        struct intake_walk walk = {.intake = &in->parts[i].intake,
                                   .wants = merge_takes};
        while (!e && intake_next(&walk, &record))
            e = gather(in, &in->parts[i], &record, why);
        note_walk(in, &walk);
    }
    if (!e)
        e = put_merged(in, false, why);
    tally_window(in->tally);
    if (!e)
        e = put_merged(in, true, why);
    for (size_t i = 0; !e && i < in->n_parts; i++) {
        struct intake_walk walk = {.intake = &in->parts[i].intake,
                                   .wants = merge_takes,
                                   .others = true};
        while (!e && intake_next(&walk, &record)) {
            part_name_side(&in->parts[i], &record);
            e = put_sample(in, &record, why);
        }
        note_walk(in, &walk);
    }
    return e ? e : tally_end(in->tally, why);
}

/* What calibrations found the trial's link to carry; a measurement of the
 * trial's own, among its facts, is preferred. */
static enum err read_capacity(struct ingest *in, struct why *why)
{
    int64_t bit_s = 0;
    if (in->tally->link_bit_s > 0)
        return ERR_OK;
    enum err e = db_run(in->db,
                        "select cast(coalesce(max(z.link_bit_s), 0) as integer)"
                        " from attempt a join trial t on t.id = a.trial "
                        "join cell c on c.id = t.cell join driver_ceiling d on "
                        "d.id = " CEILING_OF_TRIAL " join driver_ceiling z on "
                        "z.experiment = d.experiment and z.link = d.link and "
                        "z.bench is d.bench where a.id = ?",
                        DB_VALUES(DB_I(in->attempt)), &bit_s, why);
    in->tally->link_bit_s = (double)bit_s;
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

static enum err open_part(struct ingest *in, const struct store_part *p,
                          struct why *why)
{
    struct part *part = &in->parts[in->n_parts];
    unsigned host = 0;
    for (size_t i = 0; i < in->n_parts; i++)
        host += in->parts[i].load;
    in->n_parts++;
    enum err e = part_open(part, p, host, why);
    in->tally->apart |= part->load && !part->target;
    if (p->started && p->uncertain_ns > in->tally->clock_ns) {
        in->tally->clock_ns = p->uncertain_ns;
        (void)snprintf(in->tally->clock_agent, sizeof in->tally->clock_agent,
                       "%s", p->agent);
    }
    return e;
}

static enum err open_all(struct ingest *in, const struct store_result *result,
                         struct why *why)
{
    enum err e = rows_open(&in->rows, in->db, why);
    if (!e)
        e = tally_new(&in->tally, why);
    if (!e)
        e = merge_new(&in->merge, why);
    in->parts = calloc(result->n_parts + 1, sizeof *in->parts);
    if (!e && !in->parts)
        e = err_set(why, ERR_NOMEM, "spools of %zu agents", result->n_parts);
    for (size_t i = 0; !e && i < result->n_parts; i++)
        e = open_part(in, &result->parts[i], why);
    return e;
}

static void close_all(struct ingest *in)
{
    for (size_t i = 0; i < in->n_parts; i++)
        part_close(&in->parts[i]);
    free(in->parts);
    merge_free(in->merge);
    tally_free(in->tally);
    rows_close(in->rows);
}

struct telling {
    struct ingest *in;
    const struct part *part;
};

static enum err put_fact(void *ctx, const struct record *fact, struct why *why)
{
    const struct telling *t = ctx;
    struct record r = *fact;
    part_name_side(t->part, &r);
    return put_sample(t->in, &r, why);
}

/* What the executor says of interface and machine. Whether its document can be
 * read at all is the business of what needs it. */
static enum err put_facts(struct ingest *in, const struct part *part,
                          struct why *why)
{
    const struct wire_blob *b = &part->intake.streams[SPOOL_EXECUTOR];
    struct telling telling = {in, part};
    if (!b->len)
        return ERR_OK;
    enum err e = effective_facts(b->data, b->len, put_fact, &telling, why);
    if (e == ERR_INVALID)
        why->text[0] = '\0';
    return e == ERR_INVALID ? ERR_OK : e;
}

/* What each part has for itself. */
static enum err put_parts(struct ingest *in, struct why *why)
{
    enum err e = ERR_OK;
    for (size_t i = 0; !e && i < in->n_parts; i++) {
        const struct part *part = &in->parts[i];
        e = part_put_agent(in->db, in->attempt, part, why);
        if (!e)
            e = documents_read(in->db, in->attempt, in->tally, part, why);
        if (!e)
            e = put_facts(in, part, why);
        if (!e)
            e = part_put_artifacts(in->db, in->attempt, part, why);
    }
    return e;
}

enum err ingest_parts(struct db *db, int64_t attempt,
                      const struct store_result *result,
                      struct ingest_summary *out, struct why *why)
{
    struct ingest in = {
        .db = db, .attempt = attempt, .outcome = result->outcome};
    assert(result->n_parts <= MERGE_HOSTS_MAX);
    enum err e = open_all(&in, result, why);
    if (!e)
        e = documents_plan(db, attempt, in.tally, why);
    if (!e)
        e = put_parts(&in, why);
    if (!e)
        e = put_records(&in, why);
    if (!e)
        e = put_final_hists(&in, why);
    if (!e)
        e = read_capacity(&in, why);
    if (!e)
        e = documents_restored(db, attempt, in.tally, why);
    if (!e)
        e = conclude(db, attempt, in.tally, in.outcome, why);
    int64_t invalid = 0;
    if (!e)
        e = db_run(db, "select count(*) from invalid where attempt = ?",
                   DB_VALUES(DB_I(attempt)), &invalid, why);
    if (!e)
        *out = (struct ingest_summary){.partial = in.tally->final.partial,
                                       .unknown = in.tally->unknown,
                                       .damaged = in.tally->damaged,
                                       .invalid = (uint64_t)invalid};
    close_all(&in);
    return e;
}
