/* Where pitwall's own programs are: beside the running one, in
 * ../libexec/pitwall of an installation, or in the build tree. */
#ifndef PITWALL_COMMON_PLACE_H
#define PITWALL_COMMON_PLACE_H

#include <stddef.h>

#include "common/err.h"

/* Absolute path of program name ("pitwall-gate") into buf. ERR_NOTFOUND names
 * the program and where it was looked for. */
CHECKED enum err place_program(const char *name, char *buf, size_t size,
                               struct why *why);

/* Absolute path of a shipped data file ("tracks/geonames.json"): beside the
 * working directory, in ../share/pitwall of an installation, or in the build or
 * source tree that the running program is of. ERR_NOTFOUND. */
CHECKED enum err place_data(const char *name, char *buf, size_t size,
                            struct why *why);

/* The same without the working directory, for what is to be trusted. */
CHECKED enum err place_shipped(const char *name, char *buf, size_t size,
                               struct why *why);

#endif
