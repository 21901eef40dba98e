/* What a cell needs of the agent that is to run it, against what the agent says
 * of itself. Pure. */
#ifndef PITWALL_CONTROLLER_NEEDS_H
#define PITWALL_CONTROLLER_NEEDS_H

#include "common/msg.h"
#include "controller/trials.h"

/* Whether the agent's features name one (comma separated words). */
bool needs_feature(const struct msg_hello_reply *agent, const char *feature);

/* Whether it can make network namespaces in either way. */
bool needs_namespaces(const struct msg_hello_reply *agent);

/* Refuse a cell that the agent cannot run: a role other than both, a target it
 * does not have, a link, shaper, delay or kernel setting it cannot make.
 * ERR_INVALID; the text says what is missing and how to allow it. */
CHECKED enum err needs_check(const struct msg_hello_reply *agent,
                             const struct trial_spec *spec, struct why *why);

/* needs_check of every cell. */
CHECKED enum err needs_check_all(const struct msg_hello_reply *agent,
                                 const struct trials *trials, struct why *why);

/* Take one level that the agent cannot do out of an axis of ex that has others;
 * false when there is none. said (size bytes) gets "link=eth200: why". ex must
 * have no zips. */
bool needs_drop(const struct msg_hello_reply *agent, struct experiment *ex,
                char *said, size_t size);

#endif
