/* What bounded a trial, by documented rules over its tally. Pure. In this
 * order:
 *
 * driver        the load generator itself was the limit: its figures are those
 *               of the driver. Any of
 *               - what common/strain.h says of itself;
 *               - in a closed loop, it came to 90 % or more of what the same
 *                 load reached against a target that only reads and answers;
 *                 but not where that took 80 % or more of the link's rate
 *                 itself, nor beyond 110 %, which only a disturbed calibration
 *                 explains.
 * link          the driver did not say so of itself, and the link carried 90 %
 *               of its rate or more to the target, or, between machines, of
 *               what libiperf found it to carry; or the trial came to 90 % of a
 *               ceiling that is the link's own.
 * target-queue  the target refused requests for a full queue (results/limit.h).
 * rate          the open loop's rate was asked for and reached: more was never
 *               tried.
 * target-gc, target-cpu, target-disk, target-queue, rwnd
 *               what results/limit.h says, in this order: a collection takes
 *               CPU, and what waits for either waits in queues, too.
 * unclear       none of these.
 *
 * A trial bounded by its driver is valid, marked, and never repeated. */
#ifndef PITWALL_RESULTS_BOUND_H
#define PITWALL_RESULTS_BOUND_H

#include "common/state.h"
#include "results/tally.h"

#define BOUND_EVIDENCE_BYTES 1400

/* What the same load reached at best; 0: not measured. */
struct bound_ceiling {
    double docs_s, ops_s, mb_s;
};

/* The bound, and its evidence in words to buf: every rule that holds, and how
 * far driver and target were from the others (a driver at its limit has only
 * the first). */
enum attempt_bound bound_of(const struct tally *tally,
                            enum attempt_outcome outcome,
                            const struct bound_ceiling *ceiling, char *buf,
                            size_t size);

/* Whether the word speaks of the driver or of the target: where both share a
 * host, each has the other's soft interrupts among its own. */
bool bound_is_of_host(enum attempt_bound bound);

#endif
