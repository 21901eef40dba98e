/* Writing a shard: a bulk's part from begin to commit, and back. */
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "target/flatten.h"
#include "target/native.h"
#include "target/resolve.h"
#include "target/shard_sql.h"

/* Native memory for documents that are flattened again. */
struct scratch {
    char *p;
    size_t size;
};

/* FTS5 keeps no text: to take terms out, or put them back, the document's
 * source is flattened again, which gives the same text as before. */
static enum err terms(struct shard *s, enum shard_sql how, int64_t n,
                      struct batch_text source, struct scratch *scratch,
                      struct why *why)
{
    size_t room = FLATTEN_ROOM(source.len), len;
    if (room > scratch->size) {
        char *grown = native_grow(scratch->p, room);
        if (!grown)
            return err_set(why, ERR_NOMEM, "the native limit is reached");
        *scratch = (struct scratch){grown, room};
    }
    enum err e =
        flatten(s->config.fields, source.p, source.len, scratch->p, &len, why);
    if (e)
        return e;
    sqlite3_stmt *stmt = shard_stmt(s, how);
    (void)sqlite3_bind_int64(stmt, 1, n);
    (void)sqlite3_bind_text(stmt, 2, scratch->p, (int)len, SQLITE_STATIC);
    return shard_run(s, how, why);
}

/* Do the same to the terms of every row (n, source) that rows yields. */
static enum err terms_of_rows(struct shard *s, sqlite3_stmt *rows,
                              enum shard_sql how, struct why *why)
{
    struct scratch scratch = {0};
    bool row = true;
    enum err e = ERR_OK;
    while (!e && row) {
        e = shard_step(s, rows, &row, why);
        if (e || !row)
            break;
        struct batch_text source = {sqlite3_column_blob(rows, 1),
                                    (size_t)sqlite3_column_bytes(rows, 1)};
        e = source.p ? terms(s, how, sqlite3_column_int64(rows, 0), source,
                             &scratch, why)
                     : err_set(why, ERR_NOMEM, "the native limit is reached");
    }
    (void)sqlite3_reset(rows);
    native_free(scratch.p);
    return e;
}

static int by_n(const void *a, const void *b)
{
    const struct resolve_doc *x = a, *y = b;
    return x->old_n < y->old_n ? -1 : x->old_n > y->old_n;
}

/* Take one old version out, keeping it for an undo. */
static enum err drop(struct shard *s, int64_t n, struct scratch *scratch,
                     struct why *why)
{
    bool row;
    sqlite3_stmt *old = shard_stmt(s, SHARD_BY_N);
    (void)sqlite3_bind_int64(old, 1, n);
    enum err e = shard_step(s, old, &row, why);
    struct batch_text source = {0};
    if (!e && row)
        source = (struct batch_text){sqlite3_column_blob(old, 2),
                                     (size_t)sqlite3_column_bytes(old, 2)};
    if (!e && !source.p)
        e = err_set(why, ERR_NOMEM, "the native limit is reached");
    if (!e)
        e = terms(s, SHARD_UNTERMS, n, source, scratch, why);
    (void)sqlite3_reset(old);
    (void)sqlite3_bind_int64(shard_stmt(s, SHARD_KEEP), 1, n);
    if (!e)
        e = shard_run(s, SHARD_KEEP, why);
    (void)sqlite3_bind_int64(shard_stmt(s, SHARD_DROP), 1, n);
    return e ? e : shard_run(s, SHARD_DROP, why);
}

static enum err drop_old(struct shard *s, struct resolve *r, struct why *why)
{
    struct scratch scratch = {0};
    enum err e = ERR_OK;
    qsort(r->docs, r->n, sizeof *r->docs,
          by_n); /* the table is of no use now */
    for (size_t i = 0; i < r->n && !e; i++)
        if (r->docs[i].drops) {
            e = drop(s, r->docs[i].old_n, &scratch, why);
            s->next.docs--;
        }
    native_free(scratch.p);
    return e;
}

