/* Bulk requests with an index: operations are copied to native memory while
 * they are parsed, and committed as a whole before any is answered. */
#include <stdio.h>
#include <string.h>

#include "common/log.h"
#include "target/commit.h"
#include "target/flatten.h"
#include "target/ingest_job.h"
#include "target/merge.h"

static const struct item_error limited = {
    "circuit_breaking_exception",
    "the bulk would exceed the limit of native memory (--native-limit)", NULL,
    NULL, 429};

/* The document of the action at hand, copied; p NULL: there is none. */
static enum step copy_document(struct job *j, struct batch_text *source,
                               enum bulk_json *fault, size_t *at)
{
    struct bulk_cursor line;
    enum bulk_line l = bulk_next(&j->lines, &line);
    if (l == BULK_LINE_OOM)
        return STEP_OOM;
    if (l == BULK_LINE_NONE)
        return job_refuse(j, "source is missing");
    const uint8_t *begin = line.p;
    *source =
        batch_copy(&j->batch, (const char *)begin, (size_t)(line.end - begin));
    *fault = bulk_json_document(&line);
    *at = (size_t)(line.p - begin);
    if (!job_garbage(j, source->len))
        return STEP_OOM;
    return source->p ? STEP_NEXT : STEP_LIMIT;
}

/* A name that may be the same as the item's before. */
static bool keep_name(struct job *j, struct batch_text *last, const char *name,
                      size_t len)
{
    if (!last->p || last->len != len || memcmp(last->p, name, len) != 0)
        *last = batch_copy(&j->batch, name, len);
    return last->p != NULL;
}

static void fail(struct batch_op *op, unsigned status, const char *type,
                 const char *reason)
{
    op->status = status;
    op->error = (struct item_error){type, reason, NULL, NULL, status};
}

/* fail with a text that has to be kept; false: the native limit. */
static bool fail_why(struct job *j, struct batch_op *op, const char *type)
{
    struct batch_text text =
        batch_copy(&j->batch, j->why.text, strlen(j->why.text) + 1);
    fail(op, 400, type, text.p);
    return text.p != NULL;
}

/* Hold the index of that name; *out NULL: it cannot be had. Its files may be
 * made, which is native work: every pointer into the heap dies. */
static enum err hold_index(struct job *j, const char *name, struct index **out)
{
    bool new = false;
    heap_native_enter(j->in->mutator);
    enum err e = indices_need(j->in->indices, name, out, &j->why);
    if (!e && !batch_hold(&j->batch, *out, &new))
        e = err_set(&j->why, ERR_NOMEM, "the native limit is reached");
    if (*out && !new)
        indices_put(*out); /* the batch holds it already, or not at all */
    heap_native_leave(j->in->mutator);
    return e;
}

/* The item's index, which is mostly that of the item before. */
static enum step find_index(struct job *j, const struct item *i,
                            struct batch_op *op)
{
    if (!j->last_known || i->index_len != j->last_len ||
        memcmp(i->index, j->last, i->index_len) != 0) {
        size_t len = i->index_len;
        j->last_len = len < ROUTE_NAME_MAX ? len : ROUTE_NAME_MAX;
        memcpy(j->last, i->index, j->last_len);
        j->last[j->last_len] = '\0';
        j->index = NULL;
        bool good = route_index_name_good(j->last, &j->last_fault);
        enum err e = good ? hold_index(j, j->last, &j->index) : ERR_OK;
        j->last_known = !e;
        if (e == ERR_NOMEM)
            return STEP_LIMIT;
        if (e)
            return fail_why(j, op, "illegal_state_exception") ? STEP_NEXT
                                                              : STEP_LIMIT;
    }
    op->index = j->index;
    if (j->last_fault)
        op->error = (struct item_error){
            "invalid_index_name_exception", "Invalid index name",
            "illegal_argument_exception", j->last_fault, 400};
    return STEP_NEXT;
}

/* An operation with the names of the action at hand. */
static enum step add_op(struct job *j, struct batch_op **out)
{
    struct item i = job_names(j);
    struct batch_op *op = batch_add(&j->batch);
    if (!op)
        return STEP_LIMIT;
    *out = op;
    op->kind = i.op;
    if (!i.index_len)
        return job_refuse(j, "index is missing");
    if (!i.id_len && i.op != BULK_INDEX && i.op != BULK_CREATE)
        return job_refuse(j, "id is missing");
    struct batch_text id = batch_copy(&j->batch, i.id, i.id_len);
    op->key = id;
    if (id.p && memchr(i.id, '\\', i.id_len)) {
        op->key = batch_copy(&j->batch, i.id, i.id_len);
        if (op->key.p)
            op->key.len =
                flatten_unescape(id.p, id.len, (char *)(uintptr_t)op->key.p);
    }
    if (!id.p || !op->key.p ||
        !keep_name(j, &j->names[0], i.index, i.index_len) ||
        !keep_name(j, &j->names[1], i.type, i.type_len))
        return STEP_LIMIT;
    op->id = id.p;
    op->id_len = i.id_len;
    op->index_name = j->names[0].p;
    op->index_len = i.index_len;
    op->type = j->names[1].p;
    op->type_len = i.type_len;
    return find_index(j, &i, op);
}

