/* What a cell needs of the agents that are to run it, against what they say of
 * themselves. Pure. */
#ifndef PITWALL_CONTROLLER_NEEDS_H
#define PITWALL_CONTROLLER_NEEDS_H

#include "common/msg.h"
#include "controller/trials.h"

#define NEEDS_AGENTS_MAX 17u /* a target's, and loads' */

/* The agents of a bench by their greetings, the target's first. */
struct needs_agents {
    const struct msg_hello_reply *hello[NEEDS_AGENTS_MAX];
    unsigned n;
};

/* Whether the cell's load runs on the load agents, apart from the target's. */
bool needs_apart(const struct trial_spec *spec);

/* Whether the agent's features name one (comma separated words). */
bool needs_feature(const struct msg_hello_reply *agent, const char *feature);

/* Whether it can make network namespaces in either way. */
bool needs_namespaces(const struct msg_hello_reply *agent);

/* Refuse a cell that the agents cannot run: a role that one does not have, a
 * target it does not have, a link, shaper, delay or kernel setting it cannot
 * make, a limit beyond what its configuration gives, ethernet without load
 * agents. ERR_INVALID; the text says what is missing and how to allow it. */
CHECKED enum err needs_check(const struct needs_agents *agents,
                             const struct trial_spec *spec, struct why *why);

/* Refuse a challenge that searches a target pitwall which indexes nothing in
 * some cell: every search would fail. Needs no agents. ERR_INVALID. */
CHECKED enum err needs_check_index(const struct trials *trials,
                                   struct why *why);

/* needs_check_index, and needs_check of every cell. */
CHECKED enum err needs_check_all(const struct needs_agents *agents,
                                 const struct trials *trials, struct why *why);

/* Take one level that the agents cannot do out of an axis of ex that has
 * others; false when there is none. said (size bytes) gets "link=eth200: why".
 * ex must have no zips. */
bool needs_drop(const struct needs_agents *agents, struct experiment *ex,
                char *said, size_t size);

#endif
