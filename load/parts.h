/* A composite operation under way: streams of requests side by side, each on a
 * connection of its own, or in turn where connections are fewer. Pure.
 *
 * The operation is answered when every stream is; its time goes from the
 * earliest start to the latest end. A request that fails ends its stream, no
 * further one begins, and the operation is as bad as its worst request. */
#ifndef PITWALL_LOAD_PARTS_H
#define PITWALL_LOAD_PARTS_H

#include "load/engine.h"
#include "load/work.h"

/* What one connection is at: body `at` of a stream that ends before `end`. */
struct parts_conn {
    uint32_t at, end;
};

struct parts {
    const struct work *work;
    const struct body *bodies;
    struct parts_conn *conns; /* [work->conns] */
    uint32_t next;            /* stream */
    uint32_t n_busy;          /* connections */
    uint32_t requests;        /* answered or failed */
    struct engine_answer sum; /* of them */
};

/* Begin the operation anew. */
void parts_begin(struct parts *p);

/* The first request of the next stream on an idle connection; NULL: there is
 * no stream left. */
const struct body *parts_start(struct parts *p, uint32_t conn);

/* The body under way on a connection. */
const struct body *parts_body(const struct parts *p, uint32_t conn);

/* A connection's request ended, well or not; returns what follows on it, NULL
 * when nothing does. The operation is over when n_busy is 0. */
const struct body *parts_answer(struct parts *p, uint32_t conn,
                                const struct engine_answer *a, bool good);

#endif
