/* What decoding a header line costs a Netty server: every byte is appended as a
 * 16-bit char to one array per connection, which starts at --initial-buffer
 * chars, doubles when a line outgrows it, and never shrinks (target-memory.md
 * section c, AppendableCharSequence). The text itself is taken elsewhere. */
#ifndef PITWALL_TARGET_HEADER_H
#define PITWALL_TARGET_HEADER_H

#include "target/heap/heap.h"

struct header {
    heap_ref chars;            /* array of uint16_t */
    uint32_t length, capacity; /* chars */
};

/* The array of a new connection. False: out of memory. */
CHECKED bool header_init(struct header *h, struct mutator *m,
                         uint32_t initial_chars);

/* The array is dead. */
void header_fini(struct header *h, struct mutator *m);

/* Append n bytes at offset off of the object line; a line feed among them ends
 * the line and the next byte begins a new one. False: out of memory. Every
 * pointer of m may die. */
CHECKED bool header_append(struct header *h, struct mutator *m, heap_ref line,
                           size_t off, size_t n);

#endif
