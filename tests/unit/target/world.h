/* A heap with one mutator and a page recycler for tests, and bodies and replies
 * as plain text. */
#ifndef PITWALL_TESTS_UNIT_TARGET_WORLD_H
#define PITWALL_TESTS_UNIT_TARGET_WORLD_H

#include "target/body.h"
#include "target/reply.h"

struct world {
    struct heap *heap;
    struct mutator *m;
    struct pages *pages;
};

/* A budget heap of bytes that moves what is looked at (stress), so that a
 * pointer kept too long is caught by the address sanitizer. */
struct world world_open(uint64_t bytes);

/* Free it; every object must have been released. */
void world_close(struct world *w);

/* Bytes in use. */
uint64_t world_used(const struct world *w);

/* Take objects until only left bytes of the heap are free; the ballast's
 * handle. */
heap_ref world_fill(struct world *w, uint64_t left);

/* A new object with these bytes. */
heap_ref world_object(struct world *w, const char *text, size_t len);

/* Append text as one slice in an object of its own. */
void world_slice(struct world *w, struct body *b, const char *text, size_t len);

/* Append text as slices of at most step bytes, each in its own object. */
void world_sliced(struct world *w, struct body *b, const char *text, size_t len,
                  size_t step);

/* The whole reply, head and body, as the socket gets it; size bytes at most. */
const char *world_reply(struct world *w, struct reply *r, char *to,
                        size_t size);

/* The body behind a reply's head. */
const char *world_json(const char *reply);

#endif
