/* Requests ready to be sent: every one of a task is there before the clock
 * starts, so that sending is nothing but sending.
 *
 * A bulk task's documents are sliced per client as Rally slices a file, and a
 * slice is cut into bulks, each one body: a piece of the mapped corpus, which
 * is sent as it lies there, without a copy. Only its head is in our memory.
 * Where documents need ids (conflicts), bulks are rendered into our memory; so
 * are the few bodies of `few`, which are sent again and again. When the memory
 * limit does not hold all of it, each client keeps the first of its slice.
 *
 * A slice shorter than one bulk would make every bulk smaller than was asked
 * for: then all clients share the bodies of the whole corpus, each beginning at
 * another one. */
#ifndef PITWALL_LOAD_BODY_H
#define PITWALL_LOAD_BODY_H

#include <stdbool.h>

#include "load/corpora.h"
#include "load/engine.h"

/* 512 MiB: beyond the caches of any machine, within the memory of most. */
#define BODY_MEMORY_BYTES ((size_t)512 << 20)

#define BODY_FEW 8u /* how many bodies few means, at most */

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
    uint32_t n_clients;  /* of all load agents together */
    const bool *ours;    /* [n_clients]: bulks are made for; NULL: all */
    size_t memory_bytes; /* for the bulks of body_make */
    uint32_t docs;       /* of body_make_one's request */
    const struct corpora *corpora; /* of bulks; must outlive the pool */
    bool few; /* BODY_FEW bulks for all clients, copied to memory */
};

/* Make a task's bulks from the plan's corpora, or its requests.
 * Errors  ERR_RANGE: not one bulk of each client fits into the memory.
 *         ERR_INVALID: ids for documents that have action lines of their own.
 *         Owns: *out, for body_free. */
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

/* The list of one of our clients; valid as long as the pool. */
struct body_list body_of(const struct body_pool *pool, uint32_t client);

/* Whether the memory held all of the documents. */
bool body_is_complete(const struct body_pool *pool);

/* Documents of a bulk, on average over all of them. */
double body_mean_docs(const struct body_pool *pool);

/* Bytes of all bodies, mapped or not. */
size_t body_bytes(const struct body_pool *pool);

#endif
