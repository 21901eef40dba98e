/* The young collection: copy what lives in eden and the from-space to the
 * to-space or into old. */
#ifndef PITWALL_TARGET_HEAP_YOUNG_H
#define PITWALL_TARGET_HEAP_YOUNG_H

#include "target/heap/state.h"

/* Whether old can take what a collection may promote: the to-space is empty and
 * old has room for the padded average, or for all of young. */
bool young_is_safe(const struct heap *heap);

/* Collect; the world is stopped and buffers are retired. Fills what gc says of
 * copied and promoted bytes and of failed promotion. */
void young_collect(struct heap *heap, struct heap_gc *gc);

/* A young collection promoted bytes; one that declined, none. What the next one
 * is expected to promote at most follows. */
void young_promoted(struct heap *heap, uint64_t bytes);

/* Append an object in old to the list that compaction walks; false without
 * memory. old_list_reserve makes the next n additions certain. */
bool old_list_add(struct heap *heap, uint8_t *at, uint32_t slot);
bool old_list_reserve(struct heap *heap, size_t n);

#endif
