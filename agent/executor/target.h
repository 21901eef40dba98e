/* What this agent can start as a target: the definition table. The builtin one
 * maps every factor; the configuration's own come with the same struct. */
#ifndef PITWALL_AGENT_EXECUTOR_TARGET_H
#define PITWALL_AGENT_EXECUTOR_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

struct target_def {
    const char *name;
    const char *program; /* for place_program */
    bool contract;       /* speaks common/child.h; else SIGTERM ends it */
};

/* Find a definition by name, valid for ever. ERR_NOTFOUND names those that
 * there are. */
CHECKED enum err target_find(const char *name, const struct target_def **out,
                             struct why *why);

/* The names, comma separated. */
void target_list(char *buf, size_t size);

#endif
