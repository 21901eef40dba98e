/* Events of one thread, counted by the kernel into a ring that is read here
 * (perf_event_open(2)): the sole owner of <linux/perf_event.h>. */
#ifndef PITWALL_AGENT_PERF_EVENT_H
#define PITWALL_AGENT_PERF_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"

/* Who is told of each sample: of a tracepoint its raw record, of the clock the
 * addresses, u64 each, innermost first, with the markers of
 * perf_callchain_context. Not aligned. */
struct perf_visitor {
    void (*visit)(void *ctx, const uint8_t *data, size_t len);
    void *ctx;
    uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC: samples outside are not */
};

struct perf_ring {
    void *map; /* NULL: none */
    size_t bytes;
    bool stacks;   /* of the clock */
    uint64_t lost; /* samples that found no room */
};

/* What to sample of a thread: a tracepoint by its id, with a filter ("ret > 0",
 * or NULL), or its clock hz times a second (id 0), in the kernel too or not. */
struct perf_want {
    uint64_t id;
    const char *filter;
    uint64_t hz;
    bool kernel;
};

/* Open an event of thread tid that samples nothing yet.
 * Errors  ERR_PERMISSION: says which setting allows it; ERR_NOTFOUND: the
 *         thread has ended. Owns: *fd is the caller's to close. */
CHECKED enum err perf_event_make(int *fd, pid_t tid,
                                 const struct perf_want *want, struct why *why);

/* Begin and end sampling; fd -1: none. */
void perf_event_enable(int fd, bool on);

/* Give the event, a clock or not, a ring of bytes (a power of two), or let it
 * write into that of another event of its thread. Owns: *ring, for
 * perf_ring_close. */
CHECKED enum err perf_ring_open(struct perf_ring *ring, int fd, bool stacks,
                                size_t bytes, struct why *why);
CHECKED enum err perf_ring_share(int fd, int owner, struct why *why);
void perf_ring_close(struct perf_ring *ring);

/* Visit what the kernel has written since the last time. */
void perf_ring_drain(struct perf_ring *ring, const struct perf_visitor *to);

/* Pure part: visit the records at data[0..len), of clocks (stacks) or of
 * tracepoints; samples lost are added to *lost. What is left of a record that
 * is cut short or too small is passed over. */
void perf_parse(const uint8_t *data, size_t len, bool stacks,
                const struct perf_visitor *to, uint64_t *lost);

#endif
