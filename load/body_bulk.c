/* Each document set is sliced by client; a client's bulks take turns among its
 * slices. A bulk is a piece of one set: mapped as it is, or, where it needs ids
 * or is one of the few, rendered to the pool's memory. */
#include "load/body_bulk.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/body_pool.h"
#include "load/ids.h"
#include "tracks/corpus.h"

#define BULK_PATH  "/_bulk"
#define BULK_TYPE  "application/x-ndjson"
#define DOC_BEFORE "{\"doc\":" /* an update's source is wrapped */
#define DOC_AFTER  "}"

struct set {
    const struct plan_documents *documents;
    const struct bulk_file *file;
    /* What the client has left of it. */
    uint64_t next, left;
    struct ids ids;
};

struct cut {
    struct body_pool *pool;
    const struct plan_task *task;
    const struct body_config *config;
    struct set *sets; /* [n_sets] */
    size_t n_sets;
    char path[sizeof BULK_PATH + PLAN_PATH_MAX];
    struct http_head head;
    bool renders; /* bodies go to the pool's memory */
    /* What one client may still take. */
    uint64_t bulks_left, docs_left;
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* A document's lines, without their newlines. */
static void lines_of(const struct bulk_file *f, uint64_t at,
                     const char **source, size_t *source_len, uint64_t *end)
{
    const char *begin = f->data + at, *last = f->data + f->bytes;
    const char *newline = memchr(begin, '\n', (size_t)(last - begin));
    *source = newline + 1;
    newline = memchr(*source, '\n', (size_t)(last - *source));
    *source_len = (size_t)(newline - *source);
    *end = (uint64_t)(newline + 1 - f->data);
}

/* A document with an id; 0: it takes more than room. */
static size_t render_doc(const struct cut *c, struct set *s, const char *source,
                         size_t len, char *buf, size_t room)
{
    bool again;
    uint64_t id = ids_next(&s->ids, &again);
    bool update = again && c->task->on_conflict_update;
    int n = snprintf(
        buf, room, "{\"%s\":{\"_index\":\"%s\",\"_id\":\"%0*llu\"}}\n%s",
        update ? "update" : "index", s->documents->index, IDS_DIGITS,
        (unsigned long long)id, update ? DOC_BEFORE : "");
    size_t at = (size_t)n;
    if (n < 0 || at + len + sizeof DOC_AFTER > room)
        return 0;
    memcpy(buf + at, source, len);
    at += len;
    if (update)
        at += (size_t)sprintf(buf + at, DOC_AFTER);
    buf[at++] = '\n';
    return at;
}

/* Render n documents from offset at on below end of the pool's memory; *len 0:
 * they do not fit. */
static void render(struct cut *c, struct set *s, uint64_t n, size_t end,
                   size_t *len)
{
    struct body_pool *p = c->pool;
    size_t from = p->at + http_head_max(&c->head), at = from;
    uint64_t offset = bulk_file_at(s->file, s->next);
    *len = 0;
    for (uint64_t i = 0; i < n; i++) {
        const char *source;
        size_t source_len, took;
        lines_of(s->file, offset, &source, &source_len, &offset);
        took = at < end ? render_doc(c, s, source, source_len, p->memory + at,
                                     end - at)
                        : 0;
        if (!took)
            return;
        at += took;
    }
    *len = at - from;
}

/* Copy a piece of the mapping to the pool's memory, below end. */
static void copy(struct cut *c, uint64_t from, uint64_t to, size_t end,
                 const struct bulk_file *file, size_t *len)
{
    size_t at = c->pool->at + http_head_max(&c->head);
    *len = at < end && to - from <= end - at ? (size_t)(to - from) : 0;
    if (*len)
        memcpy(c->pool->memory + at, file->data + from, *len);
}

/* How many documents bulk number i of a client's has. */
static uint32_t size_of(const struct plan_task *t, uint64_t i)
{
    return t->n_bulk_sizes ? t->bulk_sizes[i % t->n_bulk_sizes] : t->bulk_docs;
}

/* How many bulks so many documents are. */
static uint64_t bulks_of(const struct plan_task *t, uint64_t docs)
{
    uint64_t round = 0, bulks;
    for (size_t i = 0; i < t->n_bulk_sizes; i++)
        round += t->bulk_sizes[i];
    if (!round)
        return divide_up(docs, t->bulk_docs);
    bulks = docs / round * t->n_bulk_sizes;
    for (docs %= round; docs; bulks++)
        docs -= least(docs, size_of(t, bulks));
    return bulks;
}

/* The next bulk of n documents of one set, its memory below end. */
static enum err add_bulk(struct cut *c, struct set *s, uint64_t n, size_t end,
                         bool *fits, struct why *why)
{
    struct body_pool *p = c->pool;
    size_t max = http_head_max(&c->head), len = 0;
    bool ids = c->task->conflicts != PLAN_CONFLICTS_NONE;
    uint64_t from = bulk_file_at(s->file, s->next);
    uint64_t to = ids ? from : bulk_file_at(s->file, s->next + n);
    if (ids)
        render(c, s, n, end, &len);
    else if (c->renders)
        copy(c, from, to, end, s->file, &len);
    else if (p->at + max <= end)
        len = (size_t)(to - from);
    *fits = len;
    if (!len)
        return ERR_OK;
    c->head.body_bytes = len;
    s->next += n;
    s->left -= n;
    return c->renders ? body_pool_add(p, &c->head, p->memory + p->at + max,
                                      (uint32_t)n, why)
                      : body_pool_add_mapped(p, &c->head, s->file->data + from,
                                             (uint32_t)n, why);
}

/* Give client of n its slices. */
static enum err slice(struct cut *c, uint32_t n, uint32_t client,
                      struct why *why)
{
    const struct plan_task *t = c->task;
    uint64_t bulks = 0, from, docs;
    enum err e = ERR_OK;
    for (size_t i = 0; i < c->n_sets && !e; i++) {
        struct set *s = &c->sets[i];
        corpus_slice(s->documents->docs, n, client, &s->next, &s->left);
        bulks += bulks_of(t, s->left);
        ids_fini(&s->ids);
        if (t->conflicts != PLAN_CONFLICTS_NONE)
            e = ids_init(&s->ids, t, s->next, s->left, why);
    }
    c->bulks_left = c->docs_left = UINT64_MAX;
    if (t->ingest_docs) {
        corpus_slice(t->ingest_docs, n, client, &from, &docs);
        c->docs_left = docs;
    } else if (t->ingest_ratio < 1) { /* up to a whole bulk, as Rally */
        double part = (double)bulks * t->ingest_ratio;
        c->bulks_left = (uint64_t)part + ((double)(uint64_t)part < part);
    }
    return e;
}

static enum err too_large(const struct cut *c, size_t room, uint32_t n,
                          struct why *why)
{
    return err_set(why, ERR_RANGE,
                   "task %s: a bulk of %u documents takes more than the %zu "
                   "bytes of memory that each of %u clients has",
                   c->task->name, c->task->bulk_docs, room, n);
}

/* All bulks of client of n, its document sets taking turns; its memory ends at
 * end. */
static enum err add_client(struct cut *c, uint32_t n, uint32_t client,
                           size_t end, struct why *why)
{
    struct body_pool *p = c->pool;
    size_t n_left = 0;
    enum err e = slice(c, n, client, why);
    for (size_t i = 0; i < c->n_sets; i++)
        n_left += c->sets[i].left > 0;
    /* Clients begin with other sets and other sizes: not all in step. */
    uint64_t number = client;
    for (size_t i = client; n_left && !e; i++) {
        struct set *s = &c->sets[i % c->n_sets];
        uint64_t docs =
            least(least(size_of(c->task, number), s->left), c->docs_left);
        bool fits = true;
        if (!s->left)
            continue;
        if (!docs || !c->bulks_left || (c->config->few && p->n == BODY_FEW))
            break;
        e = add_bulk(c, s, docs, end, &fits, why);
        if (!fits) {
            p->incomplete = true;
            break;
        }
        n_left -= !s->left;
        c->docs_left -= docs;
        c->bulks_left--;
        number++;
    }
    return e;
}

/* The sets that the task sends. */
static enum err take_sets(struct cut *c, const struct plan *plan,
                          struct why *why)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->n_corpora; i++)
        n += plan->corpora[i].n_documents;
    c->sets = calloc(n + 1, sizeof *c->sets);
    if (!c->sets)
        return err_set(why, ERR_NOMEM, "bodies: out of memory");
    for (size_t i = 0; i < plan->n_corpora; i++)
        for (size_t d = 0; d < plan->corpora[i].n_documents; d++) {
            const struct plan_documents *documents =
                &plan->corpora[i].documents[d];
            if (!(c->task->corpora >> i & 1))
                continue;
            if (c->task->conflicts != PLAN_CONFLICTS_NONE && !documents->index)
                return err_set(why, ERR_INVALID,
                               "task %s: conflicts give ids, and the documents "
                               "of %s have action lines of their own",
                               c->task->name, documents->file);
            c->sets[c->n_sets++] =
                (struct set){.documents = documents,
                             .file = corpora_file(c->config->corpora, i, d)};
        }
    return ERR_OK;
}

