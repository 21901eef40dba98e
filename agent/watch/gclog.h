/* Lines of a Java virtual machine's unified log: its collections and
 * safepoints. Pure. */
#ifndef PITWALL_AGENT_WATCH_GCLOG_H
#define PITWALL_AGENT_WATCH_GCLOG_H

#include "agent/watch/scan.h"

enum gclog_kind {
    GCLOG_OTHER,
    GCLOG_PAUSE,      /* a collection stopped the threads */
    GCLOG_CONCURRENT, /* one worked beside them */
    GCLOG_SAFEPOINT   /* the threads were stopped, for whatever reason */
};

/* Sizes and lengths that a line does not tell are 0. */
struct gclog_line {
    enum gclog_kind kind;
    bool old;         /* PAUSE: of an old or a whole collection */
    uint64_t at_ns;   /* when it was over; CLOCK_MONOTONIC */
    uint64_t gc;      /* PAUSE, CONCURRENT: the collection's number */
    uint64_t ns;      /* its length; SAFEPOINT: reaching it included ... */
    uint64_t wait_ns; /* ... which took this */
    uint64_t before_bytes, after_bytes; /* of heap in use */
};

/* Read one line, decorated with uptime, timenanos, level and tags. False: it
 * is none of these kinds, or has no timenanos to place it by. */
bool gclog_parse(struct scan text, struct gclog_line *out);

#endif
