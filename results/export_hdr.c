#include <stdlib.h>
#include <string.h>

#include "common/hdr.h"
#include "common/record.h"
#include "results/export.h"
#include "results/handle.h"
#include "results/rowsum.h"

#define NAME_BYTES 192

/* The file that is being put together: one trial's task. */
struct file {
    int64_t experiment, tid;
    char task[65];
    char *text;
    size_t len;
    FILE *out; /* NULL: none */
    struct hist *hist;
    size_t files;
    export_take *take;
    void *ctx;
};

/* Seconds in the order of time, warm-up left out; the whole window only where
 * there are none. The window's begin by the wall is when it ran, less its
 * warm-up: to the second. */
static const char sql[] =
    "select h.attempt, h.kind, h.task, h.second, h.blob, h.crc, t.tid, "
    "cast(coalesce((select strftime('%s', m.at) from attempt_move m where "
    "m.attempt = a.id and m.state = 'running'), 0) as real) + e.warmup_ns / "
    "1e9, e.measure_ns / 1e9 "
    "from trial t join experiment e on e.id = t.experiment "
    "join cell c on c.id = t.cell and c.purpose = 'measure' "
    "join block b on b.id = t.block and not b.superseded "
    "join attempt a on a.id = t.attempt join histogram h on h.attempt = a.id "
    "where t.experiment = ?1 and h.kind in ('latency', 'service') and "
    "(h.second >= 0 or (coalesce(h.second, ?2) = ?2 and not exists (select 1 "
    "from histogram x where x.attempt = h.attempt and x.kind = h.kind and "
    "x.task = h.task and x.second >= 0))) "
    "order by t.tid, h.task, h.second, h.kind";

static enum err finish(struct file *file, struct why *why)
{
    char name[NAME_BYTES];
    if (!file->out)
        return ERR_OK;
    bool bad = fclose(file->out) != 0;
    file->out = NULL;
    int n = snprintf(name, sizeof name, "%lld-%lld-%s.hdr",
                     (long long)file->experiment, (long long)file->tid,
                     *file->task ? file->task : "all");
    for (char *p = name; *p; p++)
        if (*p == '/' || *p == ' ')
            *p = '_';
    enum err e = bad || n < 0
                     ? err_set(why, ERR_NOMEM, "%s", name)
                     : file->take(file->ctx, name, file->text, file->len, why);
    free(file->text);
    file->text = NULL;
    file->files++;
    return e;
}

/* stmt stands on the first histogram of another trial or task. */
static enum err begin(struct file *file, struct db_stmt *stmt, struct why *why)
{
    enum err e = finish(file, why);
    if (e)
        return e;
    file->tid = db_column(stmt, 6).i;
    (void)snprintf(file->task, sizeof file->task, "%s",
                   (const char *)db_column(stmt, 2).data);
    file->out = open_memstream(&file->text, &file->len);
    if (!file->out)
        return err_set(why, ERR_NOMEM, "histogram");
    hdr_head(file->out, "pitwall", db_column(stmt, 7).f);
    return ERR_OK;
}

static enum err add(struct file *file, struct db_stmt *stmt, struct why *why)
{
    struct db_value second = db_column(stmt, 3), blob = db_column(stmt, 4);
    bool whole = second.type != DB_INT || second.i < 0;
    const struct hdr_interval interval = {
        .name = *file->task ? file->task : "all",
        .kind = db_column(stmt, 1).data,
        .begin_s = whole ? 0 : (double)second.i,
        .length_s = whole ? db_column(stmt, 8).f : 1};
    enum err e = rowsum_check(stmt, "histogram", why);
    if (!e)
        e = hist_decode(file->hist, blob.data, blob.len, why);
    return e ? e : hdr_line(file->out, &interval, file->hist, why);
}

static enum err put(struct file *file, struct db *db, struct why *why)
{
    struct db_stmt *stmt = NULL;
    bool row = false;
    enum err e = db_prepare(
        db, &stmt, sql,
        DB_VALUES(DB_I(file->experiment), DB_I(RECORD_WHOLE_WINDOW)), why);
    if (!e)
        e = db_step(stmt, &row, why);
    while (!e && row) {
        const char *task = db_column(stmt, 2).data;
        if (!file->out || file->tid != db_column(stmt, 6).i ||
            strcmp(file->task, task) != 0)
            e = begin(file, stmt, why);
        if (!e)
            e = add(file, stmt, why);
        if (!e)
            e = db_step(stmt, &row, why);
    }
    db_finish(stmt);
    return e ? e : finish(file, why);
}

enum err export_hdr(struct store *store, int64_t experiment, export_take *take,
                    void *ctx, size_t *files, struct why *why)
{
    struct file file = {.experiment = experiment, .take = take, .ctx = ctx};
    file.hist = malloc(sizeof *file.hist);
    if (!file.hist)
        return err_set(why, ERR_NOMEM, "histogram");
    enum err e = db_begin(store->db, false, why);
    if (!e)
        e = db_end(store->db, put(&file, store->db, why), why);
    if (file.out)
        (void)fclose(file.out);
    free(file.text);
    free(file.hist);
    *files = file.files;
    return e;
}