static uint64_t largest(const struct cut *c)
{
    uint64_t docs = 0;
    for (size_t i = 0; i < c->n_sets; i++)
        if (c->sets[i].documents->docs > docs)
            docs = c->sets[i].documents->docs;
    return docs;
}

static bool is_ours(const struct body_config *config, uint32_t client)
{
    return !config->ours || config->ours[client];
}

/* Every client its own bulks. */
static enum err part(struct cut *c, struct why *why)
{
    struct body_pool *p = c->pool;
    const struct body_config *config = c->config;
    uint32_t own = 0;
    for (uint32_t i = 0; i < p->n_clients; i++)
        own += is_ours(config, i);
    size_t room = own ? p->size / own : p->size, end = 0;
    enum err e = ERR_OK;
    p->from = calloc((size_t)p->n_clients + 1, sizeof *p->from);
    if (!p->from)
        return err_set(why, ERR_NOMEM, "bodies: out of memory");
    for (uint32_t i = 0; i < p->n_clients && !e; i++) {
        if (is_ours(config, i)) {
            end += room;
            e = add_client(c, p->n_clients, i, end, why);
            if (!e && p->n == p->from[i] && p->incomplete)
                e = too_large(c, room, own, why);
        }
        p->from[i + 1] = p->n;
    }
    return e;
}

