/* How a part of an attempt left, and what that says: whether it was told to,
 * ran out of memory, or failed. Used by attempt.c alone; pure as it is. */
#ifndef PITWALL_AGENT_EXECUTOR_DEPARTURE_H
#define PITWALL_AGENT_EXECUTOR_DEPARTURE_H

#include "agent/executor/attempt.h"

/* Take the event of a part's exit. */
void departure_take(struct attempt *a, const struct attempt_event *ev,
                    struct attempt_actions *out);

#endif
