/* When a client's next operation is meant to start: as soon as it is free
 * (closed loop), or at a rate, evenly or as a Poisson process (open loop).
 * Pure: time and chance come in as values.
 *
 * In an open loop the schedule is fixed beforehand. A client that is late keeps
 * the intended starts it missed, so that waiting counts as latency (coordinated
 * omission, Tene). The clients of a task share its rate: each takes every n-th
 * slot, so that they are never in phase. A client that begins later (ramp-up)
 * leaves out the slots before: they were never meant to start, and are no
 * latency. */
#ifndef PITWALL_LOAD_PACER_H
#define PITWALL_LOAD_PACER_H

#include <stdint.h>

#include "common/rand.h"

/* In a closed loop the clients' first starts spread over this. */
#define PACER_STAGGER_NS 10000000ull

enum pacer_kind { PACER_CLOSED, PACER_FIXED, PACER_POISSON };

struct pacer_config {
    enum pacer_kind kind;
    double rate_s;  /* of all clients together, in units; open loop */
    uint32_t units; /* of one operation: its documents, or 1 */
    uint32_t n_clients, client;
    uint64_t t0_ns, seed;
    uint64_t delay_ns; /* after t0 this client begins */
};

struct pacer {
    enum pacer_kind kind;
    uint64_t t0_ns;
    double unit_ns;  /* one client's time for one unit */
    double phase_ns; /* of its first start, from t0 */
    double units;    /* done so far */
    struct rand rand;
};

/* Start a schedule; returns the first intended start. */
uint64_t pacer_start(struct pacer *p, const struct pacer_config *config);

/* The start after an operation of units that was answered at done_ns. */
uint64_t pacer_next(struct pacer *p, uint32_t units, uint64_t done_ns);

/* How many operations of units each are due in [begin_ns, end_ns), next_ns
 * being the start that is due next; 0 in a closed loop. Ends the schedule.
 * Beyond a million a Poisson schedule is not drawn but taken at its mean. */
uint64_t pacer_left(struct pacer *p, uint64_t next_ns, uint32_t units,
                    uint64_t begin_ns, uint64_t end_ns);

#endif
