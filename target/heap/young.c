/* As OpenJDK 17's DefNewGeneration (target-memory.md section e): an object
 * younger than the threshold goes to the to-space where it fits, everything
 * else is promoted; one that old cannot take stays where it is, and then
 * neither eden nor the from-space can be emptied until a full collection. */
#include "target/heap/young.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "target/heap/slot.h"
#include "target/heap/space.h"

#define TENURING_MAX        15u
#define SURVIVOR_TARGET_PCT 50u
#define PROMOTED_WEIGHT     10u /* AdaptiveSizePolicyWeight */
#define PROMOTED_PADDING    3.0

bool young_is_safe(const struct heap *heap)
{
    const struct space *from = &heap->survivor[heap->from];
    const struct space *to = &heap->survivor[1 - heap->from];
    if (space_used(to))
        return false;
    uint64_t room = space_free(&heap->old);
    return (double)room >= heap->promoted_padded ||
           room >= space_used(&heap->eden) + space_used(from);
}

bool old_list_reserve(struct heap *heap, size_t n)
{
    size_t cap = heap->cap_old ? heap->cap_old : 1024;
    while (cap < heap->n_old + n)
        cap *= 2;
    if (cap == heap->cap_old)
        return true;
    struct old_entry *more = realloc(heap->old_list, cap * sizeof *more);
    if (!more)
        return false;
    heap->old_list = more;
    heap->cap_old = cap;
    return true;
}

bool old_list_add(struct heap *heap, uint8_t *at, uint32_t slot)
{
    if (heap->n_old == heap->cap_old && !old_list_reserve(heap, 1))
        return false;
    heap->old_list[heap->n_old++] = (struct old_entry){at, slot};
    return true;
}

/* AdaptivePaddedNoZeroDevAverage: nothing promoted lowers the average, but
 * neither the deviation nor what is expected of the next collection. */
void young_promoted(struct heap *heap, uint64_t bytes)
{
    struct average deviation = {heap->promoted_deviation, heap->promoted.n};
    average_sample(&heap->promoted, PROMOTED_WEIGHT, (double)bytes);
    average_sample(&deviation, PROMOTED_WEIGHT,
                   fabs((double)bytes - heap->promoted.value));
    if (!bytes)
        return;
    heap->promoted_deviation = deviation.value;
    heap->promoted_padded =
        heap->promoted.value + PROMOTED_PADDING * deviation.value;
}

/* AgeTable::compute_tenuring_threshold: the first age at which the survivors'
 * sum passes half a survivor space. */
static unsigned threshold_of(const uint64_t by_age[AGES], uint64_t survivor)
{
    uint64_t wanted = survivor * SURVIVOR_TARGET_PCT / 100, sum = 0;
    unsigned age = 1;
    while (age < AGES) {
        sum += by_age[age];
        if (sum > wanted)
            break;
        age++;
    }
    return age < TENURING_MAX ? age : TENURING_MAX;
}

struct copying {
    struct heap *heap;
    struct space *to;
    struct heap_gc *gc;
    uint64_t by_age[AGES];
};

/* Move one live young object. True: it is still young. */
static bool copy_one(struct copying *c, struct slot *slot)
{
    uint8_t *from = slot->at, *at = NULL;
    uint64_t bytes = object_bytes(from);
    struct header *header = header_of(from);
    if (header->age < c->heap->tenuring_threshold)
        at = space_take(c->to, bytes);
    bool survives = at != NULL;
    if (!at) {
        at = space_take(&c->heap->old, bytes);
        if (at && !old_list_add(c->heap, at, header->slot))
            at = NULL; /* the bytes are lost until the next compaction */
    }
    if (!at) {
        c->gc->promotion_failed = true;
        return true;
    }
    memcpy(at, from, bytes);
    slot->at = at;
    if (!survives) {
        c->gc->promoted_bytes += bytes;
        return false;
    }
    header_of(at)->age++;
    c->by_age[header_of(at)->age] += bytes;
    c->gc->copied_bytes += bytes;
    return true;
}

/* Walk one log; what is no longer young leaves it. */
static void copy_log(struct copying *c, struct slot_list *log)
{
    struct heap *heap = c->heap;
    size_t kept = 0;
    for (size_t i = 0; i < log->n; i++) {
        struct slot *slot = &heap->slots.table[log->slots[i]];
        bool young = slot->at && !space_holds(&heap->old, slot->at);
        if (young && !space_holds(c->to, slot->at))
            young = copy_one(c, slot);
        if (young)
            log->slots[kept++] = log->slots[i];
        else
            slot->logged = false;
    }
    log->n = kept;
}

void young_collect(struct heap *heap, struct heap_gc *gc)
{
    struct copying c = {
        .heap = heap, .to = &heap->survivor[1 - heap->from], .gc = gc};
    assert(!space_used(c.to));
    for (unsigned i = 0; i < heap->n_mutators; i++)
        copy_log(&c, &heap->mutators[i]->log);
    copy_log(&c, &heap->orphans);
    heap->from = 1 - heap->from;
    if (gc->promotion_failed) {
        heap->failed = true;
        return;
    }
    space_clear(&heap->eden);
    space_clear(&heap->survivor[1 - heap->from]);
    heap->tenuring_threshold =
        threshold_of(c.by_age, heap->layout.survivor_bytes);
}
