/* A flight recording of a Java virtual machine (JDK 11 and later), read event
 * by event from its file; never is more of it in memory than a buffer and one
 * chunk's types. */
#ifndef PITWALL_AGENT_WATCH_JFR_H
#define PITWALL_AGENT_WATCH_JFR_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

#define JFR_LEVEL_THOROUGH 4 /* C2; below are the interpreter's and C1's */

enum jfr_kind {
    JFR_TLAB,        /* jdk.ObjectAllocationInNewTLAB */
    JFR_OUTSIDE,     /* jdk.ObjectAllocationOutsideTLAB */
    JFR_COLLECTION,  /* jdk.GarbageCollection */
    JFR_COMPILATION, /* jdk.Compilation */
    JFR_KINDS
};

struct jfr_event {
    enum jfr_kind kind;
    uint64_t at_ns, ns; /* begin, CLOCK_MONOTONIC; length, 0 of a moment */
    uint64_t bytes;     /* TLAB: of it; OUTSIDE: of the object */
    bool worker;        /* OUTSIDE: by a thread of an event loop */
    bool old;           /* COLLECTION: not of the young generation alone */
    uint64_t pauses_ns, longest_ns; /* COLLECTION */
    uint64_t level;                 /* COMPILATION */
};

/* Take an event. An error ends the reading and is passed through. */
typedef enum err jfr_take(void *ctx, const struct jfr_event *event,
                          struct why *why);

/* How to read: the wall clock less CLOCK_MONOTONIC, and until when. */
struct jfr_plan {
    int64_t wall_ahead_ns;
    uint64_t due_ns;
    jfr_take *take;
    void *ctx;
};

/* What was read. */
struct jfr_sum {
    uint64_t chunks, bytes, begin_ns; /* begin: of the first chunk */
    double clock_ratio; /* what its clock's ns lasted, in the last chunk */
};

/* Read the recording (or a part of one that a machine still writes) in the file
 * at fd to its end, and add to *sum. Events of other kinds are passed over.
 * Errors  ERR_CORRUPT: no recording, or one that contradicts itself;
 *         ERR_VERSION: of JDK 8; ERR_TIMEOUT; errno's; take's. */
CHECKED enum err jfr_read(int fd, const struct jfr_plan *plan,
                          struct jfr_sum *sum, struct why *why);

#endif
