/* A partial update: members of one JSON object laid over those of another,
 * objects inside objects likewise, as Elasticsearch merges a "doc". Pure. */
#ifndef PITWALL_TARGET_MERGE_H
#define PITWALL_TARGET_MERGE_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that a merged document may have. */
#define MERGE_ROOM(old_len, new_len) ((old_len) + (new_len) + 2)

/* Merge two valid objects into to (MERGE_ROOM bytes); the length. *changed:
 * whether it says anything else than the old one. Names are compared as they
 * are written. */
size_t merge_objects(const char *old, size_t old_len, const char *new,
                     size_t new_len, char *to, bool *changed);

/* The value of a member of a valid object; NULL: there is none. */
const char *merge_member(const char *object, size_t object_len,
                         const char *name, size_t *len);

#endif
