/* Where the watch's records go: encoded into one buffer that grows once, and
 * on to the data pipe, which never blocks. */
#ifndef PITWALL_AGENT_WATCH_EMIT_H
#define PITWALL_AGENT_WATCH_EMIT_H

#include "common/child.h"
#include "common/record.h"

struct emit {
    const char *side; /* "target" or "load"; borrowed */
    struct child_pipe pipe;
    struct wire_buf record;
    uint64_t failed; /* could not be encoded */
};

/* Write to fd through ring[size], which outlives emit. */
void emit_init(struct emit *emit, const char *side, int fd, uint8_t *ring,
               size_t size);
void emit_fini(struct emit *emit);

/* Queue one record; in is the kind's struct. What finds no room is counted
 * (pipe.blocked) and dropped. */
void emit_record(struct emit *emit, enum record_kind kind, const void *in);

/* Queue a fact of this side: text, or a number. Names longer than a fact's are
 * a fault of ours; values are cut. */
void emit_fact(struct emit *emit, const char *name, const char *value);
void emit_count(struct emit *emit, const char *name, uint64_t value);

/* Copy the side's word into a record's field. */
void emit_side(const struct emit *emit, char side[9]);

#endif
