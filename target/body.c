#include "target/body.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_PARTS        16u /* as CompositeByteBuf begins */
#define ARRAY_HEADER_BYTES 16u
#define REFERENCE_BYTES    4u

void body_init(struct body *b, uint32_t max_parts)
{
    *b = (struct body){.max_parts = max_parts};
}

void body_fini(struct body *b)
{
    assert(b->n_parts == 0);
    free(b->parts);
    *b = (struct body){0};
}

static bool grow(struct body *b)
{
    uint32_t cap = b->cap ? b->cap + b->cap / 2 : FIRST_PARTS;
    struct component *parts = realloc(b->parts, cap * sizeof *parts);
    if (!parts)
        return false;
    b->parts = parts;
    b->cap = cap;
    return true;
}

/* The array of references that a request's body begins with, and each larger
 * one that takes its place; ours is native and kept. */
static bool array_garbage(struct body *b, struct mutator *m)
{
    if (b->n_parts < b->array)
        return true;
    b->array = b->array ? b->array + b->array / 2 : FIRST_PARTS;
    if (b->array > b->max_parts + 1)
        b->array = b->max_parts + 1;
    return heap_garbage(m, ARRAY_HEADER_BYTES + b->array * REFERENCE_BYTES);
}

/* Release the buffers of all components; those of one buffer are neighbours. */
static void release_parts(struct body *b, struct mutator *m)
{
    heap_ref last = 0;
    for (uint32_t i = 0; i < b->n_parts; i++) {
        heap_ref ref = b->parts[i].ref;
        if (ref != last && ref != b->keep)
            heap_release(m, ref);
        last = ref;
    }
    b->n_parts = 0;
}

bool body_copy(struct body *b, struct mutator *m)
{
    if (b->n_parts == 0)
        return true;
    heap_ref all = heap_alloc(m, b->bytes);
    if (!all)
        return false;
    char *to = heap_ptr(m, all);
    for (uint32_t i = 0; i < b->n_parts; i++) {
        const struct component *c = &b->parts[i];
        memcpy(to, (const char *)heap_ptr(m, c->ref) + c->off, c->len);
        to += c->len;
    }
    release_parts(b, m);
    b->parts[0] = (struct component){.ref = all, .len = (uint32_t)b->bytes};
    b->n_parts = 1;
    return true;
}

bool body_add(struct body *b, struct mutator *m, heap_ref ref, uint32_t off,
              uint32_t len)
{
    if ((b->n_parts == b->cap && !grow(b)) || !array_garbage(b, m))
        return false;
    b->parts[b->n_parts++] = (struct component){ref, off, len};
    b->bytes += len;
    if (!heap_garbage(m, BODY_COMPONENT_GARBAGE))
        return false;
    return b->n_parts <= b->max_parts || body_copy(b, m);
}

bool body_holds(const struct body *b, heap_ref ref)
{
    return b->n_parts && b->parts[b->n_parts - 1].ref == ref;
}

void body_release(struct body *b, struct mutator *m)
{
    release_parts(b, m);
    b->bytes = 0;
    b->keep = 0;
    b->array = 0;
}

size_t body_peek(const struct body *b, const struct mutator *m, char *to,
                 size_t size)
{
    size_t n = 0;
    for (uint32_t i = 0; i < b->n_parts && n < size; i++) {
        const struct component *c = &b->parts[i];
        size_t len = c->len < size - n ? c->len : size - n;
        memcpy(to + n, (const char *)heap_ptr(m, c->ref) + c->off, len);
        n += len;
    }
    return n;
}
