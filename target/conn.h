/* One connection's life: read, decode, answer, write, again. It belongs to its
 * worker's thread, except while a bulk thread works on its request.
 *
 *   reading --request--> answering --all sent--> reading
 *      |                     |  `--socket full--> writing --room--> ...
 *      |                     `--bulk--> busy --conn_resume--> answering
 *      `--end, error, closing--> freed by the worker */
#ifndef PITWALL_TARGET_CONN_H
#define PITWALL_TARGET_CONN_H

#include "target/decoder.h"
#include "target/ingest.h"
#include "target/pool.h"
#include "target/predictor.h"
#include "target/reply.h"
#include "target/route.h"
#include "target/tally.h"

struct worker;

struct conn {
    struct worker *worker;
    struct conn *prev, *next; /* the worker's list */
    struct conn *done_next;   /* the worker's list of resumable ones */
    struct pool_work work;    /* the pool's queue */
    int fd;
    uint32_t interest; /* epoll events asked for */
    struct predictor predictor;
    struct decoder decoder;
    struct input input; /* what is left of the last read */
    char *stash;        /* native input kept for later */
    struct reply reply;
    struct route route;
    uint64_t began_ns;  /* first byte of the request */
    uint64_t queued_ns; /* handed to the bulk threads */
    bool busy;          /* with the bulk threads */
    bool observer;      /* asks /_pitwall/: not counted */
    bool closing;       /* after the answer */
    bool broken;        /* by the peer, while busy */
};

/* Take over fd (accepted, non-blocking) and register it. NULL: no memory, or
 * out of the heap (then the node is told); fd is closed. */
struct conn *conn_new(struct worker *worker, int fd);

/* Close and free, whatever its state but busy. */
void conn_free(struct conn *c);

/* epoll reported events. False: the connection is to be freed. */
CHECKED bool conn_event(struct conn *c, uint32_t events);

/* The bulk thread is done with it. False: it is to be freed. */
CHECKED bool conn_resume(struct conn *c);

/* Nothing of a request is here: it can be closed without loss. */
bool conn_idle(const struct conn *c);

/* On a thread of errands: answer the request and give c back. */
void conn_errand(struct conn *c, struct mutator *m);

/* On a bulk thread: process the request and give c back to its worker. */
void conn_bulk(struct conn *c, struct ingest *in, struct tally *tally);

#endif
