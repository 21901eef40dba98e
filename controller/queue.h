/* Which trial of a bench comes next: block by block, repeats at the end of
 * their block (contracts.md, "A trial's life"). Pure. */
#ifndef PITWALL_CONTROLLER_QUEUE_H
#define PITWALL_CONTROLLER_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct queue {
    uint32_t n_cells, n_trials; /* a block has n_cells trials */
    uint32_t retries;
    uint32_t next;   /* first trial not yet taken from the order */
    uint32_t *again; /* [n_again] repeats of the current block */
    size_t n_again, at_again, again_max;
    uint32_t *failures; /* [n_cells] of the current block, by position */
    bool *repeated;     /* [n_cells] for being invalid */
};

/* A queue of n_trials in blocks of n_cells. ERR_NOMEM. Owns: queue_fini. */
CHECKED enum err queue_init(struct queue *q, uint32_t n_cells,
                            uint32_t n_trials, uint32_t retries,
                            struct why *why);
void queue_fini(struct queue *q);

/* Take the next trial (0-based, in running order); false when none is left. */
bool queue_next(struct queue *q, uint32_t *trial);

/* The trial just taken failed from outside, or was invalid. True: it will be
 * repeated at the end of its block. */
bool queue_failed(struct queue *q, uint32_t trial);
bool queue_invalid(struct queue *q, uint32_t trial);

/* Trials not yet taken, known repeats included. */
uint32_t queue_left(const struct queue *q);

#endif
