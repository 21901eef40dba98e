/* Handles: a table of places that collections rewrite, with free slots cached
 * per mutator. */
#ifndef PITWALL_TARGET_HEAP_SLOT_H
#define PITWALL_TARGET_HEAP_SLOT_H

#include "target/heap/state.h"

/* Reserve the table for max slots; memory is used as slots are. */
CHECKED enum err slots_init(struct slots *slots, uint32_t max, struct why *why);
void slots_fini(struct slots *slots);

/* A free slot for the mutator; 0: the table is full. */
uint32_t slot_take(struct mutator *mutator);

/* Its object is dead: the slot goes to the mutator's cache. */
void slot_give(struct mutator *mutator, uint32_t slot);

/* Append a slot to a list; false without memory. */
bool slot_list_add(struct slot_list *list, uint32_t slot);

/* Give the mutator's cached slots back to all. */
void slot_cache_flush(struct mutator *mutator);

#endif
