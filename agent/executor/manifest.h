/* The manifest of a sealed attempt: what its spool must hold, and how it ended.
 * Five lines and nothing else, so that a torn or foreign file is told:
 *
 *   pitwall-manifest 1
 *   outcome ok
 *   spool 17 records 123456 bytes 305419896 crc32c
 *   text target exited with status 1: ...
 *   end */
#ifndef PITWALL_AGENT_EXECUTOR_MANIFEST_H
#define PITWALL_AGENT_EXECUTOR_MANIFEST_H

#include <stddef.h>
#include <stdint.h>

#include "common/state.h"

#define MANIFEST_MAX 1024u

struct manifest {
    enum attempt_outcome outcome;
    uint64_t records, bytes;
    uint32_t crc; /* crc32c of all bytes of the spool */
    char text[500];
};

/* Print m into buf (MANIFEST_MAX bytes are enough); returns its length. */
size_t manifest_print(const struct manifest *m, char *buf, size_t size);

/* Read what manifest_print wrote. ERR_CORRUPT: anything else. */
CHECKED enum err manifest_parse(const char *data, size_t len,
                                struct manifest *m, struct why *why);

#endif
