/* The server of a replay: the target's heap and settings as a reference run
 * had them, with four event loops and two parse threads as mutators that one
 * thread drives, and what else a JVM allocates beside them.
 *
 * All mutators are native but for the one that has its turn. */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_SERVER_H
#define PITWALL_TESTS_BENCH_FIDELITY_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "target/heap/heap.h"
#include "target/predictor.h"
#include "tests/bench/fidelity/row.h"

#define SERVER_WORKERS 4u
#define SERVER_PARSERS 2u

struct server {
    const struct row *row;
    struct predictor_spec predictor;
    struct heap *heap;
    struct mutator *workers[SERVER_WORKERS];
    struct mutator *parsers[SERVER_PARSERS]; /* NULL without parse work */
    struct mutator *main, *boss, *service, *recorder;
    heap_ref *live; /* what the JVM itself keeps */
    uint64_t young_seen;
    bool oom;
};

/* Start the server: heap, threads, and what a JVM allocates until it serves.
 * ERR_UNSUPPORTED: a row that the replay does not know how to set up.
 * Owns: server_close. */
CHECKED enum err server_open(struct server *server, const struct row *row,
                             struct why *why);
void server_close(struct server *server);

/* The measured window begins: statistics from zero, and the JVM's flight
 * recording is started, which allocates. */
void server_measure(struct server *server);

/* Threads of the JVM that allocate a little now and then: once in each young
 * collection's cycle. */
void server_idle(struct server *server);

/* m has its turn; it is over. */
void server_enter(struct mutator *m);
void server_leave(struct mutator *m);

#endif
