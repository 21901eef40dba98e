/* Bytes per read from sockets, as the kernel's tracepoints of system calls say:
 * read, readv, recvfrom and recvmsg of any program (recvmmsg, splice and
 * io_uring are not seen). Of read and readv the entry tells the descriptor, of
 * which the caller says whether it is a socket. Pure. */
#ifndef PITWALL_AGENT_WATCH_READS_H
#define PITWALL_AGENT_WATCH_READS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/hist.h"

#define READS_EVENTS(X)                                                        \
    X(EXIT_RECVFROM, "syscalls/sys_exit_recvfrom")                             \
    X(EXIT_RECVMSG, "syscalls/sys_exit_recvmsg")                               \
    X(EXIT_READ, "syscalls/sys_exit_read")                                     \
    X(EXIT_READV, "syscalls/sys_exit_readv")                                   \
    X(ENTER_READ, "syscalls/sys_enter_read")                                   \
    X(ENTER_READV, "syscalls/sys_enter_readv")

enum reads_event {
#define X(name, path) READS_##name,
    READS_EVENTS(X)
#undef X
        READS_EVENTS_N
};

/* Paths below tracefs's events. */
extern const char *const reads_events[READS_EVENTS_N];

/* Only entries are sampled whatever they say. */
const char *reads_filter(enum reads_event event);

struct reads {
    uint64_t ids[READS_EVENTS_N]; /* of the tracepoints */
    struct hist *hist;            /* borrowed */
    uint64_t strange;             /* records of another shape */
};

/* One thread: what its last read or readv was of. */
struct reads_thread {
    struct reads *reads;
    bool (*is_socket)(void *ctx, int fd);
    void *ctx;
    int fd; /* -1: none */
};

/* Take one raw record of a tracepoint. */
void reads_add(struct reads_thread *thread, const uint8_t *raw, size_t len);

#endif
