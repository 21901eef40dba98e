/* Which bench of several runs which block: whoever is free takes the next one,
 * so that the blocks that were begun are always the first ones. A block stays
 * with its bench; what a lost bench had begun is run as a new block elsewhere.
 * Pure. */
#ifndef PITWALL_CONTROLLER_SHARE_H
#define PITWALL_CONTROLLER_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

#define SHARE_NOBODY UINT32_MAX

struct share_block {
    uint32_t bench; /* that has begun it; SHARE_NOBODY: none has */
    uint32_t left;  /* trials to do */
    bool dropped;   /* run as another block instead */
};

struct share {
    struct share_block *blocks; /* [n] */
    uint32_t n;
};

enum share_answer { SHARE_TAKE, SHARE_LATER, SHARE_NONE };

/* n blocks that nobody has begun. ERR_NOMEM. Owns: share_fini. */
CHECKED enum err share_init(struct share *share, uint32_t n, struct why *why);
void share_fini(struct share *share);

/* One block more, of so many trials. ERR_NOMEM. */
CHECKED enum err share_grow(struct share *share, uint32_t left,
                            struct why *why);

/* What a free bench does next: the block that it has begun, else the first that
 * nobody has, but none from number limit on. LATER: blocks beyond limit are
 * left, or others have blocks at work that may yet have to be run again. */
enum share_answer share_next(struct share *share, uint32_t bench,
                             uint32_t limit, uint32_t *block);

/* Number of blocks, from the first one on, of which nothing is left. */
uint32_t share_done(const struct share *share);

/* Number of trials that are left. */
uint32_t share_left(const struct share *share);

#endif
