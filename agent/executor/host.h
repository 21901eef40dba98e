/* Changes of the machine itself, which outlive us: each is in the journal
 * before it is made, read back after, and undone, the newest first.
 *
 *   set:  read old ─► INTENT ─► write ─► read back ─► APPLIED
 *   undo: UNDOING ─► write old ─► read back ─► UNDONE ─► empty journal
 *
 * The arrows to INTENT, APPLIED, UNDOING and UNDONE are durable when the next
 * step begins, so that an executor that is killed anywhere leaves a journal
 * from which the next one finds the way back. What somebody else has changed
 * since is drift: it is left as it is, said, and no lease is given before an
 * operator has released it. What the machine's restart has reset is
 * forgotten. */
#ifndef PITWALL_AGENT_EXECUTOR_HOST_H
#define PITWALL_AGENT_EXECUTOR_HOST_H

#include "agent/executor/journal.h"

struct host {
    struct journal journal;
    char boot_id[37];
    uint64_t incarnation;
    uint64_t token;  /* of the lease under which changes are made */
    unsigned die_at; /* tests: SIGKILL ourselves at this step; 0: never */
    unsigned step;   /* steps done */
};

#define HOST_NONE ((struct host){.journal = JOURNAL_NONE})

/* Open the journal in the folder dir (borrowed) and undo what it holds; what
 * cannot be undone is logged and held, which is no failure.
 * Errors  as journal_open: nothing may be changed without it. */
CHECKED enum err host_open(struct host *h, int dir, const char *boot_id,
                           uint64_t incarnation, unsigned die_at,
                           struct why *why);

/* Set target to value; afterwards value is what was read back, the same.
 * A setting that is so already is no change.
 * Errors  ERR_EXISTS: this target is changed already; ERR_INVALID: the machine
 *         has taken another value, the old one was put back; ERR_IO: the
 *         journal; others as knob_put. After any failure the machine is as
 *         before, or the journal knows. */
CHECKED enum err host_set(struct host *h, enum change_kind kind,
                          const char *target, char value[CHANGE_VALUE_MAX],
                          struct why *why);

/* Undo everything. Errors: ERR_STATE: something is left, host_held says what;
 * ERR_IO: it is undone and the journal failed. */
CHECKED enum err host_undo(struct host *h, struct why *why);

/* Whether something stands in the way of new leases, and what: drift, a change
 * that could not be undone, a journal that is broken or damaged. */
bool host_held(const struct host *h, char *buf, size_t size);

/* What is changed now and what undoing it would do, a line each:
 * "sysctl net.ipv4.tcp_rmem: "a" -> "b", applied; would write "a"". */
void host_describe(const struct host *h, char *buf, size_t size);

/* An operator knows: try to undo again, then forget what has drifted.
 * Errors  as host_undo. */
CHECKED enum err host_release(struct host *h, struct why *why);

/* Close the journal; what is not undone stays in it. */
void host_close(struct host *h);

#endif
