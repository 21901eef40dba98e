/* A world whose clock moves only when its engine waits, and whose requests take
 * as long as the test says. */
#ifndef PITWALL_TESTS_UNIT_LOAD_WORLD_H
#define PITWALL_TESTS_UNIT_LOAD_WORLD_H

#include "load/engine.h"
#include "load/work.h"

#define WORLD_WORKS_MAX 4

struct world {
    uint64_t now_ns;
    uint64_t service_ns[WORLD_WORKS_MAX]; /* of each work's requests */
    uint32_t slow_client;   /* number of the connection, from 1, that takes
                               three times as long; 0: none */
    uint32_t fail_request;  /* number, from 1, that is answered 503 */
    uint64_t sleep_over_ns; /* waits end so much too late */
    const struct step *step;
    struct engine *engine;
};

/* The engine; made for the world that began last. */
extern const struct engine_ops world_engine;
void world_begin(struct world *world);

/* The world's clock, for worker_config; ctx is the world. */
uint64_t world_now(void *ctx);

/* Connections that the engine was asked for. */
uint32_t world_conns(const struct world *world);

/* A closed-loop work of n_bodies requests, the same for all clients. */
struct work world_work(uint32_t clients, uint32_t n_bodies);

#endif
