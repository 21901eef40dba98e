/* What time does to a lease and to the attempt under it: one expires, the other
 * is stopped, and the machine is put back. */
#ifndef PITWALL_AGENT_EXECUTOR_TENURE_H
#define PITWALL_AGENT_EXECUTOR_TENURE_H

#include "agent/executor/executor.h"

/* Time has passed: after everything that happens. */
void tenure_tick(struct executor *x);

/* Undo what is changed on the machine although no attempt is under way. */
void tenure_undo(struct executor *x);

#endif
