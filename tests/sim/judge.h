/* The invariants of the control plane, held against what really happened:
 *
 *   I1  no stale token executes, and no token is given twice
 *   I2  nothing is executed twice
 *   I3  a machine where nothing is under way is as it was
 *   I4  what is stored and spooled is what was produced, once
 *   I5  no agent deletes what is not committed
 *   I6  once faults stop, everything comes to its end */
#ifndef PITWALL_TESTS_SIM_JUDGE_H
#define PITWALL_TESTS_SIM_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/port.h"
#include "common/err.h"
#include "common/state.h"

struct sim;
struct site;
struct bench;

#define JUDGE_DEEDS 400u

/* What really was with one attempt on one agent. */
struct deed {
    unsigned site;
    uint32_t tid, att;
    unsigned built, armed, started;
    uint64_t t0_ns; /* of the start, the true clock */
    bool sealed, acked, stored;
    enum attempt_outcome outcome;
    uint64_t bytes;
    uint32_t crc;
};

struct judge {
    struct deed deeds[JUDGE_DEEDS];
    unsigned n;
    uint64_t tokens[3];  /* of each agent, the highest ever given */
    uint64_t expires[3]; /* the lease, its boot clock; 0: none */
    char text[300];      /* the first that broke; "": none */
};

/* Tell that an invariant is broken. */
void judge_blame(struct sim *sim, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Of an agent's attempt. */
struct deed *judge_deed(struct sim *sim, unsigned site, uint32_t tid,
                        uint32_t att);
struct deed *judge_named(struct sim *sim, unsigned site, const char *name);

/* An order was carried out, or refused. */
void judge_order(struct sim *sim, const struct site *s,
                 const struct port_request *q, const struct port_reply *reply);

/* An agent has come to rest after something happened, or has started. */
void judge_rest(struct sim *sim, const struct site *s);
void judge_started(struct sim *sim, struct site *s);

/* The controller stores an attempt's end; all is over. */
void judge_stored(struct sim *sim, const struct bench *b);
void judge_end(struct sim *sim);

#endif
