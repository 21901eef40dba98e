/* As whom a target of somebody else's runs. */
#ifndef PITWALL_AGENT_EXECUTOR_USER_H
#define PITWALL_AGENT_EXECUTOR_USER_H

#include "agent/executor/process.h"
#include "agent/executor/setup.h"

/* Fill plan in for the user that setup's target asks for, and make its working
 * folder that user's. Without root it is whoever the agent is, in a user
 * namespace under that user's number; without namespaces simply whoever.
 * ERR_NOTFOUND: no such user. */
CHECKED enum err user_apply(const struct setup *setup,
                            struct process_plan *plan, struct why *why);

#endif
