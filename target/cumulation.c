#include "target/cumulation.h"

#include <assert.h>
#include <string.h>

#define CAPACITY_MIN  64u
#define CAPACITY_STEP (4u << 20)

void cumulation_take(struct cumulation *c, struct input *in, uint32_t off)
{
    assert(!c->ref);
    *c = (struct cumulation){in->ref, off, in->len,
                             in->capacity ? in->capacity : in->len};
    in->ref = 0;
}

/* Netty's calculateNewCapacity: powers of two, steps of 4 MiB above that. */
static uint32_t capacity_for(uint32_t bytes)
{
    uint32_t capacity = CAPACITY_MIN;
    if (bytes > CAPACITY_STEP)
        return bytes / CAPACITY_STEP * CAPACITY_STEP + CAPACITY_STEP;
    while (capacity < bytes)
        capacity *= 2;
    return capacity;
}

/* A larger buffer with what is kept: the whole of it, as an array grows, or
 * the line alone, where the buffer is not ours only. */
static bool grow(struct cumulation *c, struct mutator *m, uint32_t more,
                 bool shared)
{
    uint32_t from = shared ? c->off : 0, n = c->end - from;
    struct cumulation larger = {
        .off = c->off - from, .end = n, .capacity = capacity_for(n + more)};
    larger.ref = heap_alloc(m, larger.capacity);
    if (!larger.ref)
        return false;
    memcpy(heap_ptr(m, larger.ref), (const char *)heap_ptr(m, c->ref) + from,
           n);
    if (!shared)
        heap_release(m, c->ref);
    *c = larger;
    return true;
}

bool cumulation_merge(struct cumulation *c, struct mutator *m, struct input *in,
                      bool shared)
{
    uint32_t n = in->len - in->pos;
    if (n > c->capacity - c->end && !grow(c, m, n, shared))
        return false;
    memcpy((char *)heap_ptr(m, c->ref) + c->end,
           (const char *)heap_ptr(m, in->ref) + in->pos, n);
    heap_release(m, in->ref);
    *in = (struct input){.ref = c->ref,
                         .pos = c->end,
                         .len = c->end + n,
                         .capacity = c->capacity};
    c->ref = 0;
    return true;
}

void cumulation_drop(struct cumulation *c, struct mutator *m)
{
    heap_release(m, c->ref);
    *c = (struct cumulation){0};
}
