/* Files that nobody else may read: private keys. Opening says so before their
 * content is used, making gives them to their owner alone. */
#ifndef PITWALL_COMMON_SECRET_H
#define PITWALL_COMMON_SECRET_H

#include <stddef.h>

#include "common/err.h"

/* Open a regular file for reading. ERR_PERMISSION also: its group or others
 * have any right to it; the text names path and mode.
 * Owns    *fd is the caller's (close-on-exec), -1 on failure. */
CHECKED enum err secret_open(const char *path, int *fd, struct why *why);

/* Put data [bytes] into the file at path with mode, whole or not at all, and on
 * disk: it is written beside it as path.part first, never readable for more
 * than mode says. An older file is replaced. */
CHECKED enum err secret_write(const char *path, const void *data, size_t bytes,
                              unsigned mode, struct why *why);

#endif
