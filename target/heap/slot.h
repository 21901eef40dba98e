/* Handles: a table of places that collections rewrite, with free slots cached
 * per mutator. */
#ifndef PITWALL_TARGET_HEAP_SLOT_H
#define PITWALL_TARGET_HEAP_SLOT_H

#include <assert.h>

#include "target/heap/state.h"

/* Reserve the table for max slots; memory is used as slots are. */
CHECKED enum err slots_init(struct slots *slots, uint32_t max, struct why *why);
void slots_fini(struct slots *slots);

/* Fetch free slots into an empty cache; it stays empty when the table is
 * full. */
void slot_refill(struct mutator *mutator);

/* Give half of a full cache back to all. */
void slot_drain(struct mutator *mutator);

/* A free slot for the mutator; 0: the table is full. */
static inline uint32_t slot_take(struct mutator *mutator)
{
    if (UNLIKELY(!mutator->n_cache))
        slot_refill(mutator);
    return mutator->n_cache ? mutator->cache[--mutator->n_cache] : 0;
}

/* Its object is dead: the slot goes to the mutator's cache. */
static inline void slot_give(struct mutator *mutator, uint32_t slot)
{
    struct slot *s = &mutator->table[slot];
    assert(s->at); /* released once */
    s->at = NULL;
    if (UNLIKELY(mutator->n_cache == MUTATOR_CACHE))
        slot_drain(mutator);
    mutator->cache[mutator->n_cache++] = slot;
}

/* Append a slot to a list; false without memory. */
bool slot_list_add(struct slot_list *list, uint32_t slot);

/* Give the mutator's cached slots back to all. */
void slot_cache_flush(struct mutator *mutator);

#endif
