/* As OpenJDK's GenMarkSweep, with marking replaced by the handle table: old's
 * list is in address order already, young's logs are gathered and sorted. A
 * destination never lies above its source inside one space, and every space
 * below the current source is already vacated, so one pass of memmove is
 * enough. */
#include "target/heap/compact.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "target/heap/young.h"

#define DEAD_PCT       5u /* MarkSweepDeadRatio, of old's capacity */
#define COMPLETE_EVERY 4u /* MarkSweepAlwaysCompactCount */

struct compaction {
    struct heap *heap;
    struct space *order[4]; /* old, eden, from, to */
    unsigned space;
    uint8_t *top[4];
    uint64_t dead_bytes; /* that may stay where they are */
};

/* Place for bytes, in the current space or the first later one with room.
 * There is always one: each object fits at its own place. */
static uint8_t *place(struct compaction *c, uint64_t bytes)
{
    while ((uint64_t)(c->order[c->space]->end - c->top[c->space]) < bytes)
        c->space++;
    uint8_t *at = c->top[c->space];
    c->top[c->space] += bytes;
    return at;
}

static void move(struct compaction *c, struct slot *slot)
{
    uint64_t bytes = object_bytes(slot->at);
    uint8_t *at = place(c, bytes);
    if (at != slot->at)
        memmove(at, slot->at, bytes);
    slot->at = at;
    header_of(at)->age = 0;
}

/* Between from and to lies nothing live. While nothing has moved yet, it is
 * left there, so that what follows need not move either, as long as there is
 * not much of it. */
static void leave_dead(struct compaction *c, uint8_t *from, uint8_t *to)
{
    uint64_t bytes = (uint64_t)(to - from);
    if (c->top[0] != from || bytes > c->dead_bytes) {
        c->dead_bytes = 0;
        return;
    }
    c->dead_bytes -= bytes;
    c->top[0] = to;
}

static void slide_old(struct compaction *c)
{
    struct heap *heap = c->heap;
    uint8_t *end = heap->old.start; /* of what was looked at */
    size_t kept = 0;
    for (size_t i = 0; i < heap->n_old; i++) {
        struct old_entry entry = heap->old_list[i];
        struct slot *slot = &heap->slots.table[entry.slot];
        if (slot->at != entry.at)
            continue; /* released since */
        if (entry.at > end)
            leave_dead(c, end, entry.at);
        end = entry.at + object_bytes(entry.at);
        move(c, slot);
        heap->old_list[kept++] = (struct old_entry){slot->at, entry.slot};
    }
    uint8_t *top = atomic_load(&heap->old.top);
    if (top > end)
        leave_dead(c, end, top);
    heap->n_old = kept;
}

static unsigned rank(const struct compaction *c, const uint8_t *at)
{
    for (unsigned i = 1; i < 4; i++)
        if (space_holds(c->order[i], at))
            return i;
    return 0;
}

struct young_object {
    uint8_t *at;
    unsigned rank;
    uint32_t slot;
};

static int by_place(const void *a, const void *b)
{
    const struct young_object *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static size_t gather(const struct compaction *c, struct slot_list *log,
                     struct young_object *out)
{
    size_t n = 0;
    for (size_t i = 0; i < log->n; i++) {
        uint8_t *at = c->heap->slots.table[log->slots[i]].at;
        unsigned r = at ? rank(c, at) : 0;
        if (r)
            out[n++] = (struct young_object){at, r, log->slots[i]};
    }
    return n;
}

/* Drop from the log what is dead or now in old. */
static void prune(struct heap *heap, struct slot_list *log)
{
    size_t kept = 0;
    for (size_t i = 0; i < log->n; i++) {
        struct slot *slot = &heap->slots.table[log->slots[i]];
        if (slot->at && !space_holds(&heap->old, slot->at))
            log->slots[kept++] = log->slots[i];
        else
            slot->logged = false;
    }
    log->n = kept;
}

bool compact_collect(struct heap *heap, bool complete)
{
    struct compaction c = {.heap = heap,
                           .order = {&heap->old, &heap->eden,
                                     &heap->survivor[heap->from],
                                     &heap->survivor[1 - heap->from]}};
    size_t most = heap->orphans.n, n = 0;
    for (unsigned i = 0; i < heap->n_mutators; i++)
        most += heap->mutators[i]->log.n;
    struct young_object *young = malloc((most + 1) * sizeof *young);
    if (!young || !old_list_reserve(heap, most)) {
        free(young);
        return false;
    }
    for (unsigned i = 0; i < 4; i++)
        c.top[i] = c.order[i]->start;
    if (!complete && ++heap->compactions % COMPLETE_EVERY != 0)
        c.dead_bytes = heap->layout.old_bytes * DEAD_PCT / 100;
    slide_old(&c);
    for (unsigned i = 0; i < heap->n_mutators; i++)
        n += gather(&c, &heap->mutators[i]->log, young + n);
    n += gather(&c, &heap->orphans, young + n);
    qsort(young, n, sizeof *young, by_place);
    for (size_t i = 0; i < n; i++) {
        struct slot *slot = &heap->slots.table[young[i].slot];
        move(&c, slot);
        if (space_holds(&heap->old, slot->at)) {
            bool added = old_list_add(heap, slot->at, young[i].slot);
            assert(added); /* reserved above */
        }
    }
    free(young);
    for (unsigned i = 0; i < 4; i++)
        atomic_store(&c.order[i]->top, c.top[i]);
    for (unsigned i = 0; i < heap->n_mutators; i++)
        prune(heap, &heap->mutators[i]->log);
    prune(heap, &heap->orphans);
    return true;
}
