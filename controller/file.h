/* Writing a whole file, or none. */
#ifndef PITWALL_CONTROLLER_FILE_H
#define PITWALL_CONTROLLER_FILE_H

#include <stddef.h>

#include "common/err.h"

/* Put data [bytes] into the file at path, replacing it whole or not at all: it
 * is written beside it as path.part first. Errors: errno's, naming the path. */
CHECKED enum err file_write(const char *path, const void *data, size_t bytes,
                            struct why *why);

#endif