/* A document's text for the index. */
static enum step flatten_op(struct job *j, struct batch_op *op)
{
    size_t room = FLATTEN_ROOM(op->source.len), n;
    char *to = batch_room(&j->batch, room);
    if (!to)
        return STEP_LIMIT;
    enum err e = flatten(op->index->fields, op->source.p, op->source.len, to,
                         &n, &j->why);
    if (!e) {
        batch_take(&j->batch, n);
        op->text = (struct batch_text){to, n};
        return STEP_NEXT;
    }
    return fail_why(j, op,
                    e == ERR_INVALID ? "strict_dynamic_mapping_exception"
                                     : "illegal_argument_exception")
               ? STEP_NEXT
               : STEP_LIMIT;
}

/* {"doc": {...}, "doc_as_upsert": true} or {"doc": ..., "upsert": {...}}. */
static void read_update(struct batch_op *op)
{
    struct batch_text all = op->source, doc, upsert, flag;
    if (merge_member(all.p, all.len, "script", &doc.len)) {
        fail(op, 400, "illegal_argument_exception",
             "updates by script are not supported here");
        return;
    }
    doc.p = merge_member(all.p, all.len, "doc", &doc.len);
    upsert.p = merge_member(all.p, all.len, "upsert", &upsert.len);
    flag.p = merge_member(all.p, all.len, "doc_as_upsert", &flag.len);
    if (!doc.p || doc.p[0] != '{') {
        fail(op, 400, "action_request_validation_exception",
             "Validation Failed: 1: script or doc is missing;");
        return;
    }
    op->source = doc;
    if (flag.p && flag.p[0] == 't')
        op->upsert = doc;
    else if (upsert.p && upsert.p[0] == '{')
        op->upsert = upsert;
}

enum step job_keep(struct job *j)
{
    struct batch_op *op = NULL;
    struct batch_text source = {NULL, 0};
    enum bulk_json fault = BULK_JSON_OK;
    char cause[96];
    size_t at = 0;
    enum step s = add_op(j, &op);
    if (s == STEP_NEXT && op->kind != BULK_DELETE)
        s = copy_document(j, &source, &fault, &at);
    if (s != STEP_NEXT || op->error.type || op->kind == BULK_DELETE)
        return s;
    op->source = source;
    if (fault) {
        struct item_error e = job_fault(fault, at, cause, sizeof cause);
        struct batch_text kept = batch_copy(&j->batch, cause, sizeof cause);
        if (e.cause)
            e.cause = kept.p;
        op->error = e;
        return kept.p ? STEP_NEXT : STEP_LIMIT;
    }
    if (op->kind == BULK_UPDATE) {
        read_update(op);
        return STEP_NEXT;
    }
    return flatten_op(j, op);
}

static enum step put_op(struct job *j, const struct batch_op *op)
{
    char text[ITEM_MAX + 1];
    struct item i = {.op = op->kind,
                     .index = op->index_name,
                     .type = op->type,
                     .id = op->id_len ? op->id : op->made_id,
                     .index_len = op->index_len,
                     .type_len = op->type_len,
                     .id_len = op->id_len};
    if (!op->id_len && op->made_id[0] && !op->error.type)
        i.id_len = DOCID_MADE;
    struct item_end end = {op->status, op->result, op->version};
    bool good = !op->error.type && op->status < 300;
    size_t n = op->error.type ? item_refused(&i, &op->error, text + 1)
                              : item_ended(&i, &end, text + 1);
    j->reply->docs += good;
    j->reply->docs_failed += !good;
    j->errors |= op->error.type != NULL;
    return job_put(j, text, n);
}

/* Nothing of the bulk was done: why, for each operation. */
static struct item_error not_done(struct job *j, enum err e)
{
    switch ((int)e) {
    case ERR_NOMEM:
        j->status = 429;
        return limited;
    case ERR_NOSPACE:
        j->status = 507;
        return (struct item_error){"io_exception", "No space left on device",
                                   NULL, NULL, 507};
    default:
        log_warn("target bulk refused: %s", j->why.text);
        j->status = 503;
        return (struct item_error){"unavailable_shards_exception",
                                   "a shard failed, see the target's log", NULL,
                                   NULL, 503};
    }
}

enum step job_commit(struct job *j)
{
    struct batch *b = &j->batch;
    enum step s = STEP_NEXT;
    heap_native_enter(j->in->mutator);
    enum err e = commit_batch(j->in->indices, b, &j->why);
    heap_native_leave(j->in->mutator);
    struct item_error error = e ? not_done(j, e) : (struct item_error){0};
    for (size_t i = 0; i < b->n && s == STEP_NEXT; i++) {
        if (e && !b->ops[i].error.type)
            b->ops[i].error = error;
        s = put_op(j, &b->ops[i]);
        heap_poll(j->in->mutator);
    }
    return s == STEP_NEXT ? STEP_END : s;
}

void job_drop(struct job *j)
{
    struct batch *b = &j->batch;
    heap_native_enter(j->in->mutator);
    for (size_t i = 0; i < b->n_indices; i++)
        indices_put(b->indices[i]);
    batch_clear(b);
    heap_native_leave(j->in->mutator);
}
