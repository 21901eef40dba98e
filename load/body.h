/* Requests ready to be sent: every one of a task rendered to memory before the
 * clock starts, so that sending is nothing but sending.
 *
 * A bulk task's documents are sliced per client as Rally slices a file, and a
 * slice is cut into bulks, each one body; when they are all sent, the client
 * begins again with its first. A slice shorter than one bulk would make every
 * bulk smaller than was asked for: then all clients share the bodies of the
 * whole corpus, each beginning at another one. When the memory limit does not
 * hold all bodies, each client keeps the first ones of its slice. */
#ifndef PITWALL_LOAD_BODY_H
#define PITWALL_LOAD_BODY_H

#include <stdbool.h>

#include "load/engine.h"
#include "tracks/plan.h"

/* 512 MiB: beyond the caches of any machine, within the memory of most. */
#define BODY_MEMORY_BYTES ((size_t)512 << 20)

struct body {
    struct engine_request request;
    uint32_t docs;
};

/* One client's bodies; items [n] belong to the pool. */
struct body_list {
    const struct body *items;
    uint32_t n;
    uint32_t first; /* where this client begins */
    uint32_t own;   /* of the n, how many it sends when each goes out once */
};

struct body_pool;

struct body_config {
    const char *host;    /* of the Host header */
    const char *headers; /* more of them, "Name: value\r\n" each, or "" */
    uint32_t n_clients;
    size_t memory_bytes; /* for the bulks of body_make */
    uint32_t docs;       /* of body_make_one's request */
};

/* Render a task's bulks from the plan's corpora, or its requests.
 * Errors  those of corpus_open; ERR_RANGE: not one bulk of each client fits
 *         into the memory. Owns: *out, for body_free. */
CHECKED enum err body_make(struct body_pool **out, const struct plan *plan,
                           const struct plan_task *task,
                           const struct body_config *config, struct why *why);

/* One request with any body (may be NULL) for all clients. */
CHECKED enum err body_make_one(struct body_pool **out,
                               const struct plan_request *request,
                               size_t body_bytes,
                               const struct body_config *config,
                               struct why *why);
void body_free(struct body_pool *pool);

/* The list of one client; valid as long as the pool. */
struct body_list body_of(const struct body_pool *pool, uint32_t client);

/* Whether the memory held all of the documents. */
bool body_is_complete(const struct body_pool *pool);

/* Bytes of all bodies. */
size_t body_bytes(const struct body_pool *pool);

#endif
