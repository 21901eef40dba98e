/* Which trial of a bench comes next: block by block, repeats at the end of
 * their block (contracts.md, "A trial's life"), and nothing that an earlier
 * sitting has measured. Pure. */
#ifndef PITWALL_CONTROLLER_QUEUE_H
#define PITWALL_CONTROLLER_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

enum queue_state { QUEUE_FRESH, QUEUE_AGAIN, QUEUE_TAKEN };

/* Where a trial stands. */
struct queue_trial {
    enum queue_state state;
    uint32_t turn; /* AGAIN: the lowest of its block is next */
    uint32_t failures;
    bool repeated; /* for being invalid */
};

struct queue {
    uint32_t n_trials, n_blocks, retries;
    const uint32_t *ends; /* [n_blocks] first trial beyond each block */
    uint32_t next;        /* first trial not yet looked at */
    uint32_t block, turn;
    uint32_t left;
    struct queue_trial *trials; /* [n_trials] */
    bool *parked;               /* [n_blocks] not to be taken from */
};

/* A queue of blocks that end before the trials ends [n_blocks] (borrowed, as
 * long as the queue). ERR_NOMEM. Owns: queue_fini. */
CHECKED enum err queue_init(struct queue *q, const uint32_t *ends,
                            uint32_t n_blocks, uint32_t retries,
                            struct why *why);
void queue_fini(struct queue *q);

/* Take the next trial (0-based, in running order); false when none is left. */
bool queue_next(struct queue *q, uint32_t *trial);

/* A trial that was taken, now or in an earlier sitting, failed from outside or
 * was invalid. True: it will be repeated at the end of its block. */
bool queue_failed(struct queue *q, uint32_t trial);
bool queue_invalid(struct queue *q, uint32_t trial);

/* A trial that was measured for good; one whose attempt was broken off, which
 * is still to be done and counts for nothing. */
void queue_done(struct queue *q, uint32_t trial);
void queue_broken_off(struct queue *q, uint32_t trial);

/* Take trials of a block no more, or again: with several benches each has the
 * blocks that it was given. */
void queue_park(struct queue *q, uint32_t block, bool parked);

/* Trials not yet taken, known repeats included; those of one block. */
uint32_t queue_left(const struct queue *q);
uint32_t queue_block_left(const struct queue *q, uint32_t block);

/* A block was added: ends has one more. All of it is parked. ERR_NOMEM. */
CHECKED enum err queue_grow(struct queue *q, const uint32_t *ends,
                            struct why *why);

/* Nothing of the block is to be done any more. */
void queue_drop(struct queue *q, uint32_t block);

#endif
