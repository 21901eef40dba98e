/* Stopping the world: a collector waits until every other mutator is native,
 * and natives that want to become managed wait until it is done. Sequentially
 * consistent flags with one mutex and two conditions; no page tricks, so that
 * sanitizers understand it. */
#ifndef PITWALL_TARGET_HEAP_SAFEPOINT_H
#define PITWALL_TARGET_HEAP_SAFEPOINT_H

#include "target/heap/state.h"

/* Stop all attached mutators but self (NULL: all). The caller holds heap->lock.
 * Returns the ns that it took. */
uint64_t safepoint_begin(struct heap *heap, const struct mutator *self);
void safepoint_end(struct heap *heap);

/* The mutator leaves or enters the managed state; entering waits while the
 * world is stopped. */
void safepoint_native(struct mutator *mutator);
void safepoint_managed(struct mutator *mutator);

/* Take heap->lock as a managed mutator: native while waiting for it. */
void safepoint_lock(struct mutator *mutator);

#endif
