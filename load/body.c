#include "load/body.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "load/http_head.h"
#include "tracks/corpus.h"

#define BULK_PATH "/_bulk"
#define BULK_TYPE "application/x-ndjson"
#define JSON_TYPE "application/json"

struct body_pool {
    char *memory; /* one mapping; [0, at) is in use */
    size_t size, at;
    struct body *items;
    size_t n, cap;
    size_t *from; /* [n_clients + 1], or NULL: all share all */
    uint32_t n_clients;
    bool bulk, incomplete;
    size_t bytes;
};

/* A document set that a client still has bulks of. */
struct slice {
    struct corpus_reader reader;
    uint64_t left;
};

/* What is being rendered. */
struct render {
    struct body_pool *pool;
    const struct plan_task *task;
    const struct body_config *config;
    struct corpus **corpora; /* [n_sets] */
    const struct plan_documents **sets;
    size_t n_sets;
    struct slice *slices; /* [n_sets] */
};

static enum err no_memory(struct why *why)
{
    return err_set(why, ERR_NOMEM, "bodies: out of memory");
}

static enum err pool_new(struct body_pool **out, uint32_t n_clients,
                         size_t size, struct why *why)
{
    struct body_pool *p = calloc(1, sizeof *p);
    if (!p)
        return no_memory(why);
    p->n_clients = n_clients;
    p->size = size;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        enum err e = err_errno(why, errno, "bodies: map %zu bytes", size);
        free(p);
        return e;
    }
    p->memory = memory;
    *out = p;
    return ERR_OK;
}

void body_free(struct body_pool *p)
{
    if (!p)
        return;
    (void)munmap(p->memory, p->size);
    free(p->items);
    free(p->from);
    free(p);
}

static enum err add_item(struct body_pool *p, const struct body *item,
                         struct why *why)
{
    if (p->n == p->cap) {
        size_t cap = p->cap ? 2 * p->cap : 64;
        struct body *items = realloc(p->items, cap * sizeof *items);
        if (!items)
            return no_memory(why);
        p->items = items;
        p->cap = cap;
    }
    p->items[p->n++] = *item;
    p->bytes += item->request.body_bytes;
    return ERR_OK;
}

/* Put the head before the body that lies at body: the two go out as one. */
static enum err finish(struct body_pool *p, const struct http_head *head,
                       char *body, uint32_t docs, struct why *why)
{
    char *at = p->memory + p->at;
    size_t room = (size_t)(body - at);
    size_t len = http_head_write(head, at, room);
    assert(len); /* http_head_max made room */
    struct body item = {.request = {.body = body,
                                    .head = body - len,
                                    .head_bytes = len,
                                    .body_bytes = head->body_bytes},
                        .docs = docs};
    memmove(body - len, at, len);
    item.request.expects_no_body = !strcmp(head->method, "HEAD");
    p->at = (size_t)(body + head->body_bytes - p->memory);
    return add_item(p, &item, why);
}

/* Render the next bulk of one slice below end; false: it does not fit. */
static enum err add_bulk(struct render *r, struct slice *s, size_t end,
                         bool *fits, struct why *why)
{
    struct body_pool *p = r->pool;
    struct http_head head = {.method = "POST",
                             .path = BULK_PATH,
                             .host = r->config->host,
                             .headers = r->config->headers,
                             .content_type = BULK_TYPE,
                             .has_body = true};
    struct corpus_reader reader = s->reader;
    size_t at = p->at + http_head_max(&head), from = at;
    uint32_t docs = 0;
    *fits = false;
    while (docs < r->task->bulk_docs && docs < s->left) {
        size_t len =
            at < end ? corpus_next(&reader, p->memory + at, end - at) : 0;
        if (!len)
            return ERR_OK;
        at += len;
        docs++;
    }
    *fits = true;
    s->reader = reader;
    s->left -= docs;
    head.body_bytes = at - from;
    return finish(p, &head, p->memory + from, docs, why);
}

/* All bulks of client of n, its document sets taking turns. */
static enum err add_client(struct render *r, uint32_t n, uint32_t client,
                           struct why *why)
{
    struct body_pool *p = r->pool;
    size_t end = p->size / n * (client + 1), from = p->n, n_left = 0;
    for (size_t i = 0; i < r->n_sets; i++) {
        uint64_t at;
        struct slice *s = &r->slices[i];
        corpus_slice(r->sets[i]->docs, n, client, &at, &s->left);
        if (s->left)
            corpus_seek(&s->reader, r->corpora[i], at);
        n_left += s->left > 0;
    }
    for (size_t i = client; n_left; i++) {
        struct slice *s = &r->slices[i % r->n_sets];
        bool fits;
        if (!s->left)
            continue;
        enum err e = add_bulk(r, s, end, &fits, why);
        if (e)
            return e;
        if (!fits) {
            p->incomplete = true;
            break;
        }
        n_left -= !s->left;
    }
    if (p->n == from)
        return err_set(why, ERR_RANGE,
                       "task %s: a bulk of %u documents takes more than the "
                       "%zu bytes of memory that each of %u clients has",
                       r->task->name, r->task->bulk_docs, p->size / n, n);
    return ERR_OK;
}

