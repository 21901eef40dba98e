#include "results/check_facts.h"

#include <math.h>
#include <string.h>

#include "results/final.h"
#include "results/gc_log.h"
#include "results/rowsum.h"

/* On the wire of each packet beside its payload: Ethernet 14, IPv4 20, TCP 32
 * with its timestamps. */
#define PACKET_BYTES 66.0

static enum err read_metrics(struct agree_facts *f, struct db *db,
                             int64_t attempt, struct why *why)
{
    struct agree_jvm *jvm = &f->jvm;
    const struct {
        const char *name;
        double *to;
    } wanted[] = {{"log_young_count", &jvm->log.young},
                  {"log_young_pause_ns", &jvm->log.young_ns},
                  {"log_old_count", &jvm->log.old},
                  {"log_old_pause_ns", &jvm->log.old_ns},
                  {"log_concurrent_ns", &jvm->log_concurrent_ns},
                  {"recording_young_count", &jvm->recording.young},
                  {"recording_young_pause_ns", &jvm->recording.young_ns},
                  {"recording_old_count", &jvm->recording.old},
                  {"recording_old_pause_ns", &jvm->recording.old_ns},
                  {"recording_old_elapsed_ns", &jvm->recording_elapsed_ns},
                  {"recording_pause_max_ns", &jvm->recording_max_ns},
                  {"counters_young_count", &jvm->counters.young},
                  {"counters_young_ns", &jvm->counters.young_ns},
                  {"counters_old_count", &jvm->counters.old},
                  {"counters_old_ns", &jvm->counters.old_ns},
                  {"counters_safepoint_ns", &jvm->counters_stops_ns},
                  {"stats_young_count", &jvm->statistics.young},
                  {"stats_young_ns", &jvm->statistics.young_ns},
                  {"stats_old_count", &jvm->statistics.old},
                  {"stats_old_ns", &jvm->statistics.old_ns},
                  {"safepoint_ns", &jvm->log_stops_ns},
                  {"safepoint_wait_ns", &jvm->log_reaching_ns},
                  {"docs_acked", &f->docs_acked},
                  {"docs_counted", &f->docs_counted},
                  {"docs_unknown", &f->docs_unknown},
                  {"index_docs", &f->index_docs},
                  {"hiccup_max_ns", &f->hiccup_max_ns},
                  {"pause_max_ns", &f->pause_max_ns},
                  {"service_max", &f->service_max_ns},
                  {"service_mean", &f->service_mean_ns}};
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(db, &stmt,
                            "select attempt, name, task, source, value, crc "
                            "from metric where attempt = ? and task = ''",
                            DB_VALUES(DB_I(attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        const char *name = db_column(stmt, 1).data;
        e = rowsum_check(stmt, "metric", why);
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            if (!strcmp(name, wanted[i].name))
                *wanted[i].to = db_column(stmt, 4).f;
        if (!e)
            e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e;
}

/* One row of numbers; NULL stays NaN. */
static enum err read_row(struct db *db, const char *sql, int64_t attempt,
                         double *const *to, size_t n, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(db, &stmt, sql, DB_VALUES(DB_I(attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    for (size_t i = 0; !e && row && i < n; i++) {
        struct db_value v = db_column(stmt, i);
        if (v.type == DB_REAL)
            *to[i] = v.f;
        else if (v.type == DB_INT)
            *to[i] = (double)v.i;
    }
    db_finish(stmt);
    return e;
}

/* Whole seconds of the window, as the target's statistics have it; without an
 * interface of its own the loopback's counts answers as well. */
static enum err read_link(struct agree_facts *f, struct db *db, int64_t attempt,
                          struct why *why)
{
    double bytes = NAN, packets = NAN, seconds = NAN, loopback = NAN;
    double *const to[] = {&bytes, &packets, &seconds, &loopback};
    enum err e = read_row(
        db,
        "select sum(l.rx_bytes), sum(l.rx_packets), count(distinct l.second), "
        "min(l.iface = 'lo') from sample_link l where l.attempt = ?1 and "
        "l.side = 'target' and l.second >= 0 and l.second < (select "
        "max(window_ns) / 1000000000 from task where attempt = ?1) and "
        "(l.iface <> 'lo' or not exists (select 1 from sample_link x where "
        "x.attempt = ?1 and x.side = 'target' and x.iface <> 'lo')) and not "
        "exists (select 1 from task where attempt = ?1 and step > 0)",
        attempt, to, 4, why);
    if (!e && seconds >= floor(f->window_s) && seconds >= 1) {
        /* A window of a part of a second more has that part unseen. */
        f->link_bytes = bytes - PACKET_BYTES * packets;
        f->link_bytes *= f->window_s / seconds;
        f->link_both = loopback != 0;
    }
    return e;
}

static void read_final(struct agree_facts *f, const struct db_value *content)
{
    struct final final;
    final_init(&final);
    if (!final_read(&final, content->data, content->len, NULL)) {
        f->target_body_bytes = final.total_body_bytes;
        f->read_bytes = final.window_read_bytes;
        f->collections = final.heap_young_since_start;
        f->window_collections = final.heap_young_count;
        f->pause_ns = final.heap_young_pause_ns + final.heap_old_pause_ns;
        if (final.hists[FINAL_SERVICE])
            f->target_mean_ns = hist_mean(final.hists[FINAL_SERVICE]);
    }
    final_fini(&final);
}

static void read_log(struct agree_facts *f, const struct db_value *content,
                     double *others)
{
    struct gc_log log = gc_log_read(content->data, content->len);
    f->log_collections = (double)log.young;
    f->log_pause_ns = log.pause_ns;
    f->log_pause_max_ns = log.max_ns;
    *others = (double)log.other;
}

static enum err read_artifacts(struct agree_facts *f, struct db *db,
                               int64_t attempt, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    double others = 0, old = NAN;
    double *const to[] = {&old};
    enum err e = read_row(db,
                          "select value from metric where attempt = ? and name "
                          "= 'old_count' and task = ''",
                          attempt, to, 1, why);
    if (!e)
        e = db_prepare(db, &stmt,
                       "select name = 'gc.log', content from artifact where "
                       "attempt = ? and (name = 'gc.log' or name glob "
                       "'target-final*.json')",
                       DB_VALUES(DB_I(attempt)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        struct db_value content = db_column(stmt, 1);
        if (db_column(stmt, 0).i)
            read_log(f, &content, &others);
        else
            read_final(f, &content);
        e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    /* A full collection before the window: not all fell into it. */
    if (!isnan(old) && old != others)
        f->window_collections = NAN;
    return e;
}

enum err check_facts(struct agree_facts *out, struct db *db, int64_t attempt,
                     struct why *why)
{
    double *const driver[] = {&out->body_bytes, &out->window_s,
                              &out->received_bytes, &out->queued_bytes};
    agree_facts_init(out);
    enum err e = read_metrics(out, db, attempt, why);
    if (!e)
        e = read_row(db,
                     "select (select body_bytes from driver where attempt = "
                     "?1), (select max(window_ns) / 1e9 from task where "
                     "attempt = ?1), (select sum(received) from task where "
                     "attempt = ?1), (select max(max(rcvq_bytes, "
                     "coalesce(rcvq_peak_bytes, 0))) from sample_tcp where "
                     "attempt = ?1 and side = 'target')",
                     attempt, driver, 4, why);
    if (!e)
        e = read_artifacts(out, db, attempt, why);
    return e ? e : read_link(out, db, attempt, why);
}
