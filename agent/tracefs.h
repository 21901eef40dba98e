/* Tracepoints' ids, from a tracefs that is mounted nowhere: a mount without a
 * place in any tree ends with its descriptor. */
#ifndef PITWALL_AGENT_TRACEFS_H
#define PITWALL_AGENT_TRACEFS_H

#include <stdint.h>

#include "common/err.h"

/* Open it. Errors  ERR_PERMISSION: says what allows it. Owns: *fd. */
CHECKED enum err tracefs_open(int *fd, struct why *why);

/* The id of "syscalls/sys_exit_read". ERR_NOTFOUND, ERR_INVALID. */
CHECKED enum err tracefs_id(int fd, const char *event, uint64_t *id,
                            struct why *why);

#endif
