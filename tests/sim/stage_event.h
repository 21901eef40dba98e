/* Between site.c and stage.c: what is heard, where, of which attempt. */
#ifndef PITWALL_TESTS_SIM_STAGE_EVENT_H
#define PITWALL_TESTS_SIM_STAGE_EVENT_H

#include "tests/sim/sim.h"

/* The agent that is at work: the calls that are put in the system's place
 * cannot be told. */
struct site *site_current(void);

/* What stage_hear is to pass on. */
const struct sim_event *stage_heard(void);

/* Of the processes of the attempt under way: words of others are dropped. */
uint64_t stage_generation(const struct site *s);

#endif
