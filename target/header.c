#include "target/header.h"

#include <string.h>

bool header_init(struct header *h, struct mutator *m, uint32_t initial_chars)
{
    *h = (struct header){.capacity = initial_chars};
    h->chars = heap_alloc(m, initial_chars * sizeof(uint16_t));
    return h->chars != 0;
}

void header_fini(struct header *h, struct mutator *m)
{
    heap_release(m, h->chars);
    *h = (struct header){0};
}

static bool grow(struct header *h, struct mutator *m)
{
    heap_ref larger = heap_alloc(m, h->capacity * 2 * sizeof(uint16_t));
    if (!larger)
        return false;
    memcpy(heap_ptr(m, larger), heap_ptr(m, h->chars),
           h->length * sizeof(uint16_t));
    heap_release(m, h->chars);
    h->chars = larger;
    h->capacity *= 2;
    return true;
}

/* Not inlined: perf must find the share of header decoding by this name. */
__attribute__((noinline)) bool header_append(struct header *h,
                                             struct mutator *m, heap_ref line,
                                             size_t off, size_t n)
{
    const uint8_t *in = (const uint8_t *)heap_ptr(m, line) + off;
    uint16_t *chars = heap_ptr(m, h->chars);
    for (size_t i = 0; i < n; i++) {
        if (in[i] == '\n') {
            h->length = 0;
            continue;
        }
        if (h->length == h->capacity) {
            if (!grow(h, m))
                return false;
            in = (const uint8_t *)heap_ptr(m, line) + off;
            chars = heap_ptr(m, h->chars);
        }
        chars[h->length++] = in[i];
    }
    return true;
}
