/* Finding room for one object: the buffer, a new buffer, eden, a collection. */
#ifndef PITWALL_TARGET_HEAP_ALLOC_H
#define PITWALL_TARGET_HEAP_ALLOC_H

#include "target/heap/state.h"

/* Room for bytes (a multiple of 8, header included) when the mutator's buffer
 * has not enough. NULL: out of memory. May collect. */
uint8_t *alloc_slow(struct mutator *mutator, uint64_t bytes);

/* Count an allocation of bytes as refused. */
void alloc_refused(struct heap *heap, uint64_t bytes);

/* The same with the buffer tried first: a bump of its pointer. */
static inline uint8_t *alloc_take(struct mutator *mutator, uint64_t bytes)
{
    uint8_t *at = mutator->top;
    if (UNLIKELY((uint64_t)(mutator->end - at) < bytes))
        return alloc_slow(mutator, bytes);
    mutator->top = at + bytes;
    return at;
}

#endif
