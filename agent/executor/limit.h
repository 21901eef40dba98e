/* Limits on what a part of an attempt may take of the machine: from the agent's
 * configuration, and, where a trial asks for less, from its spec. */
#ifndef PITWALL_AGENT_EXECUTOR_LIMIT_H
#define PITWALL_AGENT_EXECUTOR_LIMIT_H

#include <stddef.h>
#include <stdint.h>

#include "common/json.h"

/* Processes and threads where nothing is said: no server has so many, and a
 * fork bomb ends there. */
#define LIMIT_PIDS 8192u

/* 0: none. */
struct limits {
    uint64_t memory_bytes; /* whole pages; swap is not given beside it */
    uint32_t cpus_milli;   /* thousandths of a processor */
    uint32_t pids;         /* processes and threads */
};

/* Read {"memory": "2g", "cpus": 1.5, "pids": 4096}, each optional, into out.
 * ERR_INVALID names file, line and key, and what is accepted. */
CHECKED enum err limit_read(struct limits *out, const struct jv *object,
                            struct why *why);

/* What a trial wants, laid over what is configured: the smaller holds; and a
 * wish beyond the configuration is refused.
 * ERR_PERMISSION: more than configured; ERR_RANGE: less than the kernel takes
 * (64 KiB, a hundredth of a processor). Both name the value. */
CHECKED enum err limit_wish(struct limits *out, const struct limits *wish,
                            struct why *why);

#endif