static enum err add(struct shard *s, struct batch_op *op, struct why *why)
{
    sqlite3_stmt *stmt = shard_stmt(s, SHARD_ADD);
    int64_t n = ++s->next.last;
    s->next.docs++;
    (void)sqlite3_bind_int64(stmt, 1, n);
    if (op->key.len)
        (void)sqlite3_bind_blob(stmt, 2, op->key.p, (int)op->key.len,
                                SQLITE_STATIC);
    else
        (void)sqlite3_bind_null(stmt, 2);
    (void)sqlite3_bind_int64(stmt, 3, (sqlite3_int64)op->version);
    (void)sqlite3_bind_blob(stmt, 4, op->source.p, (int)op->source.len,
                            SQLITE_STATIC);
    enum err e = shard_run(s, SHARD_ADD, why);
    stmt = shard_stmt(s, SHARD_TERMS);
    (void)sqlite3_bind_int64(stmt, 1, n);
    (void)sqlite3_bind_text(stmt, 2, op->text.p ? op->text.p : "",
                            (int)op->text.len, SQLITE_STATIC);
    if (!e)
        e = shard_run(s, SHARD_TERMS, why);
    if (!op->key.len)
        docid_make(s->config.seed, s->config.number, (uint64_t)n, op->made_id);
    return e;
}

static enum err write_state(struct shard *s, const struct shard_part *parts,
                            size_t n, struct why *why)
{
    sqlite3_stmt *stmt = shard_stmt(s, SHARD_STATE);
    (void)sqlite3_bind_int64(stmt, 1, (sqlite3_int64)s->next.seq);
    (void)sqlite3_bind_int64(stmt, 2, s->next.first);
    (void)sqlite3_bind_int64(stmt, 3, s->next.last);
    (void)sqlite3_bind_int64(stmt, 4, (sqlite3_int64)s->next.docs);
    (void)sqlite3_bind_int64(stmt, 5, (sqlite3_int64)s->next.before);
    (void)sqlite3_bind_blob(stmt, 6, n ? (const void *)parts : "",
                            (int)(n * sizeof *parts), SQLITE_STATIC);
    return shard_run(s, SHARD_STATE, why);
}

/* What was done, as statistics count it: refused ones are no operations. */
static void count_work(struct shard *s, const struct shard_work *work)
{
    s->n_written = s->n_deleted = 0;
    for (size_t i = 0; i < work->n; i++) {
        const struct batch_op *op = work->ops[i];
        bool done = !op->error.type && op->status < 300;
        s->n_written += done && op->kind != BULK_DELETE;
        s->n_deleted += done && op->kind == BULK_DELETE;
    }
}

/* The server ends: a bulk of many megabytes is not waited for. */
static enum err go_on(const struct shard_work *work, struct why *why)
{
    if (!work->given_up || !atomic_load(work->given_up))
        return ERR_OK;
    return err_set(why, ERR_INTERRUPTED, "the target is stopping");
}

static enum err write_work(struct shard *s, const struct shard_work *work,
                           struct why *why)
{
    struct resolve r;
    enum err e = resolve_begin(&r, s, work->n, why);
    if (!e && s->has_undo)
        e = shard_run(s, SHARD_FORGET, why);
    for (size_t i = 0; i < work->n && !e; i++) {
        e = go_on(work, why);
        if (!e)
            e = resolve_op(&r, work->ops[i], why);
    }
    if (!e)
        e = drop_old(s, &r, why);
    for (size_t i = 0; i < work->n && !e; i++) {
        e = go_on(work, why);
        if (!e && work->ops[i]->writes)
            e = add(s, work->ops[i], why);
    }
    count_work(s, work);
    resolve_end(&r);
    if (!e)
        e = write_state(s, work->parts, work->n_parts, why);
    /* FTS5 writes its terms now, so that a commit has little left to fail. */
    return e ? e : shard_run(s, SHARD_SAVE, why);
}

