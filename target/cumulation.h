/* A read that ended inside a line, kept until the next one (Netty's
 * MERGE_CUMULATOR): the next bytes are copied behind the unfinished line, into
 * the same buffer if they fit and else into a larger one, and the line is read
 * again from its start (target-memory.md sections b and c). */
#ifndef PITWALL_TARGET_CUMULATION_H
#define PITWALL_TARGET_CUMULATION_H

#include "target/input.h"

struct cumulation {
    heap_ref ref;      /* 0: nothing is kept */
    uint32_t off, end; /* the unfinished line */
    uint32_t capacity;
};

/* Keep in, whose last line begins at off. Owns: in->ref is c's now. */
void cumulation_take(struct cumulation *c, struct input *in, uint32_t off);

/* Put the new read in behind what is kept: in becomes the buffer that holds
 * both, its pos the first new byte, c->off the line's start therein; c keeps
 * nothing. shared: others hold slices of the kept buffer, which therefore
 * neither grows nor is released here. False: out of memory, nothing changed.
 * Every pointer of m dies. */
CHECKED bool cumulation_merge(struct cumulation *c, struct mutator *m,
                              struct input *in, bool shared);

/* Release what is kept. */
void cumulation_drop(struct cumulation *c, struct mutator *m);

#endif
