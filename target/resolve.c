#include "target/resolve.h"

#include <string.h>

#include "target/flatten.h"
#include "target/merge.h"
#include "target/native.h"

static enum err no_memory(struct why *why)
{
    return err_set(why, ERR_NOMEM, "the native limit is reached");
}

enum err resolve_begin(struct resolve *r, struct shard *shard, size_t n_ops,
                       struct why *why)
{
    size_t slots = 16;
    while (slots < 2 * n_ops)
        slots *= 2;
    *r = (struct resolve){.shard = shard, .mask = slots - 1};
    r->docs = native_alloc((n_ops + 1) * sizeof *r->docs);
    r->slots = native_alloc(slots * sizeof *r->slots);
    if (!r->docs || !r->slots)
        return no_memory(why);
    memset(r->slots, 0, slots * sizeof *r->slots);
    return ERR_OK;
}

void resolve_end(struct resolve *r)
{
    native_free(r->docs);
    native_free(r->slots);
}

/* Look for the row of a made id. */
static enum err load_made(struct shard *s, int64_t n, struct resolve_doc *doc,
                          struct why *why)
{
    bool row;
    sqlite3_stmt *stmt = shard_stmt(s, SHARD_BY_N);
    (void)sqlite3_bind_int64(stmt, 1, n);
    enum err e = shard_step(s, stmt, &row, why);
    if (!e && row && sqlite3_column_type(stmt, 3) == SQLITE_NULL) {
        doc->old_n = n;
        doc->version = (uint64_t)sqlite3_column_int64(stmt, 1);
        doc->exists = true;
    }
    (void)sqlite3_reset(stmt);
    return e;
}

static enum err load(struct shard *s, struct resolve_doc *doc, struct why *why)
{
    uint32_t number;
    uint64_t n;
    bool row;
    enum err e = ERR_OK;
    if (docid_read(s->config.seed, doc->key.p, doc->key.len, &number, &n) &&
        number == s->config.number)
        e = load_made(s, (int64_t)n, doc, why);
    if (e || doc->exists)
        return e;
    sqlite3_stmt *stmt = shard_stmt(s, SHARD_BY_ID);
    (void)sqlite3_bind_blob(stmt, 1, doc->key.p, (int)doc->key.len,
                            SQLITE_STATIC);
    e = shard_step(s, stmt, &row, why);
    if (!e && row) {
        doc->old_n = sqlite3_column_int64(stmt, 0);
        doc->version = (uint64_t)sqlite3_column_int64(stmt, 1);
        doc->exists = true;
    }
    (void)sqlite3_reset(stmt);
    return e;
}

/* The document of a key. */
static enum err find(struct resolve *r, const struct batch_text *key,
                     struct resolve_doc **out, struct why *why)
{
    size_t i = docid_hash(key->p, key->len) & r->mask;
    for (; r->slots[i]; i = (i + 1) & r->mask) {
        struct resolve_doc *at = &r->docs[r->slots[i] - 1];
        if (at->key.len == key->len && !memcmp(at->key.p, key->p, key->len)) {
            *out = at;
            return ERR_OK;
        }
    }
    struct resolve_doc *doc = &r->docs[r->n];
    *doc = (struct resolve_doc){.key = *key};
    enum err e = load(r->shard, doc, why);
    if (!e)
        r->slots[i] = (uint32_t)++r->n;
    *out = doc;
    return e;
}

/* The operation leaves a new version behind. */
static void write_doc(struct resolve_doc *doc, struct batch_op *op)
{
    op->result = doc->exists ? "updated" : "created";
    op->status = doc->exists ? 200 : 201;
    op->version = doc->exists ? doc->version + 1 : 1;
    if (doc->writer)
        doc->writer->writes = false;
    doc->drops = doc->old_n != 0;
    doc->writer = op;
    doc->version = op->version;
    doc->exists = true;
    op->writes = true;
}

