/* The restore journal: a file of records (change.h), each durable before the
 * step that it speaks of.
 *
 * A record is written and fdatasync'ed before the change is made. A failed
 * fsync is final: the pages may be gone from the cache though a later fsync
 * succeeds, so nothing is changed any more. A torn last record is cut off: its
 * change was never begun. The file is replaced by an empty one only when
 * everything is undone. */
#ifndef PITWALL_AGENT_EXECUTOR_JOURNAL_H
#define PITWALL_AGENT_EXECUTOR_JOURNAL_H

#include "agent/executor/change.h"

#define JOURNAL_NAME      "journal"
#define JOURNAL_MAX_BYTES (1u << 20)

/* Start with JOURNAL_NONE. */
struct journal {
    int dir, fd; /* dir is borrowed */
    uint64_t bytes;
    bool broken;  /* a write or fsync failed: no record is taken any more */
    bool damaged; /* it could not be read to its end */
    struct changes live;
};

#define JOURNAL_NONE ((struct journal){.dir = -1, .fd = -1})

/* Open the journal of the folder dir, or make it, and read it. One that is
 * damaged in its middle is no failure: what stands before the place is live,
 * the file stays as "journal.damaged" beside the new one.
 * Errors  ERR_RANGE: longer than JOURNAL_MAX_BYTES; ERR_IO and others.
 * Owns    *j is the caller's, for journal_close. */
CHECKED enum err journal_open(struct journal *j, int dir, struct why *why);

/* Make a record durable and let it happen to j->live; its seq is set here.
 * Errors  ERR_STATE, ERR_NOSPACE: not accepted, nothing is written; ERR_IO:
 *         the journal is broken from now on. */
CHECKED enum err journal_append(struct journal *j, struct change *record,
                                struct why *why);

/* Begin an empty file; nothing is live. */
CHECKED enum err journal_clear(struct journal *j, struct why *why);

/* Close the file; JOURNAL_NONE is fine. */
void journal_close(struct journal *j);

#endif
