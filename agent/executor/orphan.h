/* Processes that a target has left to themselves: they are their cage's init's
 * children then, or, without namespaces, the agent's own, whatever sessions and
 * groups they went to. */
#ifndef PITWALL_AGENT_EXECUTOR_ORPHAN_H
#define PITWALL_AGENT_EXECUTOR_ORPHAN_H

#include "agent/executor/cage.h"

/* Let what the children of this process leave come to it, not to init. */
void orphan_adopt(void);

/* What lives on of cage's target that has exited: its processes' names, comma
 * separated; false: nothing. */
bool orphan_names(const struct cage *cage, char *buf, size_t size);

/* End those that have come to us, where no cage's end does that: in plain mode,
 * after the attempt's own processes. */
void orphan_end(const struct cage *cage);

#endif