/* All clients the same bulks. */
static enum err pool_all(struct cut *c, struct why *why)
{
    struct body_pool *p = c->pool;
    enum err e = add_client(c, 1, 0, p->size, why);
    if (!e && !p->n)
        e = too_large(c, p->size, 1, why);
    p->shared = p->n;
    return e;
}

/* A few bulks, sent as often as all of them would be. */
static enum err pool_few(struct cut *c, struct why *why)
{
    struct body_pool *p = c->pool;
    uint64_t bulks = 0;
    for (size_t i = 0; i < c->n_sets; i++)
        bulks += bulks_of(c->task, c->sets[i].documents->docs);
    enum err e = pool_all(c, why);
    p->shared = bulks;
    p->incomplete = false;
    return e;
}

enum err body_bulk_make(struct body_pool *p, const struct plan *plan,
                        const struct plan_task *task,
                        const struct body_config *config, struct why *why)
{
    struct cut c = {.pool = p, .task = task, .config = config};
    c.renders = config->few || task->conflicts != PLAN_CONFLICTS_NONE;
    (void)snprintf(c.path, sizeof c.path, BULK_PATH "%s",
                   task->query ? task->query : "");
    c.head = (struct http_head){.method = "POST",
                                .path = c.path,
                                .host = config->host,
                                .headers = config->headers,
                                .content_type = BULK_TYPE,
                                .has_body = true};
    enum err e = take_sets(&c, plan, why);
    if (!e && config->few)
        e = pool_few(&c, why);
    else if (!e && largest(&c) / p->n_clients >= task->bulk_docs)
        e = part(&c, why);
    else if (!e)
        e = pool_all(&c, why);
    for (size_t i = 0; c.sets && i < c.n_sets; i++)
        ids_fini(&c.sets[i].ids);
    free(c.sets);
    return e;
}
