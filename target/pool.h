/* The bulk threads and the bounded queue before them, as Elasticsearch's fixed
 * thread pools are: a full queue refuses at once. */
#ifndef PITWALL_TARGET_POOL_H
#define PITWALL_TARGET_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "target/heap/heap.h"

struct pool;

/* Put into what is queued. */
struct pool_work {
    struct pool_work *next;
};

struct pool_config {
    struct heap *heap;
    const char *name; /* of its mutators, a literal */
    uint32_t threads, queue;
    /* Does one piece of work on thread number i, managed by m. */
    void (*run)(void *ctx, uint32_t i, struct mutator *m,
                struct pool_work *work);
    void *ctx;
};

struct pool_levels {
    uint32_t threads, queued, active;
    uint64_t completed, rejected;
};

/* Start the threads. ERR_NOMEM; ERR_AGAIN: no thread to be had. */
CHECKED enum err pool_open(struct pool **out, const struct pool_config *config,
                           struct why *why);

/* Queue work. False: the queue is full (counted), or the pool stops. */
bool pool_offer(struct pool *p, struct pool_work *work);

/* Finish what is being done, drop what is queued, join the threads. */
void pool_stop(struct pool *p);

/* Free a stopped pool; NULL is fine. */
void pool_close(struct pool *p);

/* How it stands. */
void pool_read(struct pool *p, struct pool_levels *out);

#endif
