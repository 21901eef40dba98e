/* The full collection: slide what lives in the whole heap down, old first. */
#ifndef PITWALL_TARGET_HEAP_COMPACT_H
#define PITWALL_TARGET_HEAP_COMPACT_H

#include "target/heap/state.h"

/* Compact; the world is stopped and buffers are retired. Live objects keep
 * their order: old, eden, from-space, to-space; they fill old, then eden, then
 * the survivor spaces, never going back to a space that was left. Their ages
 * begin anew. Unless complete, three collections of four leave a little dead
 * space at old's bottom. False: no memory to sort the young objects, nothing
 * moved. */
bool compact_collect(struct heap *heap, bool complete);

#endif
