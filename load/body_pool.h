/* Where a task's bodies are kept: their list, and one piece of memory for heads
 * and for what is rendered. What load/body.h hides. */
#ifndef PITWALL_LOAD_BODY_POOL_H
#define PITWALL_LOAD_BODY_POOL_H

#include "load/body.h"
#include "load/http_head.h"

struct body_pool {
    char *memory; /* one mapping; [0, at) is in use */
    size_t size, at;
    struct body *items; /* [n] */
    size_t n, cap;
    size_t *from; /* [n_clients + 1], or NULL: all share all */
    uint32_t n_clients;
    uint64_t shared; /* bulks that all clients share; 0: each sends all */
    bool incomplete;
    size_t bytes;
};

/* A pool with so much memory, of which pages are taken as they are used.
 * Errors  ERR_NOMEM and others of mmap. Owns: *out, for body_free. */
CHECKED enum err body_pool_new(struct body_pool **out, uint32_t n_clients,
                               size_t size, struct why *why);

/* Add a request whose body (head->body_bytes) lies in the pool's memory, with
 * http_head_max bytes before it from p->at on: its head is put right before it,
 * so that both go out as one. ERR_NOMEM. */
CHECKED enum err body_pool_add(struct body_pool *p,
                               const struct http_head *head, char *body,
                               uint32_t docs, struct why *why);

/* Add a request whose body lies elsewhere; only its head takes memory, up to
 * http_head_max bytes from p->at on. ERR_NOMEM. */
CHECKED enum err body_pool_add_mapped(struct body_pool *p,
                                      const struct http_head *head,
                                      const char *body, uint32_t docs,
                                      struct why *why);

#endif
