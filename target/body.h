/* A request's body as a Netty server holds it: a list of components, slices of
 * at most 8 KiB of the receive buffers (target-memory.md section b). A buffer
 * lives while a component lies in it. More components than allowed are copied
 * into one array; --body-copy copies all once at the end, as Elasticsearch 5
 * and 6 do. */
#ifndef PITWALL_TARGET_BODY_H
#define PITWALL_TARGET_BODY_H

#include "target/heap/heap.h"

#define BODY_COMPONENT_BYTES 8192u

/* Small objects, measured on Netty 4.1.48 (least squares over the reference's
 * allocation accounts; with the requests' share, DECODER_*_GARBAGE, and the
 * component arrays apart from them): per component, and per read. Half of a
 * read's comes before the buffer, so that after a collection an event loop
 * takes its first allocation buffer for a small object, as the JVM's log shows
 * (the selector's, and the one that wraps the buffer). */
#define BODY_COMPONENT_GARBAGE 104u
#define BODY_READ_GARBAGE      176u
#define BODY_READ_BEFORE       88u

struct component {
    heap_ref ref;
    uint32_t off, len;
};

struct body {
    struct component *parts; /* [n_parts], native, kept for the next request */
    uint32_t n_parts, cap;
    uint32_t max_parts;
    uint32_t array; /* capacity that a Netty server's array would have */
    uint64_t bytes;
    /* The buffer that is still being decoded: its owner releases it. */
    heap_ref keep;
};

/* An empty body of at most max_parts components. */
void body_init(struct body *b, uint32_t max_parts);

/* Free the native list; the components must be released before. */
void body_fini(struct body *b);

/* Add len bytes at off of buffer ref, with the small garbage of one component
 * (and of a larger array for it where needed), and consolidate when there are
 * too many. False: out of memory (of the heap,
 * or of the list). Every pointer of m may die. */
CHECKED bool body_add(struct body *b, struct mutator *m, heap_ref ref,
                      uint32_t off, uint32_t len);

/* Make the body one array of its own. False: out of memory. Every pointer of m
 * may die. */
CHECKED bool body_copy(struct body *b, struct mutator *m);

/* Whether a component lies in ref (only the last ones can). */
bool body_holds(const struct body *b, heap_ref ref);

/* Release all buffers but `keep` and be empty. */
void body_release(struct body *b, struct mutator *m);

/* Copy at most size bytes from the body's start to native memory; how many. */
size_t body_peek(const struct body *b, const struct mutator *m, char *to,
                 size_t size);

#endif
