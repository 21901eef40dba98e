/* A lane: one client of one task, on one connection, with at most one request
 * under way. Pure but for what it is given: the moment and the engine. */
#ifndef PITWALL_LOAD_LANE_H
#define PITWALL_LOAD_LANE_H

#include "load/bulk_answer.h"
#include "load/engine.h"
#include "load/recorder.h"
#include "load/work.h"

#define LANE_EXCERPT_MAX 120

struct lane {
    const struct work *work;
    struct recorder *recorder;
    struct body_list bodies;
    struct pacer pacer;
    uint32_t client;
    uint32_t at;   /* the next body's number */
    uint64_t left; /* bodies to be sent; UINT64_MAX: no end */
    uint64_t intended_ns, started_ns;
    const struct body *body; /* under way; NULL: idle */
    unsigned misses;         /* without an answer, in a row */
    bool over;
    struct bulk_answer answer;
    size_t excerpt_len;
    char excerpt[LANE_EXCERPT_MAX + 1]; /* of an answer that failed */
};

/* Begin a schedule at t0; once: send each of its bodies a single time. Returns
 * when the first request is due. */
uint64_t lane_begin(struct lane *l, uint64_t t0_ns, uint64_t seed, bool once);

/* The next request, which is now under way. */
const struct engine_request *lane_start(struct lane *l, uint64_t now_ns);

/* Pieces of its answer. */
void lane_head(struct lane *l, unsigned status);
void lane_body(struct lane *l, const char *data, size_t len);

/* Its end is recorded. Returns when the next request may start; UINT64_MAX:
 * never, the lane is over. end_ns: no start from then on. */
uint64_t lane_finish(struct lane *l, const struct engine_answer *a,
                     uint64_t end_ns);

/* The lane starts nothing more; what was due before end_ns counts as dropped.
 */
void lane_end(struct lane *l, uint64_t end_ns);

#endif
