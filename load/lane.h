/* A lane: one client of one task, with at most one operation under way. Pure
 * but for what it is given: the moment and the engine.
 *
 * It is over when it has done its operations, sent its bodies, when its time
 * is, or when it is told; whichever comes first. */
#ifndef PITWALL_LOAD_LANE_H
#define PITWALL_LOAD_LANE_H

#include "load/bulk_answer.h"
#include "load/engine.h"
#include "load/parts.h"
#include "load/recorder.h"
#include "load/scroll.h"
#include "load/stage.h"

#define LANE_EXCERPT_MAX 120

struct lane {
    const struct work *work;
    struct recorder *recorder;
    struct span *span; /* of the task's window */
    struct body_list bodies;
    struct pacer pacer;
    struct parts *parts;   /* of a composite operation; NULL: none */
    struct scroll *scroll; /* of a search of pages; NULL: none */
    uint32_t client;
    bool first;        /* of its slot's clients of this task */
    uint32_t at;       /* the next body's number */
    uint64_t left;     /* bodies to be sent; UINT64_MAX: no end */
    uint64_t warm_ops; /* to do before the measured ones */
    uint64_t ops;      /* to do with them; UINT64_MAX: no end */
    uint64_t end_ns;   /* of its time; UINT64_MAX: no end */
    uint64_t intended_ns, started_ns;
    uint64_t free_ns;        /* since when it could have started */
    const struct body *body; /* under way; NULL: idle */
    unsigned misses;         /* without an answer, in a row */
    bool over, idle;         /* idle: there was nothing for it */
    uint64_t over_ns;        /* when it had done all, or its time was over */
    struct bulk_answer answer;
    uint32_t excerpt_conn; /* whose answer failed */
    size_t excerpt_len;
    char excerpt[LANE_EXCERPT_MAX + 1]; /* of an answer that failed */
};

/* Begin its task's schedule at t0. Returns when the first request is due;
 * UINT64_MAX: there is nothing for it, the lane is over. */
uint64_t lane_begin(struct lane *l, const struct stage_term *term,
                    uint64_t t0_ns, uint64_t seed);

/* The next operation is under way; returns its request, of a composite one
 * NULL: its parts are to be started. */
const struct engine_request *lane_start(struct lane *l, uint64_t now_ns);

/* Pieces of its answer, on one of its connections. */
void lane_head(struct lane *l, uint32_t conn, unsigned status);
void lane_body(struct lane *l, uint32_t conn, const char *data, size_t len);

/* One request of a composite operation ended; returns what follows on its
 * connection, NULL when nothing does. When no part is busy any more,
 * lane_finish comes next, with the parts' sum. */
const struct engine_request *lane_part(struct lane *l, uint32_t conn,
                                       const struct engine_answer *a);

/* A page of a scroll ended; returns what follows. After NULL lane_finish comes
 * next, with the scroll's sum. */
const struct engine_request *lane_page(struct lane *l,
                                       const struct engine_answer *a);

/* Its end is recorded. Returns when the next operation may start; UINT64_MAX:
 * never, the lane is over. stop_ns: no start from then on. */
uint64_t lane_finish(struct lane *l, const struct engine_answer *a,
                     uint64_t stop_ns);

/* The lane starts nothing more; what was due in the window and before end_ns
 * counts as dropped. */
void lane_end(struct lane *l, uint64_t end_ns);

#endif
