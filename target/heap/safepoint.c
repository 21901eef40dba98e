/* The race that matters: a native mutator becomes managed while a collector
 * sets `stop`. Both write their own flag and then read the other's, all
 * sequentially consistent, so at least one sees the other: either the mutator
 * sees stop and steps back, or the collector sees MANAGED and waits. */
#include "target/heap/safepoint.h"

#include "common/clock.h"

static bool all_native(const struct heap *heap, const struct mutator *self)
{
    for (unsigned i = 0; i < heap->n_mutators; i++) {
        const struct mutator *m = heap->mutators[i];
        if (m != self && atomic_load(&m->state) == MUTATOR_MANAGED)
            return false;
    }
    return true;
}

uint64_t safepoint_begin(struct heap *heap, const struct mutator *self)
{
    uint64_t begin_ns = clock_mono_ns();
    (void)pthread_mutex_lock(&heap->safe_lock);
    atomic_store(&heap->stop, true);
    while (!all_native(heap, self))
        (void)pthread_cond_wait(&heap->arrived, &heap->safe_lock);
    (void)pthread_mutex_unlock(&heap->safe_lock);
    return clock_mono_ns() - begin_ns;
}

void safepoint_end(struct heap *heap)
{
    (void)pthread_mutex_lock(&heap->safe_lock);
    atomic_store(&heap->stop, false);
    (void)pthread_cond_broadcast(&heap->resumed);
    (void)pthread_mutex_unlock(&heap->safe_lock);
}

void safepoint_native(struct mutator *mutator)
{
    struct heap *heap = mutator->heap;
    atomic_store(&mutator->state, MUTATOR_NATIVE);
    if (!atomic_load(&heap->stop))
        return;
    (void)pthread_mutex_lock(&heap->safe_lock);
    (void)pthread_cond_broadcast(&heap->arrived);
    (void)pthread_mutex_unlock(&heap->safe_lock);
}

void safepoint_managed(struct mutator *mutator)
{
    struct heap *heap = mutator->heap;
    for (;;) {
        atomic_store(&mutator->state, MUTATOR_MANAGED);
        if (!atomic_load(&heap->stop))
            return;
        safepoint_native(mutator);
        (void)pthread_mutex_lock(&heap->safe_lock);
        while (atomic_load(&heap->stop))
            (void)pthread_cond_wait(&heap->resumed, &heap->safe_lock);
        (void)pthread_mutex_unlock(&heap->safe_lock);
    }
}

void safepoint_lock(struct mutator *mutator)
{
    if (!pthread_mutex_trylock(&mutator->heap->lock))
        return;
    safepoint_native(mutator);
    (void)pthread_mutex_lock(&mutator->heap->lock);
    /* Nobody stops the world without the lock: this does not wait. */
    safepoint_managed(mutator);
}