static void delete_doc(struct resolve_doc *doc, struct batch_op *op)
{
    op->result = doc->exists ? "deleted" : "not_found";
    op->status = doc->exists ? 200 : 404;
    op->version = doc->exists ? doc->version + 1 : 1;
    if (doc->writer)
        doc->writer->writes = false;
    doc->drops = doc->old_n != 0;
    doc->writer = NULL;
    doc->exists = false;
}

static void fail(struct batch_op *op, unsigned status, const char *type,
                 const char *reason)
{
    op->status = status;
    op->error = (struct item_error){type, reason, NULL, NULL, status};
}

/* Make op's document of the source; the text is flattened here, since it was
 * not known before. The source may be part of op->owned. */
static enum err flatten_op(struct resolve *r, struct batch_op *op,
                           struct why *why)
{
    size_t len = op->source.len, room = FLATTEN_ROOM(len), n;
    char *text = native_alloc(len + room);
    if (!text)
        return no_memory(why);
    memcpy(text, op->source.p, len);
    native_free(op->owned);
    op->owned = text;
    op->source.p = text;
    enum err e =
        flatten(r->shard->config.fields, text, len, text + len, &n, why);
    op->text = (struct batch_text){text + len, n};
    if (e == ERR_INVALID || e == ERR_RANGE) {
        fail(op, 400, "strict_dynamic_mapping_exception",
             "the updated document does not fit the mapping");
        return ERR_OK;
    }
    return e;
}

/* Lay the operation's document over the current one. */
static enum err merge_doc(struct batch_op *op, const char *old, size_t len,
                          bool *changed, struct why *why)
{
    char *merged = native_alloc(MERGE_ROOM(len, op->source.len));
    if (!merged)
        return no_memory(why);
    size_t n =
        merge_objects(old, len, op->source.p, op->source.len, merged, changed);
    op->owned = merged;
    op->source = (struct batch_text){merged, n};
    return ERR_OK;
}

static enum err merge_current(struct resolve *r, struct resolve_doc *doc,
                              struct batch_op *op, bool *changed,
                              struct why *why)
{
    if (doc->writer)
        return merge_doc(op, doc->writer->source.p, doc->writer->source.len,
                         changed, why);
    bool row;
    sqlite3_stmt *stmt = shard_stmt(r->shard, SHARD_BY_N);
    (void)sqlite3_bind_int64(stmt, 1, doc->old_n);
    enum err e = shard_step(r->shard, stmt, &row, why);
    if (!e) {
        const char *old = sqlite3_column_blob(stmt, 2);
        size_t len = (size_t)sqlite3_column_bytes(stmt, 2);
        e = row && old ? merge_doc(op, old, len, changed, why) : no_memory(why);
    }
    (void)sqlite3_reset(stmt);
    return e;
}

static enum err update(struct resolve *r, struct resolve_doc *doc,
                       struct batch_op *op, struct why *why)
{
    bool changed = true;
    enum err e = ERR_OK;
    if (doc->exists) {
        e = merge_current(r, doc, op, &changed, why);
    } else if (op->upsert.p) {
        op->source = op->upsert;
    } else {
        fail(op, 404, "document_missing_exception", "document missing");
        return ERR_OK;
    }
    if (!e && !changed) {
        op->status = 200;
        op->result = "noop";
        op->version = doc->version;
        return ERR_OK;
    }
    if (!e)
        e = flatten_op(r, op, why);
    if (!e && !op->error.type)
        write_doc(doc, op);
    return e;
}

enum err resolve_op(struct resolve *r, struct batch_op *op, struct why *why)
{
    struct resolve_doc made = {0}, *doc = &made;
    enum err e = op->key.len ? find(r, &op->key, &doc, why) : ERR_OK;
    if (e)
        return e;
    switch (op->kind) {
    case BULK_INDEX:
        write_doc(doc, op);
        break;
    case BULK_CREATE:
        if (doc->exists)
            fail(op, 409, "version_conflict_engine_exception",
                 "version conflict, document already exists");
        else
            write_doc(doc, op);
        break;
    case BULK_UPDATE:
        return update(r, doc, op, why);
    case BULK_DELETE:
        delete_doc(doc, op);
        break;
    }
    return ERR_OK;
}
