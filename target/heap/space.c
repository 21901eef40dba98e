#include "target/heap/space.h"

uint8_t *space_take(struct space *space, uint64_t bytes)
{
    uint8_t *top = atomic_load(&space->top);
    do {
        if ((uint64_t)(space->end - top) < bytes)
            return NULL;
    } while (!atomic_compare_exchange_weak(&space->top, &top, top + bytes));
    return top;
}

void space_clear(struct space *space)
{
    atomic_store(&space->top, space->start);
}
