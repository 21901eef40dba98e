#include "target/header.h"

#include <string.h>

#define STRING_BYTES       24u
#define ARRAY_HEADER_BYTES 16u
/* DefaultHeaders' entry: a hash, five references. With the two strings a line
 * leaves 120 bytes beside its text, as was measured on Netty 4.1.48. */
#define ENTRY_BYTES 40u

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

/* Not inlined, so that profiles tell it from the parser's own work. */
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

bool header_again(struct header *h, struct mutator *m, heap_ref line,
                  size_t off, size_t n)
{
    h->length = 0;
    return header_append(h, m, line, off, n);
}

/* A String and its byte[] of that many characters. */
static bool string(struct mutator *m, size_t chars)
{
    return heap_garbage(m, STRING_BYTES) &&
           heap_garbage(m, ARRAY_HEADER_BYTES + chars);
}

static size_t skip_blanks(const char *p, size_t at, size_t end)
{
    while (at < end && (p[at] == ' ' || p[at] == '\t'))
        at++;
    return at;
}

/* Lengths of the pieces of a line of n characters; how many there are. */
static size_t split(const char *p, size_t n, enum header_line kind,
                    size_t pieces[3])
{
    size_t at = 0, count = 0;
    if (kind == HEADER_CHUNK) {
        pieces[0] = n;
        return 1;
    }
    if (kind == HEADER_FIELD) {
        const char *colon = memchr(p, ':', n);
        pieces[0] = colon ? (size_t)(colon - p) : n;
        pieces[1] = colon ? n - skip_blanks(p, pieces[0] + 1, n) : 0;
        return 2;
    }
    while (count < 3) {
        const char *blank = count < 2 ? memchr(p + at, ' ', n - at) : NULL;
        size_t end = blank ? (size_t)(blank - p) : n;
        pieces[count++] = end - at;
        at = skip_blanks(p, end, n);
    }
    return 3;
}

bool header_strings(struct mutator *m, heap_ref line, size_t off, size_t n,
                    enum header_line kind)
{
    const char *p = (const char *)heap_ptr(m, line) + off;
    size_t pieces[3];
    while (n && (p[n - 1] == '\n' || p[n - 1] == '\r'))
        n--;
    if (!n)
        return true;
    size_t count = split(p, n, kind, pieces);
    for (size_t i = 0; i < count; i++)
        if (!string(m, pieces[i]))
            return false;
    return kind != HEADER_FIELD || heap_garbage(m, ENTRY_BYTES);
}
