/* Who sits at an experiment: a lock on the store's file that the kernel lets go
 * of with its holder, whatever ends it. */
#ifndef PITWALL_CONTROLLER_GUARD_H
#define PITWALL_CONTROLLER_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

/* Take the experiment of the store at path, which must exist. SQLite has locks
 * on that file too, which the process loses when any descriptor of it is
 * closed: close the guard after the store.
 * Errors  ERR_BUSY: another pitwall sits there. Owns: *fd, for close. */
CHECKED enum err guard_take(const char *path, int64_t experiment, int *fd,
                            struct why *why);

/* Whether somebody sits there. Not while this process has the store open. */
bool guard_held(const char *path, int64_t experiment);

#endif
