/* The children of an attempt as its folder remembers them (file "children"), so
 * that the next executor ends those that a killed one has left: without
 * namespaces and control groups a child that has gone to a session of its own
 * survives its cage. A number alone may be another's by then; with the boot,
 * the pid namespace and the time of its start it is that process or none.
 *
 * Not durable: a machine that lost it has lost the processes, too. */
#ifndef PITWALL_AGENT_EXECUTOR_CHILDREN_H
#define PITWALL_AGENT_EXECUTOR_CHILDREN_H

#include <sys/types.h>

#define CHILDREN_NAME "children"

/* Note a child in the attempt's folder dir; a failure is logged. */
void children_note(int dir, pid_t pid);

/* SIGKILL those of them that live, and forget all. How many lived. */
unsigned children_end(int dir);

#endif
