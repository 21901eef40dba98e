/* The counters that a Java virtual machine keeps in a file in shared memory,
 * /tmp/hsperfdata_USER/PID, which jstat reads. Pure. */
#ifndef PITWALL_AGENT_WATCH_PERFDATA_H
#define PITWALL_AGENT_WATCH_PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define PERFDATA_BYTES_MAX (256u << 10) /* JDK 17 has 32 KiB */

/* A counter to look for. */
struct perfdata_want {
    const char *name;
    uint64_t value; /* 0 when it is not there */
    bool found;
};

/* Read the file's bytes data[0..len) and fill wants[0..n).
 * Errors  ERR_AGAIN: the machine is still making it; ERR_CORRUPT: no such
 *         file, or one that contradicts itself. */
CHECKED enum err perfdata_read(const uint8_t *data, size_t len,
                               struct perfdata_want *wants, size_t n,
                               struct why *why);

/* Copy a counter that is a text, cut to size; false: it is not there. */
bool perfdata_text(const uint8_t *data, size_t len, const char *name, char *buf,
                   size_t size);

#endif
