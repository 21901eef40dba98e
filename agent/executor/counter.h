/* A number that only grows and survives power cuts: the lease's epoch and the
 * executor's incarnation, one small file each. */
#ifndef PITWALL_AGENT_EXECUTOR_COUNTER_H
#define PITWALL_AGENT_EXECUTOR_COUNTER_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

/* Add one to the number in file name of folder dirfd (absent: 0) and make the
 * new value durable before it is given out.
 * Errors  ERR_CORRUPT: the file does not hold a number; ERR_NOSPACE, ERR_IO. */
CHECKED enum err counter_next(int dirfd, const char *name, uint64_t *value,
                              struct why *why);

/* Replace file name of folder dirfd by data[0..len) so that after a power cut
 * either the old or the new content is there: written beside it, fsynced,
 * renamed, the folder fsynced. */
CHECKED enum err counter_replace(int dirfd, const char *name, const void *data,
                                 size_t len, struct why *why);

#endif