static enum err keep_parts(struct shard *s, const struct shard_work *work,
                           struct why *why)
{
    size_t bytes = work->n_parts * sizeof *work->parts;
    free(s->next_parts);
    s->n_next_parts = work->n_parts;
    s->next_parts = malloc(bytes + 1);
    if (!s->next_parts)
        return err_set(why, ERR_NOMEM, "no memory for a bulk");
    memcpy(s->next_parts, work->parts, bytes);
    return ERR_OK;
}

enum err shard_prepare(struct shard *s, const struct shard_work *work,
                       struct why *why)
{
    s->began_ns = clock_mono_ns();
    enum err e = shard_ready(s, why);
    if (e)
        return e;
    s->next = (struct shard_state){.seq = s->now.seq + 1,
                                   .first = s->now.last,
                                   .last = s->now.last,
                                   .docs = s->now.docs,
                                   .before = s->now.docs};
    e = keep_parts(s, work, why);
    if (!e)
        e = shard_run(s, SHARD_BEGIN, why);
    if (!e)
        e = write_work(s, work, why);
    if (e)
        shard_abort(s);
    s->worked_ns = clock_mono_ns() - s->began_ns;
    return e;
}

/* The committed state becomes the current one. */
static void adopt(struct shard *s)
{
    uint64_t dropped = s->next.before +
                       (uint64_t)(s->next.last - s->next.first) - s->next.docs;
    s->has_undo = dropped > 0;
    s->now = s->next;
    free(s->parts);
    s->parts = s->next_parts;
    s->n_parts = s->n_next_parts;
    s->next_parts = NULL;
    atomic_store(&s->counts.docs, s->now.docs);
}

enum err shard_commit(struct shard *s, struct why *why)
{
    uint64_t began_ns = clock_mono_ns();
    enum err e = shard_run(s, SHARD_COMMIT, why);
    if (e) {
        shard_abort(s);
        return e;
    }
    adopt(s);
    atomic_fetch_add(&s->counts.index_count, s->n_written);
    atomic_fetch_add(&s->counts.deleted, s->n_deleted);
    atomic_fetch_add(&s->counts.index_ns,
                     s->worked_ns + clock_mono_ns() - began_ns);
    return ERR_OK;
}

void shard_rollback(struct shard *s)
{
    shard_abort(s);
}

static enum err take_back(struct shard *s, struct why *why)
{
    sqlite3_stmt *newer = shard_stmt(s, SHARD_NEWER);
    (void)sqlite3_bind_int64(newer, 1, s->now.first);
    enum err e = terms_of_rows(s, newer, SHARD_UNTERMS, why);
    (void)sqlite3_bind_int64(shard_stmt(s, SHARD_DROP_NEWER), 1, s->now.first);
    if (!e)
        e = shard_run(s, SHARD_DROP_NEWER, why);
    if (!e)
        e = terms_of_rows(s, shard_stmt(s, SHARD_OLDER), SHARD_TERMS, why);
    if (!e)
        e = shard_run(s, SHARD_RESTORE, why);
    if (!e)
        e = shard_run(s, SHARD_FORGET, why);
    return e ? e : write_state(s, NULL, 0, why);
}

enum err shard_undo(struct shard *s, struct why *why)
{
    s->next = (struct shard_state){.seq = s->now.seq - 1,
                                   .first = s->now.first,
                                   .last = s->now.first,
                                   .docs = s->now.before,
                                   .before = s->now.before};
    native_lift();
    enum err e = shard_ready(s, why);
    if (!e)
        e = shard_transact(s, take_back, why);
    native_lower();
    if (e) {
        s->broken = true;
        return err_wrap(why, e, "take back a bulk");
    }
    s->now = s->next;
    free(s->parts);
    s->parts = NULL;
    s->n_parts = 0;
    s->has_undo = false;
    atomic_store(&s->counts.docs, s->now.docs);
    return ERR_OK;
}
