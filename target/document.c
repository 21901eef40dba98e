#include "target/document.h"

#include <stdlib.h>
#include <string.h>

#include "target/bulk_json.h"
#include "target/commit.h"
#include "target/flatten.h"
#include "target/out.h"
#include "target/route.h"
#include "target/shard_read.h"

#define ID_BYTES (6 * BULK_ID_MAX) /* escaped */

/* {"_index":"i","_type":"_doc","_id":"1" */
static void write_names(const char *index, const char *id, size_t id_len,
                        FILE *out)
{
    char text[ID_BYTES];
    struct out o = out_to(text, sizeof text);
    out_escaped(&o, id, id_len);
    (void)fprintf(out, "{\"_index\":\"%s\",\"_type\":\"_doc\",\"_id\":\"%.*s\"",
                  index, (int)o.len, text);
}

enum err document_read(const struct document *d, FILE *out, unsigned *status,
                       struct why *why)
{
    struct shard_doc doc;
    struct index *x = indices_get(d->indices, d->index);
    size_t len = strlen(d->id);
    uint32_t shard;
    uint64_t n = 0;
    if (!x)
        return err_set(why, ERR_NOTFOUND, "no such index");
    if (!docid_read(x->seed, d->id, len, &shard, &n) || shard >= x->n_shards)
        shard = docid_shard(x->seed, d->id, len, x->n_shards);
    (void)pthread_mutex_lock(&x->write);
    enum err e = x->dropped ? err_set(why, ERR_NOTFOUND, "no such index")
                            : shard_newest(x->shards[shard], d->id, (int64_t)n,
                                           &doc, why);
    bool found = !e;
    if (e == ERR_NOTFOUND && !x->dropped)
        e = ERR_OK;
    *status = found ? 200 : 404;
    if (!e)
        write_names(x->name, d->id, len, out);
    if (found) {
        (void)fprintf(out, ",\"_version\":%llu,\"found\":true,\"_source\":",
                      (unsigned long long)doc.version);
        (void)fwrite(doc.source.p, 1, doc.source.len, out);
        (void)fputc('}', out);
    } else if (!e) {
        (void)fputs(",\"found\":false}", out);
    }
    if (!x->dropped)
        shard_newest_done(x->shards[shard]);
    (void)pthread_mutex_unlock(&x->write);
    indices_put(x);
    return e;
}

/* The document on one line, as in a bulk, and the text that is indexed. */
static enum err take_body(const struct document *d, struct batch *b,
                          struct batch_op *op, struct why *why)
{
    struct batch_text source = batch_copy(b, d->body, d->body_len);
    const uint8_t *begin = (const uint8_t *)source.p;
    struct bulk_cursor c = {begin, begin + source.len, begin + source.len};
    enum bulk_json fault = source.p ? bulk_json_document(&c) : BULK_JSON_OK;
    size_t room = FLATTEN_ROOM(source.len), n;
    if (fault)
        return err_set(why, ERR_INVALID, "failed to parse: %s at byte %td",
                       bulk_json_text(fault), c.p - begin);
    char *to = source.p ? batch_room(b, room) : NULL;
    if (!to)
        return err_set(why, ERR_NOMEM, "the native limit is reached");
    enum err e = flatten(op->index->fields, source.p, source.len, to, &n, why);
    if (e)
        return e;
    batch_take(b, n);
    op->source = source;
    op->text = (struct batch_text){to, n};
    return ERR_OK;
}

static enum err make_op(const struct document *d, enum bulk_op kind,
                        struct batch *b, struct why *why)
{
    bool new = false;
    const char *fault;
    struct index *x = NULL;
    if (!route_index_name_good(d->index, &fault))
        return err_set(why, ERR_INVALID, "Invalid index name [%s], %s",
                       d->index, fault);
    struct batch_op *op = batch_add(b);
    enum err e = indices_need(d->indices, d->index, &x, why);
    if (!e && !(op && batch_hold(b, x, &new)))
        e = err_set(why, ERR_NOMEM, "the native limit is reached");
    if (x && !new)
        indices_put(x);
    if (e)
        return e;
    *op = (struct batch_op){.kind = kind, .index = x};
    op->key = batch_copy(b, d->id, strlen(d->id));
    op->id = op->key.p;
    op->id_len = op->key.len;
    if (!op->key.p)
        return err_set(why, ERR_NOMEM, "the native limit is reached");
    return kind == BULK_DELETE ? ERR_OK : take_body(d, b, op, why);
}

static void write_end(const struct document *d, const struct batch_op *op,
                      FILE *out)
{
    bool made = !op->id_len;
    write_names(d->index, made ? op->made_id : d->id,
                made ? DOCID_MADE : strlen(d->id), out);
    (void)fprintf(out,
                  ",\"_version\":%llu,\"result\":\"%s\",\"_shards\":{\"total\":"
                  "1,\"successful\":1,\"failed\":0}}",
                  (unsigned long long)op->version, op->result);
}

enum err document_write(const struct document *d, enum bulk_op kind, FILE *out,
                        unsigned *status, struct why *why)
{
    struct batch b = {0};
    enum err e = make_op(d, kind, &b, why);
    if (!e)
        e = commit_batch(d->indices, &b, why);
    if (!e) {
        const struct batch_op *op = b.ops;
        *status = op->error.type ? op->error.status : op->status;
        if (op->error.type)
            (void)err_set(why, ERR_EXISTS, "%s", op->error.reason);
        else
            write_end(d, op, out);
    }
    for (size_t i = 0; i < b.n_indices; i++)
        indices_put(b.indices[i]);
    batch_clear(&b);
    return e;
}
