/* The seats of a bench together, through one attempt: led on in step, stopped
 * in order, their ends added up. Pure, a part of bench.c's machine. */
#ifndef PITWALL_CONTROLLER_CREW_H
#define PITWALL_CONTROLLER_CREW_H

#include "controller/bench.h"

/* Whether all who take part are in this phase. */
bool crew_all_in(const struct bench *b, enum seat_phase phase);

/* Lead each seat on as soon as all are so far. */
void crew_lead(struct bench *b, uint64_t now_ns);

/* Stop what runs, as far as it can be done now: loads, then the target. */
void crew_stop(struct bench *b, uint64_t now_ns);

/* Set outcome and text from the ends of all seats. */
void crew_conclude(struct bench *b);

/* Whether the target crashed: a result of the target, not a failure from
 * outside. */
bool crew_crashed(const struct bench *b);
bool crew_tells_crash(const char *text); /* by the executor's words */

/* Whether an agent that is out of reach may have what makes it a result. */
bool crew_leaves(const struct bench *b);

#endif
