/* One connection of a replay, from both ends: what the driver has still to send
 * and what the target makes of each read, by the target's own receive path,
 * decoder and body. */
#ifndef PITWALL_TESTS_BENCH_FIDELITY_PEER_H
#define PITWALL_TESTS_BENCH_FIDELITY_PEER_H

#include "target/decoder.h"
#include "target/predictor.h"
#include "target/receive.h"
#include "tests/bench/fidelity/bag.h"
#include "tests/bench/fidelity/driver.h"
#include "tests/bench/fidelity/server.h"

enum peer_state {
    PEER_READING,
    PEER_PARSING, /* with the parse threads, or waiting for one */
    PEER_SERVING, /* holds its buffers until due_ns */
    PEER_DONE
};

struct peer {
    enum peer_state state;
    struct mutator *mutator; /* of its event loop */
    struct predictor predictor;
    struct decoder decoder;
    struct input input;
    const struct driver *driver;
    size_t sent;      /* of the request */
    size_t size;      /* of the last read: bag.h */
    uint64_t due_ns;  /* PEER_SERVING */
    double turn;      /* when it may read next; see replay.c */
    double weight;    /* its share of the link */
    uint64_t bytes;   /* read */
    uint64_t buffers; /* bytes of all read buffers */
};

/* A new connection at an event loop. False: out of memory. */
CHECKED bool peer_open(struct peer *peer, struct server *server,
                       struct mutator *mutator, const struct driver *driver);

/* The driver closes it: a last read without bytes. */
void peer_close(struct peer *peer, struct server *server);

/* A wake-up: reads as the predictor sizes them, with what the bag has (NULL:
 * full buffers). At the request's end peer->state is PEER_SERVING, with the
 * body held. Returns the bytes read; server->oom when the heap is exhausted. */
uint32_t peer_wake(struct peer *peer, struct server *server, struct bag *bag);

/* The request is answered: its body is dead, the next may begin. */
void peer_answered(struct peer *peer);

#endif
