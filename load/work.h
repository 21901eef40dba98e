/* A measured task, ready to be driven: what the threads need of it. */
#ifndef PITWALL_LOAD_WORK_H
#define PITWALL_LOAD_WORK_H

#include "load/body.h"
#include "load/pacer.h"
#include "load/share.h"

struct work {
    const char *name, *operation;
    bool bulk;        /* its answers are read document by document */
    bool looped;      /* begins again when its bodies are all sent */
    bool hidden;      /* reported only if something failed */
    uint32_t clients; /* of all load agents together */
    uint32_t own;     /* of them, those of this process */
    uint32_t slot;    /* of its first client; the others' follow */
    enum pacer_kind pacing;
    double rate_s;                  /* of all clients; 0: closed loop */
    bool rate_docs;                 /* rate_s counts documents */
    uint64_t warmup_ns, measure_ns; /* measure 0: no end by time */
    uint64_t warm_ops, ops;         /* of each client; ops 0: no such end */
    uint64_t ramp_up_ns;            /* over which its clients start */
    uint64_t timeout_ns;            /* of one request */
    struct body_pool *bodies;
    /* of PLAN_REQUESTS, as its bodies; NULL: no status is as good as 2xx */
    const struct plan_request *requests;
    /* of PLAN_COMPOSITE: stream i is bodies [streams[i], streams[i + 1]) */
    const uint32_t *streams; /* [n_streams + 1] */
    uint32_t n_streams;
    uint32_t conns; /* connections of each client, at least 1 */
};

#define STEP_BY_NONE SIZE_MAX       /* each task ends by itself */
#define STEP_BY_ANY  (SIZE_MAX - 1) /* the first client over ends all */

/* Measured tasks that run side by side. Each client stands in a slot: those of
 * task after task in turn, round and round, so that where slots are fewer than
 * clients a client waits for the one before it in its slot. */
struct step {
    struct work *works; /* [n_works] */
    size_t n_works;
    uint32_t slots;      /* of all load agents together */
    struct share share;  /* of them, those of this process */
    size_t completed_by; /* number of the work whose end is the step's */
};

#endif
