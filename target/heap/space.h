/* Bump allocation in one space. */
#ifndef PITWALL_TARGET_HEAP_SPACE_H
#define PITWALL_TARGET_HEAP_SPACE_H

#include "target/heap/state.h"

/* Take bytes (a multiple of 8) from the space; NULL when they do not fit.
 * Thread: any, lock-free. */
uint8_t *space_take(struct space *space, uint64_t bytes);

/* Forget everything in it. The world is stopped. */
void space_clear(struct space *space);

#endif
