/* Everything that was in force in an attempt, as one JSON text for its spool:
 * what was read back, not what was asked for. */
#ifndef PITWALL_AGENT_EXECUTOR_EFFECTIVE_H
#define PITWALL_AGENT_EXECUTOR_EFFECTIVE_H

#include "agent/executor/setup.h"

/* Print it into buf. ERR_RANGE: it does not fit (64 KiB always do). */
CHECKED enum err effective_print(const struct setup *setup,
                                 const struct link_state *link, char *buf,
                                 size_t size, struct why *why);

#endif
