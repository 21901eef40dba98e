/* Plans and agents as grids: what plan and agents print. */
#ifndef PITWALL_CONTROLLER_DESCRIBE_H
#define PITWALL_CONTROLLER_DESCRIBE_H

#include "common/cert.h"
#include "common/msg.h"
#include "controller/ceiling_plan.h"
#include "controller/lab.h"
#include "results/grid.h"

/* The trials in running order, under notes on cells, seed and time. labs: the
 * benches, which take blocks in turn, n 0 when none was asked; ceilings: the
 * calibrations before them. */
void describe_trials(const struct trials *trials, const struct labs *labs,
                     const struct ceiling_plans *ceilings, struct grid *grid);

/* What targets the bench's agent has and which factors they map, as a note. */
void describe_targets(struct grid *grid, const struct msg_hello_reply *agent);

/* Begin a grid of agents, and add one: hello NULL, and text why, when it could
 * not be reached. */
void describe_agents(struct grid *grid);
void describe_agent(struct grid *grid, const char *url,
                    const struct msg_hello_reply *hello, const char *text);

/* The clock of an agent's machine against ours. */
struct describe_clock {
    int64_t offset_ns; /* by which it is ahead */
    uint64_t bound_ns; /* of the offset's error; 0: not known */
};

/* Of the agent added last: its clock, its certificate at now_s (Unix time; name
 * "": none), and the links that it can make. */
void describe_ways(struct grid *grid, const struct msg_hello_reply *hello,
                   const struct describe_clock *clock, const struct cert *cert,
                   int64_t now_s);

/* How long a certificate lasts from now_s on: "90 days", "5 hours", or its
 * fault, into buf (returned). */
const char *describe_cert(const struct cert *cert, int64_t now_s, char *buf,
                          size_t size);

/* Of the agent added last: its lease, what is changed on its machine and what
 * keeps it from giving a lease. */
void describe_settled(struct grid *grid, const struct msg_settled *settled);

#endif
