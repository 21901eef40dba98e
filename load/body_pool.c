#include "load/body_pool.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static enum err no_memory(struct why *why)
{
    return err_set(why, ERR_NOMEM, "bodies: out of memory");
}

enum err body_pool_new(struct body_pool **out, uint32_t n_clients, size_t size,
                       struct why *why)
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

enum err body_pool_add(struct body_pool *p, const struct http_head *head,
                       char *body, uint32_t docs, struct why *why)
{
    char *at = p->memory + p->at;
    size_t len = http_head_write(head, at, (size_t)(body - at));
    assert(len); /* http_head_max made room */
    memmove(body - len, at, len);
    p->at = (size_t)(body + head->body_bytes - p->memory);
    return add_item(p,
                    &(struct body){.request = {.head = body - len,
                                               .body = body,
                                               .head_bytes = len,
                                               .body_bytes = head->body_bytes,
                                               .expects_no_body = !strcmp(
                                                   head->method, "HEAD")},
                                   .docs = docs},
                    why);
}

enum err body_pool_add_mapped(struct body_pool *p, const struct http_head *head,
                              const char *body, uint32_t docs, struct why *why)
{
    char *at = p->memory + p->at;
    size_t len = http_head_write(head, at, p->size - p->at);
    assert(len);
    p->at += len;
    return add_item(p,
                    &(struct body){.request = {.head = at,
                                               .body = body,
                                               .head_bytes = len,
                                               .body_bytes = head->body_bytes},
                                   .docs = docs},
                    why);
}
