/* Writing a whole file, or none; reading one whole. */
#ifndef PITWALL_CONTROLLER_FILE_H
#define PITWALL_CONTROLLER_FILE_H

#include <stddef.h>

#include "common/err.h"

/* Put data [bytes] into the file at path, replacing it whole or not at all: it
 * is written beside it as path.part first. Errors: errno's, naming the path. */
CHECKED enum err file_write(const char *path, const void *data, size_t bytes,
                            struct why *why);

/* Read the regular file at path, of at most max bytes, into *data (a NUL stands
 * behind them). Owns: *data for free.
 * Errors  ERR_RANGE: larger; ERR_INVALID: not a regular file; errno's; each
 *         names the path. */
CHECKED enum err file_read(const char *path, size_t max, char **data,
                           size_t *bytes, struct why *why);

#endif
