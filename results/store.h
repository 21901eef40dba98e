/* The store: one SQLite file with everything that was planned and measured
 * (contracts.md, "Schema"). This header is the writing side. WAL, synchronous
 * FULL, one writer; every function is one transaction, so that nothing is ever
 * half-written. */
#ifndef PITWALL_RESULTS_STORE_H
#define PITWALL_RESULTS_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/state.h"
#include "results/accept.h"
#include "results/purpose.h"

struct store;

enum store_mode { STORE_READ, STORE_WRITE }; /* WRITE creates */

/* Open the store at path (borrowed). One of an older schema is migrated, for
 * reading too.
 * Errors  ERR_BUSY: another writer held the lock for 5 s. ERR_VERSION: schema
 *         newer than ours, or older in a file that cannot be written (why says
 *         what to do). ERR_CORRUPT: not a database or not ours.
 *         ERR_PERMISSION: read-only file or folder (STORE_WRITE).
 *         ERR_NOTFOUND (STORE_READ).
 * Owns    *out is the caller's, for store_close; NULL on failure.
 * Thread  opener only. */
CHECKED enum err store_open(struct store **out, const char *path,
                            enum store_mode mode, struct why *why);
void store_close(struct store *store);

struct store_level {
    const char *label; /* heads its column: "eth200" */
    const char *value; /* as it was written: "veth:mtu=1500+rate=200mbit" */
};

struct store_factor {
    const char *name, *kind;
    const struct store_level *levels; /* [n_levels] */
    size_t n_levels;
};

struct store_cell {
    const char *label;      /* "heap=1g,link=loopback" */
    const uint32_t *levels; /* [n_factors] index of each factor's level */
    enum purpose purpose;
    uint32_t repeats; /* index of the cell that a canary or profile repeats */
};

/* One experiment as planned: order[b][p] is the cell at position p of block b.
 * n_cells counts canaries. */
struct store_plan {
    const char *uuid, *name, *track, *challenge, *target;
    const char *json;    /* the experiment file that would repeat it */
    const char *conduct; /* how it is run, JSON; NULL: not told */
    const char *version; /* of pitwall */
    uint64_t seed;
    const char *order_kind; /* blocks | random | listed */
    uint64_t warmup_ns, measure_ns;
    const struct accept *accept; /* NULL: no such rule is applied */
    const struct store_factor *factors;
    size_t n_factors;
    const struct store_cell *cells;
    size_t n_cells;
    const uint32_t *order; /* [n_blocks][n_cells] */
    size_t n_blocks;
    const char *const *benches; /* [n_benches] that take blocks in turn */
    size_t n_benches;
    const char *const *tags; /* "k=v" [n_tags] */
    size_t n_tags;
};

/* Write the whole plan; experiment id to *id. Trials are numbered 1.. in
 * running order (block by block): their tid within the experiment. */
CHECKED enum err store_plan_add(struct store *store,
                                const struct store_plan *plan, int64_t *id,
                                struct why *why);

/* Facts of an agent's machine for the experiment ("name=value" lines). */
CHECKED enum err store_facts_add(struct store *store, int64_t experiment,
                                 const char *agent, const char *facts,
                                 struct why *why);

/* A new attempt at trial tid, state planned; attempt id and its number n
 * (from 1). */
CHECKED enum err store_attempt_add(struct store *store, int64_t experiment,
                                   uint32_t tid, int64_t *attempt, uint32_t *n,
                                   struct why *why);

/* One row per state change, committed before the message that causes it is
 * sent. */
CHECKED enum err store_attempt_move(struct store *store, int64_t attempt,
                                    enum attempt_state state, struct why *why);

/* One agent's part in an attempt. */
struct store_part {
    const char *agent;     /* its name */
    const char *role;      /* both | target | load */
    const uint8_t *spool;  /* the whole file as collected and its crc checked */
    size_t spool_len;      /* by the caller, or NULL when nothing came */
    bool started;          /* the rest is known: the agreed start */
    uint64_t t0_ns;        /* by the agent's CLOCK_MONOTONIC */
    int64_t offset_ns;     /* of that clock, less the controller's ... */
    uint64_t uncertain_ns; /* ... which is known to within this */
};

/* Ends of an attempt, by all agents that took part, the target's first. Decodes
 * the spools, merges what several loads recorded, stores samples, histograms,
 * facts, artifacts, derives the metrics, finds invalid rules, chooses it as the
 * trial's attempt if its outcome is ok or oom, state stored: all in one
 * transaction.
 * Errors  ERR_CORRUPT: a spool, by its agent's name (nothing is stored; the
 *         caller may collect again). */
struct store_result {
    enum attempt_outcome outcome;
    const char *error;              /* NULL or the failure's text */
    const struct store_part *parts; /* [n_parts], at most 64 loads */
    size_t n_parts;
};
CHECKED enum err store_attempt_end(struct store *store, int64_t attempt,
                                   const struct store_result *result,
                                   struct why *why);

/* The experiment is over: state "finished", "interrupted" or "failed", and
 * when. */
CHECKED enum err store_experiment_end(struct store *store, int64_t experiment,
                                      const char *state, struct why *why);

/* Read every row that carries a checksum and compare; how many to *rows.
 * ERR_CORRUPT names the table and the row of the first that does not agree. */
CHECKED enum err store_verify(struct store *store, uint64_t *rows,
                              struct why *why);

#endif
