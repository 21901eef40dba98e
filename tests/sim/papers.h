/* What the controller makes of its store and of its bench's wishes: apart,
 * since controller and executor each have a struct setup. */
#ifndef PITWALL_TESTS_SIM_PAPERS_H
#define PITWALL_TESTS_SIM_PAPERS_H

#include "tests/sim/clerk.h"

/* Encode the action's request into c->wire, numbered c->seq. */
CHECKED enum err papers_request(struct clerk *c, const struct bench_action *a,
                                struct why *why);

/* Begin c->bench with so many agents, from what earlier sittings left. */
CHECKED enum err papers_begin(struct clerk *c, unsigned n_agents,
                              struct why *why);

/* How many trials the store has still to get. */
uint32_t papers_left(struct clerk *c);

#endif
