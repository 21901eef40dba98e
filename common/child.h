/* The child contract: what the executor and its children (target, load, watch)
 * say to each other (contracts.md, "Child contract").
 *
 * A child started with --child finds
 *   fd 3  SOCK_SEQPACKET, one struct child_msg per packet, both ways;
 *   fd 4  the write end of its own data pipe, whose bytes the executor puts
 *         into the spool without reading them;
 *   fd 5  (load only) a sealed memfd with the plan as JSON.
 *
 * Child to executor: READY, ARMED, STARTED, PROGRESS, DONE, FAILED, MEET.
 * Executor to child: ARM, START, STOP, GO. End of file on fd 3 is STOP as well.
 *
 *   target  READY when it listens (text: its URL); STOP or SIGTERM: writes
 *           its final JSON to fd 4, DONE, exits 0 (12 after out of memory).
 *   watch   PROGRESS while a target that others wrote is not ready (text: what
 *           it answers instead); READY when the target answers its readiness
 *           URL (target side; text: its URL) or at once (load side); START:
 *           posts the window to the target; STOP: last samples, DONE, exits 0.
 *   load    PROGRESS each second while it gets on with a corpus (text: how
 * far); READY when its corpus is there; ARM: bodies in memory, connections
 *           open, ARMED; START: runs, STARTED at t0, PROGRESS each second,
 *           after window and drain its records, DONE (docs = acknowledged in
 *           total), exits 0; STOP before that: stops issuing, drains at most
 *           5 s, records, DONE. One of several: MEET where they meet
 *           (common/meet.h), and goes on at GO. */
#ifndef PITWALL_COMMON_CHILD_H
#define PITWALL_COMMON_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define CHILD_FD_CONTROL      3
#define CHILD_FD_DATA         4
#define CHILD_FD_PLAN         5
#define CHILD_EXIT_OOM        12
#define CHILD_DATA_PIPE_BYTES (1u << 20)

enum child_kind {
    CHILD_READY = 1,
    CHILD_ARMED,
    CHILD_STARTED,
    CHILD_PROGRESS,
    CHILD_DONE,
    CHILD_FAILED,
    CHILD_MEET,
    CHILD_ARM = 64,
    CHILD_START,
    CHILD_STOP,
    CHILD_GO
};

/* Fixed 512 bytes on one machine, between programs of one build. */
struct child_msg {
    uint32_t kind; /* enum child_kind */
    uint32_t err;  /* FAILED: enum err */
    uint64_t t_ns; /* CLOCK_MONOTONIC of sending; START: t0; GO: from when */
    uint64_t warmup_ns, measure_ns; /* START */
    uint64_t docs, bytes, errors;   /* PROGRESS, DONE: so far */
    double docs_s;                  /* PROGRESS: over the last second */
    uint32_t meet;                  /* MEET, GO: number of the meeting */
    uint32_t any;                   /* MEET: 1: its word counts for all */
    char text[440]; /* READY: URL; PROGRESS: task, or how far; FAILED: why */
};

_Static_assert(sizeof(struct child_msg) == 512, "one packet, one size");

/* Send msg as one packet on fd. A full socket drops PROGRESS silently and
 * waits up to a second for any other kind. ERR_GONE: nobody reads. */
CHECKED enum err child_send(int fd, const struct child_msg *msg,
                            struct why *why);

/* Receive one packet without waiting. ERR_AGAIN: none there; ERR_GONE: end of
 * file; ERR_PROTOCOL: wrong size or kind, or FAILED without an error of ours
 * (texts are always terminated). */
CHECKED enum err child_receive(int fd, struct child_msg *msg, struct why *why);

/* Shorthands of a child: send kind with text (may be NULL), or FAILED with the
 * error. Failure to send is ignored: the executor sees the exit as well. */
void child_report(int fd, enum child_kind kind, const char *text);
void child_fail(int fd, enum err e, const struct why *why);

/* A writer of a data pipe that never blocks its owner: records (each written
 * whole: u32 little-endian length, then the bytes) wait in a bounded buffer
 * and are dropped and counted when it is full. Plain value; the buffer is
 * given by the caller and must outlive it. A record longer than the buffer is
 * always dropped. The program ignores SIGPIPE (signal(SIGPIPE, SIG_IGN)), else
 * a lost reader ends it: pipes know no MSG_NOSIGNAL. Thread: one. */
struct child_pipe {
    int fd;
    uint8_t *buf;
    size_t size, head, len;    /* ring */
    uint64_t records, blocked; /* taken, dropped */
};

/* Makes fd non-blocking; fd stays the caller's to close. */
void child_pipe_init(struct child_pipe *pipe, int fd, uint8_t *buf,
                     size_t size);

/* Queue one record and write what the pipe takes now. False: dropped. */
bool child_pipe_put(struct child_pipe *pipe, const void *data, size_t len);

/* Write until empty or until due_ns (CLOCK_MONOTONIC), waiting for the reader:
 * the last step before DONE. ERR_TIMEOUT, ERR_GONE. */
CHECKED enum err child_pipe_flush(struct child_pipe *pipe, uint64_t due_ns,
                                  struct why *why);

#endif
