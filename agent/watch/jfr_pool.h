/* The pools of a flight recording: what the numbers of threads and collectors
 * in its events stand for. Pure. */
#ifndef PITWALL_AGENT_WATCH_JFR_POOL_H
#define PITWALL_AGENT_WATCH_JFR_POOL_H

#include "agent/watch/jfr_type.h"

#define JFR_POOL_THREADS    (1u << 20) /* numbers; threads beyond are others */
#define JFR_POOL_COLLECTORS 256u

struct jfr_pool {
    uint8_t worker[JFR_POOL_THREADS / 8]; /* bits: an event loop's */
    bool young[JFR_POOL_COLLECTORS];
};

/* Read a checkpoint event, its bytes from after its own size and type, into
 * pool (zeroed at first); *back: how far before it the one before begins, 0:
 * it is the first. What cannot be read ends it. */
void jfr_pool_read(struct jfr_pool *pool, const struct jfr_types *types,
                   const uint8_t *data, size_t len, int64_t *back);

/* Whether the thread of this number belongs to an event loop, by its name; the
 * collector of this number is one of the young generation. */
bool jfr_pool_worker(const struct jfr_pool *pool, uint64_t thread);
bool jfr_pool_young(const struct jfr_pool *pool, uint64_t collector);

/* The same of names. */
bool jfr_pool_worker_name(const char *name, size_t len);
bool jfr_pool_young_name(const char *name, size_t len);

#endif
