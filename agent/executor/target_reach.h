/* How a target is reached and ended, as its definition says: URLs, readiness,
 * statistics, the signal that stops it. */
#ifndef PITWALL_AGENT_EXECUTOR_TARGET_REACH_H
#define PITWALL_AGENT_EXECUTOR_TARGET_REACH_H

#include "agent/executor/target.h"

/* Read these of def->doc, its keys checked, into def. ERR_INVALID, with the
 * place. */
CHECKED enum err target_reach_read(struct target_def *def, struct why *why);

#endif
