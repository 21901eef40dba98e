/* Remove a folder with everything in it. */
#ifndef PITWALL_AGENT_EXECUTOR_TREE_H
#define PITWALL_AGENT_EXECUTOR_TREE_H

#include "common/err.h"

/* Remove name in folder dirfd, whatever it is, never following a link. Absent
 * is ERR_OK. ERR_RANGE: more than 32 levels deep. */
CHECKED enum err tree_remove(int dirfd, const char *name, struct why *why);

#endif
