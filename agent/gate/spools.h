/* The sealed spools whose transfer is under way: the executor's read-only fds,
 * kept so that a chunk costs one pread and no word with the executor. */
#ifndef PITWALL_AGENT_GATE_SPOOLS_H
#define PITWALL_AGENT_GATE_SPOOLS_H

#include <stdint.h>

#include "agent/gate/request.h"

#define SPOOLS_MAX     4
#define SPOOLS_IDLE_NS 60000000000ull /* a fd keeps a deleted file's blocks */

struct spools {
    struct spools_entry {
        int fd; /* -1: free */
        uint32_t tid, att;
        char eid[37];
        uint64_t used_ns;
    } entries[SPOOLS_MAX];
};

/* Start empty; close all. */
void spools_init(struct spools *spools);
void spools_fini(struct spools *spools);

/* The fd of the request's attempt, or -1. It stays spools'. */
int spools_find(struct spools *spools, const struct port_request *port,
                uint64_t now_ns);

/* Keep fd (taken) for the attempt, in place of an older one of it or else of
 * the one that was idle longest. */
void spools_take(struct spools *spools, const struct port_request *port, int fd,
                 uint64_t now_ns);

/* Close what belongs to the attempt: it is deleted now, or asked for anew. */
void spools_drop(struct spools *spools, const struct port_request *port);

/* Close what nobody asked for in SPOOLS_IDLE_NS. */
void spools_expire(struct spools *spools, uint64_t now_ns);

/* Read at most max bytes at offset of a spool into buf. *total is its size.
 * Errors  ERR_RANGE: offset is beyond the end. At the end itself *n is 0. */
CHECKED enum err spools_read(int fd, const struct msg_collect *want,
                             uint8_t *buf, size_t *n, uint64_t *total,
                             struct why *why);

#endif
