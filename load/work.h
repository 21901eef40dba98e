/* A measured task, ready to be driven: what the threads need of it. */
#ifndef PITWALL_LOAD_WORK_H
#define PITWALL_LOAD_WORK_H

#include "load/body.h"
#include "load/pacer.h"

struct work {
    const char *name, *operation;
    bool bulk;        /* its answers are read document by document */
    uint32_t clients; /* of all load agents together */
    uint32_t own;     /* of them, those of this process */
    uint32_t number;  /* of its first client, counted over all tasks */
    enum pacer_kind pacing;
    double rate_s;                  /* of all clients; 0: closed loop */
    bool rate_docs;                 /* rate_s counts documents */
    uint64_t warmup_ns, measure_ns; /* measure 0: each body is sent once */
    uint64_t timeout_ns;            /* of one request */
    struct body_pool *bodies;
};

#endif
