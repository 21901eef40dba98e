/* What decoding a header line costs a Netty server (target-memory.md section
 * c): every byte is appended as a 16-bit char to one array per connection,
 * which starts at --initial-buffer chars, doubles when a line outgrows it, and
 * never shrinks (AppendableCharSequence); strings are made of what a complete
 * line says. The text itself is taken elsewhere. */
#ifndef PITWALL_TARGET_HEADER_H
#define PITWALL_TARGET_HEADER_H

#include "target/heap/heap.h"

struct header {
    heap_ref chars;            /* array of uint16_t */
    uint32_t length, capacity; /* chars */
};

/* What a line is: that decides about its strings. */
enum header_line {
    HEADER_REQUEST, /* method, target and version */
    HEADER_FIELD,   /* name and value, and an entry of the header map */
    HEADER_CHUNK    /* the size of a chunk */
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

/* Begin the line again, of which n bytes at off were appended before: the
 * parser starts it over when the next read arrives. Otherwise as
 * header_append. */
CHECKED bool header_again(struct header *h, struct mutator *m, heap_ref line,
                          size_t off, size_t n);

/* Make the strings of the complete line, n bytes at off with its end; an empty
 * line has none. False: out of memory. Every pointer of m may die. */
CHECKED bool header_strings(struct mutator *m, heap_ref line, size_t off,
                            size_t n, enum header_line kind);

#endif
