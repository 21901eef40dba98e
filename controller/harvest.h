/* Taking up what earlier sittings left with the agents: an attempt that may
 * still run there, that is sealed and not stored, or stored and not
 * acknowledged. Pure, a part of bench.c's machine.
 *
 * STATUS asks each agent. What runs goes on to its end; what has not begun, or
 * waits for others (common/meet.h), is stopped. Then it is collected, stored
 * and acknowledged as any other. An agent that knows nothing of it was
 * never told, or lost its state: the attempt is stored as aborted. */
#ifndef PITWALL_CONTROLLER_HARVEST_H
#define PITWALL_CONTROLLER_HARVEST_H

#include "controller/bench.h"

/* Begin with b->left. */
void harvest_begin(struct bench *b, uint64_t now_ns);

/* Lead it on as far as what was told allows. */
void harvest_lead(struct bench *b, uint64_t now_ns);

#endif
