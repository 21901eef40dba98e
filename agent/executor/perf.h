/* Whether the kernel lets the watch of an extra trial look into the target:
 * stacks and tracepoints of reads, tried in a scratch cage. */
#ifndef PITWALL_AGENT_EXECUTOR_PERF_H
#define PITWALL_AGENT_EXECUTOR_PERF_H

#include "agent/executor/cage.h"

struct perf {
    bool stacks, reads; /* --telemetry perf, --telemetry reads */
    char stacks_missing[200], reads_missing[200]; /* why not, what allows it */
};

/* Find out; cage as for cage_run. Never fails: what cannot be tried is not
 * there, with the reason. */
void perf_probe(struct perf *out, const struct cage *cage);

#endif