static enum err open_sets(struct render *r, const struct plan *plan,
                          struct why *why)
{
    size_t n = 0;
    enum err e = ERR_OK;
    for (size_t i = 0; i < plan->n_corpora; i++)
        n += plan->corpora[i].n_documents;
    r->corpora = calloc(n, sizeof(struct corpus *));
    r->sets = calloc(n, sizeof(struct plan_documents *));
    r->slices = calloc(n, sizeof *r->slices);
    if (!r->corpora || !r->sets || !r->slices)
        return no_memory(why);
    for (size_t i = 0; i < plan->n_corpora; i++)
        for (size_t d = 0; d < plan->corpora[i].n_documents && !e; d++) {
            if (!(r->task->corpora >> i & 1))
                continue;
            r->sets[r->n_sets] = &plan->corpora[i].documents[d];
            e = corpus_open(&r->corpora[r->n_sets], r->sets[r->n_sets], why);
            r->n_sets += !e;
        }
    return e;
}

static enum err make_bulks(struct render *r, const struct plan *plan,
                           struct why *why)
{
    struct body_pool *p = r->pool;
    uint64_t largest = 0;
    p->bulk = true;
    enum err e = open_sets(r, plan, why);
    for (size_t i = 0; i < r->n_sets; i++)
        if (r->sets[i]->docs > largest)
            largest = r->sets[i]->docs;
    if (!e && largest / p->n_clients >= r->task->bulk_docs) {
        p->from = calloc((size_t)p->n_clients + 1, sizeof *p->from);
        if (!p->from)
            e = no_memory(why);
    }
    if (!e && !p->from)
        e = add_client(r, 1, 0, why);
    for (uint32_t i = 0; !e && p->from && i < p->n_clients; i++) {
        e = add_client(r, p->n_clients, i, why);
        p->from[i + 1] = p->n;
    }
    for (size_t i = 0; i < r->n_sets; i++)
        corpus_close(r->corpora[i]);
    free(r->corpora);
    free(r->sets);
    free(r->slices);
    return e;
}

/* Copy one request into the pool. */
static enum err add_request(struct body_pool *p,
                            const struct plan_request *request, size_t len,
                            const struct body_config *config, struct why *why)
{
    struct http_head head = {.method = request->method,
                             .path = request->path,
                             .host = config->host,
                             .headers = config->headers,
                             .content_type = JSON_TYPE,
                             .has_body = request->body,
                             .body_bytes = len};
    size_t max = http_head_max(&head);
    assert(p->size - p->at >= max + len);
    char *body = p->memory + p->at + max;
    if (len)
        memcpy(body, request->body, len);
    return finish(p, &head, body, config->docs, why);
}

static size_t request_bytes(const struct plan_request *request, size_t len,
                            const struct body_config *config)
{
    struct http_head head = {.method = request->method,
                             .path = request->path,
                             .host = config->host,
                             .headers = config->headers,
                             .content_type = JSON_TYPE};
    return http_head_max(&head) + len;
}

static size_t body_len(const struct plan_request *request)
{
    return request->body ? strlen(request->body) : 0;
}

enum err body_make(struct body_pool **out, const struct plan *plan,
                   const struct plan_task *task,
                   const struct body_config *config, struct why *why)
{
    struct body_pool *p = NULL;
    size_t size = 0;
    *out = NULL;
    for (size_t i = 0; i < task->n_requests; i++)
        size += request_bytes(&task->requests[i], body_len(&task->requests[i]),
                              config);
    bool bulk = task->kind == PLAN_BULK;
    enum err e = pool_new(&p, config->n_clients,
                          bulk ? config->memory_bytes : size, why);
    struct render r = {.pool = p, .task = task, .config = config};
    if (!e && bulk)
        e = make_bulks(&r, plan, why);
    for (size_t i = 0; !e && i < task->n_requests; i++)
        e = add_request(p, &task->requests[i], body_len(&task->requests[i]),
                        config, why);
    if (e) {
        body_free(p);
        return e;
    }
    *out = p;
    return ERR_OK;
}

enum err body_make_one(struct body_pool **out,
                       const struct plan_request *request, size_t len,
                       const struct body_config *config, struct why *why)
{
    struct body_pool *p = NULL;
    *out = NULL;
    enum err e = pool_new(&p, config->n_clients,
                          request_bytes(request, len, config), why);
    if (!e)
        e = add_request(p, request, len, config, why);
    if (e) {
        body_free(p);
        return e;
    }
    *out = p;
    return ERR_OK;
}

struct body_list body_of(const struct body_pool *p, uint32_t client)
{
    assert(client < p->n_clients && p->n);
    if (p->from)
        return (struct body_list){
            .items = p->items + p->from[client],
            .n = (uint32_t)(p->from[client + 1] - p->from[client]),
            .own = (uint32_t)(p->from[client + 1] - p->from[client])};
    uint64_t first = 0, own = p->n;
    if (p->bulk)
        corpus_slice(p->n, p->n_clients, client, &first, &own);
    return (struct body_list){.items = p->items,
                              .n = (uint32_t)p->n,
                              .first = (uint32_t)(first % p->n),
                              .own = (uint32_t)own};
}

bool body_is_complete(const struct body_pool *p)
{
    return !p->incomplete;
}

size_t body_bytes(const struct body_pool *p)
{
    return p->bytes;
}
