/* Responses are built in pages of 16 KiB of the managed heap, which are kept
 * and used again up to a tenth of the heap, as Elasticsearch's page recycler
 * does: so responses weigh on the heap but do not add to its garbage. */
#ifndef PITWALL_TARGET_PAGES_H
#define PITWALL_TARGET_PAGES_H

#include "target/heap/heap.h"

#define PAGES_BYTES 16384u

struct pages;

/* NULL: no memory. */
struct pages *pages_new(uint64_t heap_bytes);

/* The pages kept are released through m, which may be NULL when the heap is
 * freed as a whole. */
void pages_free(struct pages *pages, struct mutator *m);

/* A page, with whatever it held before; 0: out of memory. Every pointer of m
 * may die. Thread: any, its own m. */
heap_ref pages_take(struct pages *pages, struct mutator *m);

/* Give one back. Every pointer of m into it is dead. */
void pages_give(struct pages *pages, struct mutator *m, heap_ref page);

#endif
