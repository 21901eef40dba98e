/* Which bench gets which block, and whether it is enough: answers to the
 * benches' questions, by the share, the store and the rules for stopping. */
#ifndef PITWALL_CONTROLLER_ALLOT_H
#define PITWALL_CONTROLLER_ALLOT_H

#include "controller/runner.h"

/* Who has which block at the beginning. Errors of the store, as of all here. */
CHECKED enum err allot_begin(struct run *run, struct why *why);

/* The answer to a bench's ASK. */
CHECKED enum err allot_ask(struct runner *r, struct bench_event *ev,
                           struct why *why);

/* A bench is over: what a lost one had begun becomes a block for the others. */
CHECKED enum err allot_ended(struct runner *r, struct why *why);

/* Count anew what is left of the blocks of a bench. */
void allot_count(struct runner *r);

#endif
