/* Which collection an allocation that found no room causes, and what it gets
 * afterwards. */
#ifndef PITWALL_TARGET_HEAP_COLLECT_H
#define PITWALL_TARGET_HEAP_COLLECT_H

#include "target/heap/state.h"

/* Take bytes without collecting, as attempt_allocation does: eden, the
 * from-space where that is allowed, and old too if old_too. lock is held. */
uint8_t *collect_attempt(struct heap *heap, uint64_t bytes, bool old_too);

/* Collect for an allocation of bytes that self could not make, then take them.
 * NULL: out of memory. lock is held, self is managed and holds no pointer. */
uint8_t *collect_for(struct heap *heap, struct mutator *self, uint64_t bytes);

/* The stress build's: a young collection, or a full one, and what was vacated
 * is overwritten. As above. */
void collect_stress(struct heap *heap, struct mutator *self, bool full);

#endif
