/* Everything that was in force in an attempt, as one JSON text for its spool:
 * what was read back, not what was asked for. */
#ifndef PITWALL_AGENT_EXECUTOR_EFFECTIVE_H
#define PITWALL_AGENT_EXECUTOR_EFFECTIVE_H

#include "agent/executor/notes.h"
#include "agent/executor/setup.h"

/* What each side's interface and machine are. */
struct effective_facts {
    struct notes sides[2]; /* target, load */
};

/* Print it into buf. ERR_RANGE: it does not fit (64 KiB always do). */
CHECKED enum err effective_print(const struct setup *setup,
                                 const struct link_state *link,
                                 const struct effective_facts *facts, char *buf,
                                 size_t size, struct why *why);

#endif
