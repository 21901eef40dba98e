#include "load/body.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "load/body_bulk.h"
#include "load/body_pool.h"
#include "tracks/corpus.h"

#define JSON_TYPE "application/json"

static struct http_head head_of(const struct plan_request *request, size_t len,
                                const struct body_config *config)
{
    return (struct http_head){.method = request->method,
                              .path = request->path,
                              .host = config->host,
                              .headers = config->headers,
                              .content_type = JSON_TYPE,
                              .has_body = request->body,
                              .body_bytes = len};
}

/* Copy one request into the pool. */
static enum err add_request(struct body_pool *p,
                            const struct plan_request *request, size_t len,
                            const struct body_config *config, struct why *why)
{
    struct http_head head = head_of(request, len, config);
    size_t max = http_head_max(&head);
    assert(p->size - p->at >= max + len);
    char *body = p->memory + p->at + max;
    if (len)
        memcpy(body, request->body, len);
    return body_pool_add(p, &head, body, config->docs, why);
}

static size_t request_bytes(const struct plan_request *request, size_t len,
                            const struct body_config *config)
{
    struct http_head head = head_of(request, len, config);
    return http_head_max(&head) + len;
}

static size_t body_len(const struct plan_request *request)
{
    return request->body ? strlen(request->body) : 0;
}

static enum err make(struct body_pool **out, const struct plan *plan,
                     const struct plan_task *task,
                     const struct body_config *config, struct why *why)
{
    struct body_pool *p = NULL;
    size_t size = 0;
    for (size_t i = 0; i < task->n_requests; i++)
        size += request_bytes(&task->requests[i], body_len(&task->requests[i]),
                              config);
    bool bulk = task->kind == PLAN_BULK;
    enum err e = body_pool_new(&p, config->n_clients,
                               bulk ? config->memory_bytes : size, why);
    if (!e && bulk)
        e = body_bulk_make(p, plan, task, config, why);
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

enum err body_make(struct body_pool **out, const struct plan *plan,
                   const struct plan_task *task,
                   const struct body_config *config, struct why *why)
{
    struct body_config whole = *config;
    size_t size = strlen(config->headers) + 1;
    *out = NULL;
    for (size_t i = 0; i < task->n_headers; i++)
        size += strlen(task->headers[i]) + strlen("\r\n");
    char *headers = malloc(size), *at = headers;
    if (!headers)
        return err_set(why, ERR_NOMEM, "headers: out of memory");
    at = stpcpy(at, config->headers);
    for (size_t i = 0; i < task->n_headers; i++)
        at = stpcpy(stpcpy(at, task->headers[i]), "\r\n");
    whole.headers = headers;
    enum err e = make(out, plan, task, &whole, why);
    free(headers);
    return e;
}

enum err body_make_one(struct body_pool **out,
                       const struct plan_request *request, size_t len,
                       const struct body_config *config, struct why *why)
{
    struct body_pool *p = NULL;
    *out = NULL;
    enum err e = body_pool_new(&p, config->n_clients,
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
    assert(client < p->n_clients);
    if (p->from && p->from[client] == p->from[client + 1]) /* has none */
        return (struct body_list){.items = p->items, .n = p->n > 0};
    if (p->from)
        return (struct body_list){
            .items = p->items + p->from[client],
            .n = (uint32_t)(p->from[client + 1] - p->from[client]),
            .own = (uint32_t)(p->from[client + 1] - p->from[client])};
    uint64_t first = 0, own = p->n;
    if (p->shared)
        corpus_slice(p->shared, p->n_clients, client, &first, &own);
    return (struct body_list){.items = p->items,
                              .n = (uint32_t)p->n,
                              .first = (uint32_t)(first % p->n),
                              .own = (uint32_t)own};
}

bool body_is_complete(const struct body_pool *p)
{
    return !p->incomplete;
}

double body_mean_docs(const struct body_pool *p)
{
    uint64_t docs = 0;
    for (size_t i = 0; i < p->n; i++)
        docs += p->items[i].docs;
    return (double)docs / (double)p->n;
}

size_t body_bytes(const struct body_pool *p)
{
    return p->bytes;
}
