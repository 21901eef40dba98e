/* SHA-256 of files: which program and which configuration it was. Owner of
 * <mbedtls/...> in the agent. */
#ifndef PITWALL_AGENT_WATCH_DIGEST_H
#define PITWALL_AGENT_WATCH_DIGEST_H

#include "common/err.h"

#define DIGEST_HEX_SIZE 65u

/* Hash the plain file at path; hex is terminated. ERR_NOTFOUND and others name
 * it; ERR_INVALID: it is no plain file. */
CHECKED enum err digest_file(const char *path, char hex[DIGEST_HEX_SIZE],
                             struct why *why);

#endif
