#include "target/heap/slot.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#define BATCH (MUTATOR_CACHE / 2)

enum err slots_init(struct slots *slots, uint32_t max, struct why *why)
{
    size_t bytes = ((size_t)max + 1) * sizeof(struct slot);
    void *table = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (table == MAP_FAILED)
        return err_errno(why, errno, "reserve %zu bytes of handles", bytes);
    *slots = (struct slots){.table = table, .max = max, .used = 0};
    (void)pthread_mutex_init(&slots->lock, NULL);
    return ERR_OK;
}

void slots_fini(struct slots *slots)
{
    if (!slots->table)
        return;
    (void)munmap(slots->table, ((size_t)slots->max + 1) * sizeof(struct slot));
    (void)pthread_mutex_destroy(&slots->lock);
    slots->table = NULL;
}

/* Up to BATCH of them, fresh ones last. */
void slot_refill(struct mutator *mutator)
{
    struct slots *slots = &mutator->heap->slots;
    (void)pthread_mutex_lock(&slots->lock);
    while (mutator->n_cache < BATCH) {
        uint32_t slot = slots->free;
        if (slot)
            slots->free = slots->table[slot].next_free;
        else if (slots->used < slots->max)
            slot = ++slots->used;
        else
            break;
        mutator->cache[mutator->n_cache++] = slot;
    }
    (void)pthread_mutex_unlock(&slots->lock);
}

/* Chain all but keep of the cached slots to the shared free ones. */
static void drain(struct mutator *mutator, unsigned keep)
{
    struct slots *slots = &mutator->heap->slots;
    (void)pthread_mutex_lock(&slots->lock);
    while (mutator->n_cache > keep) {
        uint32_t slot = mutator->cache[--mutator->n_cache];
        slots->table[slot].next_free = slots->free;
        slots->free = slot;
    }
    (void)pthread_mutex_unlock(&slots->lock);
}

void slot_drain(struct mutator *mutator)
{
    drain(mutator, BATCH);
}

bool slot_list_add(struct slot_list *list, uint32_t slot)
{
    if (list->n == list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 1024;
        uint32_t *more = realloc(list->slots, cap * sizeof *more);
        if (!more)
            return false;
        list->slots = more;
        list->cap = cap;
    }
    list->slots[list->n++] = slot;
    return true;
}

void slot_cache_flush(struct mutator *mutator)
{
    drain(mutator, 0);
}
